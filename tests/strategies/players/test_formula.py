"""Strengths against plain enumeration, and the decisions that follow from them."""

from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import rank
from limpet.protocol.state import CALL, RAISE, State, raise_to
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.equity import expected_strengths
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.players import formula as formula_strength
from limpet.strategies.players.formula import Formula, quick, strengths

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")
KEY = HandKey(0, 0, 0)


def plain_strength(game: GameDef, hand: tuple[int, ...], board: tuple[int, ...]) -> float:
    """The definition, card by card."""
    points = pairs = 0.0
    rest = [card for card in game.deck if card not in hand + board]
    for other in combinations(rest, len(hand)):
        left = [card for card in rest if card not in other]
        for more in combinations(left, game.board_sizes[-1] - len(board)):
            mine, theirs = rank(hand + board + more), rank(other + board + more)
            points += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
            pairs += 1
    return points / pairs


def small_deck(holes: int, ranks: int) -> GameDef:
    return GameDef.parse(
        "limit\nnumPlayers = 2\nnumRounds = 2\nblind = 1 1\nraiseSize = 2 4\nnumSuits = 4\n"
        f"numRanks = {ranks}\nnumHoleCards = {holes}\nnumBoardCards = 0 2\n"
    )


@pytest.mark.parametrize(
    ("game", "board_size"),
    [
        (load_game("kuhn.limit.2p"), 0),
        (load_game("kuhn.limit.3p"), 0),
        (load_game("leduc.limit.2p"), 0),
        (load_game("leduc.limit.2p"), 1),
        (small_deck(2, 3), 0),
        (small_deck(2, 3), 2),
        (small_deck(3, 3), 2),
    ],
)
def test_small_decks_are_exact(game: GameDef, board_size: int) -> None:
    board = game.deck[1 : 1 + board_size]
    space = hand_space(tuple(sorted(game.deck)), game.num_hole_cards)
    found = strengths(game, board)
    for index in range(space.size):
        hand = space.cards(index)
        expected = 0.0 if set(hand) & set(board) else plain_strength(game, hand, board)
        assert found[index] == pytest.approx(expected, abs=1e-12)


def test_hold_em_flops_agree_with_the_kernel_on_every_suit_pattern() -> None:
    rng = Random(5)
    flops = [parse_cards(text) for text in ("2c3c4c", "AsAhAd", "KhQh7c", "9d9s2d")]
    flops += [tuple(rng.sample(range(52), 3)) for _ in range(6)]
    for flop in flops:
        np.testing.assert_array_equal(strengths(HUNL, flop), expected_strengths(flop))


def test_hold_em_preflop_is_the_published_equity() -> None:
    assert strengths(HUNL, ())[hand_space().index(parse_cards("AsAd"))] == pytest.approx(0.852, abs=5e-4)


def test_sampling_stands_in_for_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    game = small_deck(2, 5)
    exact = strengths(game, ()).copy()
    monkeypatch.setattr(formula_strength, "EXACT_WORK", 0)
    formula_strength._any_game.cache_clear()
    try:
        sampled = strengths(game, ())
    finally:
        formula_strength._any_game.cache_clear()
    # It leaves out the hand's own cards' effect on the opponent's, and 190 boards are few enough to take all.
    assert np.abs(sampled - exact).max() < 0.05
    assert np.corrcoef(sampled, exact)[0, 1] > 0.99


def test_three_hole_cards_of_a_full_deck_can_be_played() -> None:
    game = GameDef.parse(
        "nolimit\nnumPlayers = 2\nnumRounds = 2\nstack = 200 200\nblind = 1 2\nnumSuits = 4\nnumRanks = 13\n"
        "numHoleCards = 3\nnumBoardCards = 0 3\n"
    )
    space = hand_space(tuple(range(52)), 3)
    board = parse_cards("AcKc2d")
    found = strengths(game, board)
    best, worst = space.index(parse_cards("QcJcTc")), space.index(parse_cards("3h4s7d"))
    assert found[best] == 1.0 and found[worst] < 0.2
    assert (found[space.blocked(board)] == 0).all()
    assert not quick(game, board)


def formula(game: GameDef = HUNL, **options: object) -> Formula:
    return Formula(game, msgspec.convert(options, Formula.Options), Path("."))


def river(*bets: int) -> State:
    board = parse_cards("2c7dTsKh4c")
    state = State.start(HUNL)
    for _ in range(6):
        state = state.apply(CALL)
    state = state.with_board(board)
    for chips in bets:
        state = state.apply(raise_to(chips)).with_board(board)
    return state


def column(player: Formula, state: State, hand: str) -> dict[str, float]:
    rows = player.start_hand(KEY).rows(state)
    values = rows.column(hand_space().index(parse_cards(hand)))
    return {action.kind: float(p) for action, p in zip(rows.actions, values, strict=True)}


def test_the_nuts_bet_and_raise_and_air_folds_to_a_bet() -> None:
    player = formula(bluff=0)
    assert column(player, river(), "KsKd") == {"c": 0.0, "r": 1.0}
    assert column(player, river(300), "KsKd") == {"f": 0.0, "c": 0.0, "r": 1.0}
    assert column(player, river(), "3h5d") == {"c": 1.0, "r": 0.0}
    assert column(player, river(300), "3h5d") == {"f": 1.0, "c": 0.0, "r": 0.0}


def test_calling_follows_the_pot_odds() -> None:
    # caution 0: a bet of b into a pot of 200 is called with a strength of at least b / (200 + 2 b).
    options: dict[str, Any] = {"bluff": 0, "caution": 0, "raise": 1}
    player = formula(**options)
    found = strengths(HUNL, river().board)
    live = ~hand_space().blocked(river().board)
    for bet in (100, 200, 2000):
        rows = player.start_hand(KEY).rows(river(100 + bet))
        called = rows.probabilities[1] + rows.probabilities[2]
        np.testing.assert_array_equal(called[live] > 0, (found >= bet / (200 + 2 * bet))[live])


def test_raises_make_it_wary() -> None:
    player = formula(bluff=0)
    calling = [player.start_hand(KEY).rows(state).probabilities[1:].sum() for state in (river(300), river(300, 900))]
    assert calling[1] < calling[0]


def test_bluffs_are_the_weakest_hands() -> None:
    player = formula(bluff=0.1, bluff_share=0.25)
    found = strengths(HUNL, river().board)
    raises = player.start_hand(KEY).rows(river()).probabilities[-1]
    live = ~hand_space().blocked(river().board)
    bluffing = live & (raises > 0) & (raises < 1)
    assert raises[bluffing] == pytest.approx(0.1)
    assert bluffing.sum() / live.sum() == pytest.approx(0.25, abs=0.03)
    assert found[bluffing].max() <= found[live & (raises == 0)].min()


def test_thresholds_stand_for_a_fair_share_whatever_the_number_of_players() -> None:
    kuhn = load_game("kuhn.limit.3p")
    rows = formula(kuhn, bluff=0).start_hand(KEY).rows(State.start(kuhn))
    assert rows.actions == (CALL, RAISE)
    # Jack to ace: chances of 0, 1/3, 2/3 and 1 against one are squared; the bar is 0.65 * 2 / 3.
    assert rows.probabilities[1].tolist() == [0.0, 0.0, 1.0, 1.0]
