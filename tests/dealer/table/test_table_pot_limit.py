"""Pot-limit at the table without draws: hold'em, Omaha, and four hole cards with hold'em's showdown."""

import random
import zlib
from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.messages import MatchState
from limpet.protocol.ranking import rank
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, State
from tests.dealer.helpers import Sitting, terms

TEXT = str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("nolimit", "betting = potlimit")
HOLDEM = GameDef.parse(TEXT)
FOUR_CARDS = GameDef.parse(TEXT.replace("numHoleCards = 2", "numHoleCards = 4"))
THREE_PLAYERS = GameDef.parse(
    str(load_game("holdem.nolimit.3p"))
    .replace("nolimit", "betting = potlimit")
    .replace("HoleCards = 2", "HoleCards = 4")
)
OMAHA = load_game("omaha-pl-hu")
GAMES = {"hold'em": HOLDEM, "four cards": FOUR_CARDS, "four cards, three players": THREE_PLAYERS, "omaha": OMAHA}


def choose(match: MatchState) -> str:
    """A player that often asks for more than the pot."""
    rng = random.Random(zlib.crc32(str(match).encode()))
    return rng.choice(["c", "c", "c", "f" if rng.random() < 0.2 else "c", f"r{rng.randint(1, 30_000)}", "r30000"])


@pytest.fixture(scope="module", params=sorted(GAMES))
def played(request: pytest.FixtureRequest) -> list[HandRecord]:
    game = GAMES[request.param]
    sitting = Sitting(terms(game, 200))
    sitting.play(choose)
    records = [read_entry(line, game, "log") for line in sitting.log if line.startswith("STATE:")]
    assert len(records) == 200
    return [record for record in records if isinstance(record, HandRecord)]


def test_no_raise_is_above_the_pot(played: list[HandRecord]) -> None:
    biggest = 0
    for record in played:
        for state, after in pairwise(record.state.path()):
            if after.action is None or after.action.kind != "r":
                continue
            called = max(state.spent)
            pot = sum(state.spent) + called - state.spent[state.actor]
            assert after.action.size <= called + pot
            biggest += after.action.size == called + pot
    assert biggest > 50


def fives(record: HandRecord, hole: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield all fives of which the best counts: of all cards, or in Omaha of two hole cards and three of the board."""
    board = record.state.board
    if record.state.game == OMAHA:
        yield from (own + common for own in combinations(hole, 2) for common in combinations(board, 3))
    else:
        yield from combinations((*hole, *board), 5)


def test_showdowns_are_won_by_the_best_five_that_count(played: list[HandRecord]) -> None:
    shown = [record for record in played if record.state.showdown]
    for record in shown:
        ranks = [max(map(rank, fives(record, hole))) for hole in record.holes]
        live = [p for p in range(len(ranks)) if not record.state.has_folded(p)]
        best = max(ranks[p] for p in live)
        if len({record.state.spent[p] for p in live}) == 1:  # no side pots
            assert {p for p in live if record.values[p] > 0} <= {p for p in live if ranks[p] == best}
        assert sum(record.values) == pytest.approx(0)
    assert len(shown) > 20


@pytest.mark.parametrize(("game", "values"), [(FOUR_CARDS, (100, -100)), (OMAHA, (-100, 100))])
def test_the_definition_says_how_many_hole_cards_count(game: GameDef, values: tuple[int, int]) -> None:
    """In Omaha the flush of four spades on the board and one in the hand is none, and three kings win."""
    state = State.start(game)
    while not state.finished:
        state = state.apply(CALL)
    state = state.with_board(parse_cards("2s5s9sJsKd"))
    holes = parse_cards("As3c4d8h"), parse_cards("KhKc7d6h")
    assert settle(state, holes) == values
