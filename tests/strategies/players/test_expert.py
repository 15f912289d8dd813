"""The expert's rules: their [0, 1]-game shape, what they look at, and whole matches."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.dealer.table.deals import Deals
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.opponents.expert import Style, plan, widths
from limpet.strategies.players.expert import Expert, percentiles, raise_of
from tests.protocol import walks

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")
SIX = load_game("holdem.nolimit.6p")
BOARD = parse_cards("Ks8h4d2c9s")
STYLE = Style()


def after(game: GameDef, betting: str, board: tuple[int, ...] = BOARD) -> State:
    return walks.after(game, betting, board)


def rows(state: State, style: Style = STYLE) -> Rows:
    return Expert(state.game, Expert.Options(style=style), Path(".")).start_hand(HandKey(0, 0, 0)).rows(state)


def choices(state: State, style: Style = STYLE) -> str:
    """The chosen action of each live hand, weakest first: f, c or r, runs of the same as one letter."""
    answer = rows(state, style)
    strength = percentiles(state.game, state.board)
    live = ~hand_space().blocked(state.board)
    order = np.argsort(strength[live], kind="stable")
    letters = np.array([action.kind for action in answer.actions])[answer.probabilities[:, live].argmax(axis=0)][order]
    return "".join(letter for number, letter in enumerate(letters) if not number or letter != letters[number - 1])


# --- the shape


def test_checked_to_on_the_river_the_best_bet_and_the_worst_bluff() -> None:
    assert choices(after(HUNL, "cc/cc/cc/c")) == "rcr"


def test_facing_a_bet_the_best_raise_the_next_call_and_the_best_of_the_rest_bluff() -> None:
    assert choices(after(HUNL, "cc/cc/cc/r300")) == "frcr"


def test_before_the_river_the_very_weakest_do_not_bluff() -> None:
    assert choices(after(HUNL, "cc/c")) == "crcr"
    assert choices(after(HUNL, "cc/cc/c")) == "crcr"


def test_before_the_flop_the_order_is_that_of_the_169_classes() -> None:
    state = after(SIX, "", ())
    assert choices(state) == "fcr"
    answer = rows(state)
    for number in range(169):
        columns = answer.probabilities[:, preflop_classes() == number]
        assert (columns == columns[:, :1]).all(), "a class plays as one hand"
    assert answer.column(hand_space().index(parse_cards("AsAh")))[-1] == 1
    assert answer.column(hand_space().index(parse_cards("7s2h")))[0] == 1


@pytest.mark.parametrize("betting", ["cc/cc/cc/c", "cc/cc/cc/r300", "r300c/r600", "cc/c", "r300r900"])
def test_without_bluffs_a_stronger_hand_never_does_less(betting: str) -> None:
    quiet = msgspec.convert(without_bluffs(msgspec.to_builtins(STYLE)), Style)
    state = after(HUNL, betting)
    answer = rows(state, quiet)
    level = np.arange(len(answer.actions)) @ answer.probabilities
    live = ~hand_space().blocked(state.board)
    order = np.argsort(percentiles(HUNL, state.board)[live], kind="stable")
    assert (np.diff(level[live][order]) >= 0).all()


def without_bluffs(values: dict[str, object]) -> dict[str, object]:
    return {
        key: without_bluffs(value) if isinstance(value, dict) else 0.0 if key in ("bluff", "bluff_raise") else value
        for key, value in values.items()
    }


# --- what it looks at


def test_a_larger_bet_is_called_less() -> None:
    small, large = (plan(STYLE, after(HUNL, f"cc/cc/cc/r{chips}")).goes_on for chips in (200, 2000))
    assert small > large


def test_aggression_narrows_ranges() -> None:
    calm, fierce = after(HUNL, "cc/cc/cc/c"), after(HUNL, "r300r900c/r2700c/cc/c")
    assert max(widths(STYLE, fierce)) < min(widths(STYLE, calm))
    assert plan(STYLE, fierce).raises < plan(STYLE, calm).raises


def test_memory_and_respect() -> None:
    state = after(HUNL, "r300c/r600c/r1800")
    forgets, remembers = (plan(Style(memory=memory), state).goes_on for memory in (0, 1))
    assert forgets > remembers
    raised = after(SIX, "r300")
    deaf, wary = (plan(Style(respect=respect), raised).goes_on for respect in (0, 1))
    assert deaf > wary


def test_more_players_behind_open_less() -> None:
    opens = [plan(STYLE, after(SIX, "f" * folds)).raises for folds in range(5)]
    assert opens == sorted(opens) and opens[0] < opens[-1] / 2


def test_more_opponents_take_a_better_hand() -> None:
    two, four = (plan(STYLE, after(SIX, betting)).raises_from for betting in ("ffffcc/", "fcccfc/"))
    assert four > two


def test_the_sizes_are_pot_fractions_and_end_all_in() -> None:
    state = after(HUNL, "cc/cc/cc/c")
    assert raise_of(state, 0.7, 1) == Action("r", 100 + 140)
    assert raise_of(after(HUNL, "r9000c/"), 0.7, 0.45) == Action("r", 20000), "most of the chips are in"
    assert raise_of(after(HUNL, "r20000"), 0.7, 0.45) is None
    short = GameDef.parse(str(SIX).replace("20000 20000 20000 20000 20000 20000", "20000 900 900 900 900 900"))
    assert raise_of(after(short, "ffff"), 5, 0.45) == Action("r", 900), "no more than can be called"


def test_players_all_in_are_called_or_left_alone() -> None:
    answer = rows(after(HUNL, "r20000"))
    assert answer.actions == (FOLD, CALL)


# --- whole matches


@pytest.mark.parametrize(
    "game_name", ["holdem.nolimit.2p.reverse_blinds", "holdem.nolimit.6p", "holdem.limit.3p", "leduc.limit.2p"]
)
def test_plays_whole_matches(game_name: str) -> None:
    game = load_game(game_name)
    agents = [Agent(Expert(game, Expert.Options(), Path(".")), seed) for seed in range(game.num_players)]
    deals = Deals(game, 5)
    kinds = set()
    for hand in range(8):
        deal = next(deals)
        state = State.start(game, deal.board[: game.board_sizes[0]])
        while not state.finished:
            holes = tuple(deal.holes[p] if p == state.actor else () for p in range(game.num_players))
            action = agents[state.actor].decide(MatchState(state.actor, hand, state, holes))
            kinds.add(action.kind)
            state = state.apply(action).with_board(deal.board)
    assert kinds == {"f", "c", "r"}


@pytest.mark.parametrize("players", [2, 5, 10])
@pytest.mark.parametrize("stack", [150, 1000, 10_000])
def test_any_number_of_players_and_any_depth(players: int, stack: int) -> None:
    blind = "50 100 " + "0 " * (players - 2)
    first = f"{3 if players > 2 else 1} 1 1 1"
    game = GameDef.parse(
        f"nolimit\nnumPlayers = {players}\nnumRounds = 4\nstack = {f'{stack} ' * players}\nblind = {blind}\n"
        f"firstPlayer = {first}\nnumSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 3 1 1\n"
    )
    bot = Expert(game, Expert.Options(), Path(".")).start_hand(HandKey(0, 0, 0))
    generator = np.random.default_rng(players + stack)
    for _ in range(5):
        state = State.start(game)
        while not state.finished:
            answer = bot.rows(state)
            assert all(state.is_legal(action) for action in answer.actions)
            assert answer.probabilities.sum(axis=0) == pytest.approx(1)
            state = state.apply(answer.actions[generator.integers(len(answer.actions))]).with_board(BOARD)
