"""What everybody wins: side pots, folded money, fractional ties, and the text of the amounts."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import read_log_state
from limpet.protocol.ranking import rank_hands
from limpet.protocol.settlement import chips_text, may_vanish, settle, settle_ranks
from limpet.protocol.situation import holdem
from limpet.protocol.state import FOLD, State
from tests.conftest import VECTORS
from tests.protocol.walks import play, positions, random_deal

SHIPPED = Path(__file__).parents[2] / "configs" / "games"
UNEVEN = GameDef.load(VECTORS / "nolimit.3p.uneven_stacks.game")


def values(line: str, game: GameDef) -> tuple[float, ...]:
    _, state, holes, _, _ = read_log_state(line, game)
    return settle(state, holes)


def exact(spent: Sequence[int], folded: int, ranks: Sequence[int]) -> list[Fraction]:
    """The plain twin, chip by chip: the n-th chip of everybody who paid it goes to the best hands among them.

    The last player who has not folded wins all chips, also those that it did not match itself: a limit raise from a short
    stack lowers the bet, and whoever paid more than that may fold. At a showdown nobody wins such chips.
    """
    won = [Fraction(-chips) for chips in spent]
    if len(spent) - folded.bit_count() == 1:
        return [w if folded >> p & 1 else w + sum(spent) for p, w in enumerate(won)]
    for chip in range(1, max(spent) + 1):
        payers = [p for p, chips in enumerate(spent) if chips >= chip]
        able = [p for p in payers if not folded >> p & 1]
        if not able:
            continue
        best = max(ranks[p] for p in able)
        winners = [p for p in able if ranks[p] == best]
        for p in winners:
            won[p] += Fraction(len(payers), len(winners))
    return won


@pytest.mark.parametrize(
    ("spent", "folded", "ranks", "won"),
    [
        ((100, 50), 0b10, (), (50, -50)),
        ((100, 50), 0b01, (), (-100, 100)),
        ((0, 10, 10), 0b101, (), (0, 10, -10)),
        ((1, 2), 0b10, (), (2, -2)),  # a limit raise from a short stack lowered the bet, and the larger one folded
        ((5, 12, 3), 0b110, (), (15, -12, -3)),
        ((5, 12, 5), 0b010, (2, 9, 1), (10, -12, -5)),  # nobody who shows has paid the chips from 6 to 12
        ((300, 300), 0, (2, 1), (300, -300)),
        ((300, 300), 0, (7, 7), (0, 0)),
        ((300, 100), 0, (1, 2), (-100, 100)),  # the rest of the larger bet comes back
        ((5, 5, 5), 0b001, (9, 4, 4), (-5, 2.5, 2.5)),
        ((1, 1, 1), 0, (3, 3, 3), (0, 0, 0)),
        ((1, 1, 1), 0, (3, 3, 1), (0.5, 0.5, -1)),
        ((100, 200, 300), 0, (3, 2, 1), (200, 0, -200)),  # main pot 300, side pot 200, 100 returned
        ((100, 200, 300), 0, (1, 2, 3), (-100, -200, 300)),
        ((100, 200, 300), 0, (2, 2, 1), (50, 150, -200)),
        ((100, 200, 300), 0, (3, 1, 1), (200, -100, -100)),
        ((400, 16471, 100), 0b100, (9, 1, 5), (500, -400, -100)),
        ((10, 10, 10, 10), 0b0001, (0, 5, 5, 5), (-10, 10 / 3, 10 / 3, 10 / 3)),
        ((100, 50, 100), 0b010, (1, 9, 1), (25, -50, 25)),  # folded money below the others' level
        ((0, 0), 0, (1, 2), (0, 0)),  # no blinds, nobody bet
    ],
)
def test_side_pots(spent: tuple[int, ...], folded: int, ranks: tuple[int, ...], won: tuple[float, ...]) -> None:
    assert settle_ranks(spent, folded, ranks) == pytest.approx(won, abs=1e-12)


def test_the_reference_returns_an_uncalled_bet_through_a_side_pot() -> None:
    # Position 0 bets 16471, position 1 calls all in with 400, position 2 folds its 100.
    board = "/2c7d9h/Js/3d"
    assert values(f"STATE:0:cr16471cf///:AsAd|KsKd|4c5h{board}", UNEVEN) == (500.0, -400.0, -100.0)
    assert values(f"STATE:0:cr16471cf///:KsKd|AsAd|4c5h{board}", UNEVEN) == (-400.0, 500.0, -100.0)
    assert values(f"STATE:0:cr16471cf///:AsKd|AdKs|4c5h{board}", UNEVEN) == (50.0, 50.0, -100.0)


def test_ties_split_as_fractions() -> None:
    game = GameDef.parse(
        "nolimit\nnumPlayers=3\nnumRounds=4\nstack=5 5 5\nblind=5 0 0\nfirstPlayer=2\n"
        "numSuits=4\nnumRanks=13\nnumHoleCards=2\nnumBoardCards=0 3 1 1\n"
    )
    # There is no odd-chip rule: casino rules would give 3 and 2.
    assert values("STATE:0:cc///:2c3c|AsKd|AdKs/2h7d9h/Js/3d", game) == (10.0, -5.0, -5.0)
    assert values("STATE:0:cc///:2c4c|AsKd|AdKs/Qh7d9h/Js/3d", game) == (-5.0, 2.5, 2.5)


def test_nothing_is_shown_when_all_but_one_fold() -> None:
    game = GameDef.load(SHIPPED / "holdem.nolimit.2p.reverse_blinds.game")
    assert settle(State.start(game).apply(FOLD), ((), ())) == (50.0, -50.0)


def test_a_hand_that_is_not_over_has_no_value() -> None:
    game = GameDef.load(SHIPPED / "kuhn.limit.2p.game")
    with pytest.raises(ValueError, match="not over"):
        settle(State.start(game), ((43,), (47,)))


@given(
    st.integers(2, 10).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(0, 12), min_size=n, max_size=n),
            st.integers(0, 2**n - 1),
            st.lists(st.integers(0, 4), min_size=n, max_size=n),
        )
    )
)
def test_agrees_with_counting_single_chips(case: tuple[list[int], int, list[int]]) -> None:
    spent, folded, ranks = case
    if folded == 2 ** len(spent) - 1:  # somebody is left
        folded &= folded - 1
    won = settle_ranks(spent, folded, ranks)
    assert won == pytest.approx([float(value) for value in exact(spent, folded, ranks)], abs=1e-9)
    matched = max(chips for p, chips in enumerate(spent) if not folded >> p & 1)
    unmatched = sum(max(0, chips - matched) for chips in spent) if len(spent) - folded.bit_count() > 1 else 0
    assert sum(won) == pytest.approx(-unmatched, abs=1e-9)


@given(positions())
def test_random_hands_agree_with_counting_single_chips(position: tuple[State, tuple[tuple[int, ...], ...]]) -> None:
    state, holes = position
    if not state.finished or max(state.spent) > 5000:
        return
    ranks = rank_hands(holes, state.board) if state.showdown else [0] * state.game.num_players
    assert settle(state, holes) == pytest.approx([float(v) for v in exact(state.spent, state.folded, ranks)], abs=1e-9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (20000.0, "20000"),
        (-100.0, "-100"),
        (2.5, "2.5"),
        (-2.5, "-2.5"),
        (1 / 3, "0.333333"),
        (2 / 3, "0.666667"),
        (-200 / 3, "-66.666667"),
        (10.10, "10.1"),
        (1e6, "1000000"),
        (0.9999999, "1"),
        (100.0000001, "100"),
    ],
)
def test_chips_are_printed_with_six_decimals_and_no_tail(value: float, text: str) -> None:
    assert chips_text(value) == text


@given(st.lists(st.sampled_from([15, 30, 45, 300]), min_size=2, max_size=4), st.binary(max_size=60), st.booleans())
def test_chips_vanish_only_where_a_game_is_warned_of(stack: list[int], actions: bytes, limit: bool) -> None:
    blind = (10, 5) if len(stack) == 2 else (5, 10, 0, 0)[: len(stack)]
    game = holdem(tuple(stack), blind, (10, 10, 20, 20) if limit else ())
    holes, board = random_deal(game, 1)
    lost = -sum(settle(play(game, actions + b"\0" * 200, board), holes))
    assert lost < 1e-9 or (may_vanish(game) and lost >= 1)


def test_shorter_stacks_than_the_bets_reach_make_chips_vanish() -> None:
    sizes = (10, 10, 20, 20)
    assert may_vanish(holdem((300, 15, 300), (5, 10, 0), sizes)) and not may_vanish(
        holdem((300, 300, 300), (5, 10, 0), sizes)
    )
    assert not may_vanish(holdem((15, 300), (10, 5), sizes)), "whoever folds against one player loses to that one"
    assert (
        may_vanish(holdem((279, 299, 299), (5, 10, 0), sizes))
        is False
        is may_vanish(holdem((15, 300, 300), (5, 10, 0)))
    )
    assert may_vanish(holdem((239, 299, 299), (5, 10, 0), sizes))
    game = holdem((30, 200, 15), (5, 10, 0), sizes)
    assert may_vanish(game)
