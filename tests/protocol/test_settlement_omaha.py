"""Games in which exactly some hole cards count: the definition's key, and showdowns against plain rankings."""

import random
from itertools import combinations

import pytest
from phevaluator.evaluator_omaha import evaluate_omaha_cards

from limpet.configs.loading import load_game
from limpet.protocol.cards import CARD_TEXT, parse_cards
from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import other_than_holdem
from limpet.protocol.ranking import describe, rank, rank_hands, shown_cards
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, State
from tests.oracles.draw_client import strength

OMAHA = load_game("omaha-pl-hu")
TEXT = str(OMAHA)


def plain(hole: tuple[int, ...], board: tuple[int, ...]) -> tuple[int, list[int]]:
    """Return the strength of the best of all 60 hands, by a ranking of five cards that is no code of Limpet's."""
    fives = [own + common for own in combinations(hole, 2) for common in combinations(board, 3)]
    assert len(fives) == 60
    return max(strength([CARD_TEXT[card] for card in five]) for five in fives)


def test_showdowns_are_those_of_two_plain_rankings() -> None:
    rng, ties = random.Random(7), 0
    for deal in range(150):
        # Decks of few ranks have more full houses, straights and ties.
        cards = rng.sample(OMAHA.deck[:: 1 + deal % 2], 13)
        board, holes = tuple(cards[:5]), (tuple(cards[5:9]), tuple(cards[9:]))
        first, second = rank_hands(holes, board, 2)
        plains = [plain(hole, board) for hole in holes]
        assert ((first > second) - (first < second)) == (plains[0] > plains[1]) - (plains[0] < plains[1])
        low = [evaluate_omaha_cards(*(CARD_TEXT[card] for card in board + hole)) for hole in holes]
        assert ((first > second) - (first < second)) == (low[0] < low[1]) - (low[0] > low[1])
        ties += first == second
        for hole, made in zip(holes, (first, second), strict=True):
            five = shown_cards(hole, board, 2)
            assert rank(five) == made and len(set(five) & set(hole)) == 2 and len(set(five)) == 5
    assert ties


@pytest.mark.parametrize(
    ("hole", "board", "name"),
    [
        ("As3c4d8h", "2s5s9sJsKd", "high card Ace"),  # one spade makes no flush
        ("AsAhAcAd", "KsQs7h7d2c", "two pair, Aces and Sevens"),  # and two aces are the most
        ("2c3d4h5s", "AsKsQsJsTs", "high card Ace"),
        ("QhJh9s8d", "KhTh7h2h3h", "a flush, King high"),  # no straight of four hole cards
    ],
)
def test_what_a_hand_is(hole: str, board: str, name: str) -> None:
    assert describe(shown_cards(parse_cards(hole), parse_cards(board), 2)) == name


def test_the_pot_goes_to_the_best_hand_of_exactly_two_hole_cards() -> None:
    """With any cards of its own the first hand would make a flush of four spades on the board, and win."""
    state = State.start(OMAHA)
    while not state.finished:
        state = state.apply(CALL)
    state = state.with_board(parse_cards("2s5s9sJsKd"))
    values = settle(state, (parse_cards("As3c4d8h"), parse_cards("KhQd7c6h")))
    assert values[0] == -values[1] == -float(state.spent[0])


def test_cards_that_appear_twice_are_refused() -> None:
    with pytest.raises(ValueError, match="appears twice"):
        rank_hands([[1, 2, 3, 4]], [4, 5, 6, 7, 8], 2)


def test_the_definition_comes_back_and_is_a_game_of_its_own() -> None:
    assert OMAHA.hole_cards_used == 2 and GameDef.parse(TEXT) == OMAHA
    without = GameDef.parse(TEXT.replace("holeCardsUsed = 2\n", ""))
    assert without.hole_cards_used == 0 and without != OMAHA and without.rules_hash != OMAHA.rules_hash
    assert "holeCardsUsed" not in str(without)
    no_limit = GameDef.parse(TEXT.replace("betting = potlimit", "nolimit"))
    assert "exactly 2 of 4" in str(other_than_holdem(no_limit))


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("Used = 2", "Used = 4", ("holeCardsUsed: 4 is not from 2 to 3",)),
        ("Used = 2", "Used = 1", ("1 is not from 2 to 3",)),
        ("Used = 2", "Used = x", ("no number here",)),
        ("HoleCards = 4", "HoleCards = 2", ("a player holds 2", "leave the line out")),
        ("0 3 1 1", "0 1 1 0", ("a board of 2", "deal more to the board")),
    ],
)
def test_definitions_that_make_no_five_are_refused(old: str, new: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(GameDefError) as error:
        GameDef.parse(TEXT.replace(old, new), "test.game")
    assert all(part in str(error.value) for part in parts)
