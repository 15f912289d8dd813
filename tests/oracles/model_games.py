"""The textbook's model games, whose solutions are known exactly, and preflop jam-or-fold.

The first player of a half-street game may bet once, the second only call or fold. Values are net chips of player 0; the
books often count the pot instead, which is half the starting pot more.
Sources: von Neumann and Morgenstern 1944; Chen and Ankenman, The Mathematics of Poker, 2006.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.isomorphism import NUM_CLASSES, class_name, preflop_classes
from limpet.strategies.cards.preflop_matrix import class_matrix
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.holdem.solutions.spot import spot_root
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.menu import BetMenu
from tests.oracles.river_game import RiverSpot
from tests.oracles.type_game import Decision, Fold, Showdown, Strategy, TypeGame

ALL_IN = BetMenu(sizes=(((),),))


def half_street(pot: float, bet: float) -> Decision:
    """Player 0 checks or bets `bet` into `pot`; player 1 folds or calls."""
    call = Showdown(pot / 2 + bet)
    return Decision(0, {"check": Showdown(pot / 2), "bet": Decision(1, {"fold": Fold(1, pot / 2), "call": call})})


def clairvoyance(pot: float, bet: float, nuts: float) -> TypeGame:
    """Player 0 holds the nuts with probability `nuts`, else nothing, and knows it; player 1 beats only nothing.

    While nuts < (pot + bet) / (pot + 2 bet): bluffs are to value bets as bet to pot + bet, player 1 calls with
    probability pot / (pot + bet), and player 0 gets nuts · pot (pot + 2 bet) / (pot + bet) of the pot. Beyond that player
    0 always bets and gets it all.
    """
    return TypeGame(
        half_street(pot, bet),
        weights=np.array([[nuts], [1.0 - nuts]]),
        shares=np.array([[1.0], [-1.0]]),
        types=(("nuts", "air"), ("bluff-catcher",)),
    )


def ace_king_queen(pot: float, bet: float) -> TypeGame:
    """Each player has one card of A, K, Q.

    While bet < pot: aces bet, queens bluff with probability bet / (pot + bet), kings call with probability
    (pot - bet) / (pot + bet), and the game is worth that times bet / 6 to player 0. For larger bets it is worth nothing.
    """
    cards = np.arange(3)
    return TypeGame(
        half_street(pot, bet),
        weights=1.0 - np.eye(3),
        shares=np.sign(cards - cards[:, None]).astype(np.float64),
        types=("AKQ", "AKQ"),
    )


def unit_interval(bet: float, borders: Sequence[float] | NDArray[np.float64], pot: float = 2.0) -> TypeGame:
    """Both players draw a number from 0 to 1, the higher wins; they are told only between which `borders` it lies.

    Two numbers of one cell win equally often, so the cell is a tie, and that is no approximation: the game with cells is
    the continuous one seen through them. With ante 1 each (pot 2) player 0 bluffs below bet / d and bets for value above
    (bet² + 4 bet + 2) / d, player 1 calls above bet (bet + 3) / d, and the value is bet / d, where d = (bet + 1)
    (bet + 4). If these thresholds are borders, that equilibrium can be played with cells, no deviation wins more than it
    did without, and the value is the same: for a bet of 2, nine equal cells are exact. Which hands are to call is pinned
    down only as far as a hand of the first player near a threshold tells: narrow cells beside the thresholds do it.

    Raises `ValueError` unless the borders ascend from 0 to 1.
    """
    cuts = np.asarray(borders, np.float64)
    widths = np.diff(cuts)
    if len(cuts) < 2 or cuts[0] != 0.0 or cuts[-1] != 1.0 or not (widths > 0.0).all():
        raise ValueError("borders must ascend from 0 to 1, as in numpy.linspace(0, 1, 10)")
    cells = np.arange(len(widths))
    names = tuple(f"{low:.6g}-{high:.6g}" for low, high in pairwise(cuts))
    return TypeGame(
        half_street(pot, bet),
        weights=np.outer(widths, widths),
        shares=np.sign(cells[:, None] - cells).astype(np.float64),
        types=(names, names),
    )


def clairvoyant_river(nuts: float, bet: int) -> RiverSpot:
    """`clairvoyance` with 52 cards: KsKhKdKc2s, pot 100, `bet` chips behind, AcAd or 4c3c against QcQd.

    Position 0 holds AcAd with probability `nuts`. Position 1 may bet after a check, but gains nothing by it.
    """
    board = parse_cards("KsKhKdKc2s")
    first = nuts * parse_range("AcAd").astype(np.float64) + (1.0 - nuts) * parse_range("4c3c").astype(np.float64)
    tree = build_tree(spot_root(board, pot=100, stack=bet, big_blind=2), ALL_IN)
    return RiverSpot(tree, board, (first, parse_range("QcQd").astype(np.float64)))


def jam_fold(stack: float) -> TypeGame:
    """Heads-up hold'em before the flop with `stack` big blinds, where the small blind (player 0) jams or folds.

    Chips are big blinds, types the 169 classes of hands, weights the numbers of disjoint pairs of hands of two classes.
    Classes lose nothing: all hands of a class have the same equity against all hands of another, averaged over suits,
    and neither player learns anything but their own hand. Raises `ValueError` for a stack below the big blind.
    """
    if stack < 1.0:
        raise ValueError(f"a stack of {stack:g} big blinds does not cover the blind; use 1 or more")
    matrix = class_matrix()
    jam = Decision(1, {"fold": Fold(1, 1.0), "call": Showdown(stack)})
    names = tuple(class_name(number) for number in range(NUM_CLASSES))
    return TypeGame(
        Decision(0, {"fold": Fold(0, 0.5), "jam": jam}),
        weights=matrix.pairs.astype(np.float64),
        shares=2.0 * matrix.equities - 1.0,
        types=(names, names),
    )


def jam_fold_shares(strategy: Strategy) -> tuple[float, float]:
    """(jammed, called): shares of the 1,326 hands, 0 to 1, that a strategy of `jam_fold` jams and calls with."""
    hands = np.bincount(preflop_classes(), minlength=NUM_CLASSES) / len(preflop_classes())
    return float(hands @ strategy[0][1]), float(hands @ strategy[2][1])
