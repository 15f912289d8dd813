"""Play without a network: the recorded matches come out line for line, and nobody sees what is not theirs."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from limpet.configs.loading import load_game
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.dealer.table.score import MatchScore
from limpet.protocol.gamedef import BET, GameDef
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, Action, discard
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from tests.oracles.match_log import read_log

RECORDED = sorted(path.name for path in (Path(__file__).parents[2] / "vectors").glob("*.seed0.log"))


class Replay:
    """Plays what was played in a record, and keeps what it was shown."""

    def __init__(self, actions: dict[tuple[int, str], Action]) -> None:
        self.actions = actions
        self.seen: list[MatchState] = []
        self.ended: list[MatchState] = []

    def decide(self, match: MatchState) -> Action:
        self.seen.append(match)
        return self.actions[match.hand, match.state.betting]

    def observe(self, match: MatchState) -> None:
        self.ended.append(match)


def recorded(path: Path) -> tuple[GameDef, Any, dict[tuple[int, str], Action]]:
    game = load_game(path.name.removesuffix(".seed0.log"))
    log = read_log(path.read_text(), game)
    actions = {
        (hand.hand, state.parent.betting): state.action
        for hand in log.hands
        for state in hand.state.path()
        if state.parent is not None and state.action is not None
    }
    return game, log, actions


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_matches_come_out_line_for_line(name: str, vectors: Path) -> None:
    game, log, actions = recorded(vectors / name)
    names, header = log.score.names, log.header
    table: Any = [Replay(actions) for _ in names]
    score = MatchScore(names)
    lines = []
    for hand in play_hands(game, table, islice(Deals(game, header.seed), header.hands)):
        lines.append(score.add(hand))
    text = (vectors / name).read_text().splitlines()
    assert [*lines, str(score)] == [line for line in text if not line.startswith("#")]


@pytest.mark.parametrize("name", RECORDED)
def test_a_seat_sees_its_own_cards_and_the_board_so_far(name: str, vectors: Path) -> None:
    game, log, actions = recorded(vectors / name)
    table: Any = [Replay(actions) for _ in log.score.names]
    dealt = list(islice(Deals(game, log.header.seed), len(log.hands)))
    list(play_hands(game, table, dealt))
    for seat, agent in enumerate(table):
        assert agent.seen
        for match in agent.seen:
            assert match.my_turn and match.position == (seat - match.hand) % game.num_players
            assert match.holes[match.position] == dealt[match.hand].holes[match.position]
            assert all(hole == () for p, hole in enumerate(match.holes) if p != match.position)
            assert match.state.board == dealt[match.hand].board[: game.board_sizes[match.state.round]]


@pytest.mark.parametrize("name", RECORDED)
def test_every_seat_is_told_of_every_finished_hand(name: str, vectors: Path) -> None:
    game, log, actions = recorded(vectors / name)
    table: Any = [Replay(actions) for _ in log.score.names]
    played = list(play_hands(game, table, islice(Deals(game, log.header.seed), len(log.hands))))
    for seat, agent in enumerate(table):
        assert [match.state for match in agent.ended] == [hand.state for hand in played]
        assert all(match.position == (seat - match.hand) % game.num_players for match in agent.ended)


def test_a_fixed_button_keeps_positions() -> None:
    game = load_game("kuhn.limit.3p")
    seen: list[tuple[int, int]] = []

    class Spy(Agent):
        def decide(self, match: MatchState) -> Action:
            seen.append((self.seed, match.position))
            return super().decide(match)

    table = [Spy(load_bot("call", game).build(), seat) for seat in range(3)]
    list(play_hands(game, table, islice(Deals(game, 1), 5), fixed_button=True))
    assert set(seen) == {(0, 0), (1, 1), (2, 2)}


def test_going_on_in_the_middle_changes_nothing() -> None:
    game = load_game("leduc.limit.2p")

    def table() -> list[Agent]:
        return [Agent(load_bot(name, game).build(), 5) for name in ("random", "formula")]

    whole = list(play_hands(game, table(), islice(Deals(game, 9), 30)))
    rest: Iterator[Any] = islice(Deals(game, 9), 17, 30)
    assert [h.state.betting for h in play_hands(game, table(), rest, 17)] == [h.state.betting for h in whole[17:]]


def test_the_table_must_be_full() -> None:
    game = load_game("kuhn.limit.2p")
    agent = Agent(load_bot("call", game).build(), 0)
    with pytest.raises(ValueError, match="1 agents, but the game seats 2"):
        next(play_hands(game, [agent], Deals(game, 0)))


def test_in_a_draw_a_player_is_told_of_its_own_discards_alone() -> None:
    game = load_game("draw5-pl-hu")
    seen: list[MatchState] = []

    class Drawer:
        """Exchanges one card and calls."""

        def decide(self, match: MatchState) -> Action:
            seen.append(match)
            return CALL if match.state.phase is BET else discard(match.own_hand[:1])

        def observe(self, match: MatchState) -> None:
            pass

    agents: list[Any] = [Drawer(), Drawer()]
    list(play_hands(game, agents, islice(Deals(game, 5), 2)))
    later = [match for match in seen if match.state.round == 1 and match.state.phase is BET]
    assert {match.position for match in later} == {0, 1}
    for match in later:
        [sections] = match.draws
        assert sections[match.position] and not sections[1 - match.position]
