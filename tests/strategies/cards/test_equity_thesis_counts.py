"""Numbers of hands, boards and bets that Kebrle's thesis (2016) works out, and what is right where it errs."""

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.cards.equity import versus_range
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_name, preflop_classes
from limpet.strategies.cards.ranking_kernels import hand_strengths
from tests.oracles.hand_equity import hand_vs_hand

TEN_TWENTY = """GAMEDEF
nolimit
numPlayers = 2
numRounds = 2
stack = 520 520
blind = 20 10
firstPlayer = 2 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3
END GAMEDEF
"""


def test_2_8_1_hands_and_matchups() -> None:
    space = hand_space()
    opponents = [int((~space.blocked(space.cards(index))).sum()) for index in (0, 700, 1325)]
    assert space.size == 1326 and opponents == [1225, 1225, 1225]
    assert space.compatible(np.ones(1326)).sum() / 2 == 812_175


def test_2_8_1_pairs_suited_and_offsuit() -> None:
    names = [class_name(number) for number in range(169)]
    combos = np.bincount(preflop_classes(), minlength=169)
    assert len(set(names)) == 169
    ways = {kind: {int(combos[n]) for n in range(169) if names[n][2:] == kind} for kind in ("", "s", "o")}
    assert ways == {"": {6}, "s": {4}, "o": {12}}
    counts = {kind: sum(int(combos[n]) for n in range(169) if names[n][2:] == kind) for kind in ("", "s", "o")}
    assert counts == {"": 78, "s": 312, "o": 936}


def test_2_8_boards_after_two_hands() -> None:
    """17,296 flops. The thesis's 55,500,975 turns are 778,320, and its rivers 34,246,080 in order, 1,712,304 as sets."""
    one, two, flop = (parse_cards(text) for text in ("AsAh", "KdKc", "Qh6h7s"))
    boards, run_outs = sum(hand_vs_hand(one, two)), sum(hand_vs_hand(one, two, flop))
    assert (boards, run_outs) == (1_712_304, 990)
    flops = boards * 10 // run_outs  # each set of five cards holds ten flops
    assert (flops, flops * 45, boards * 20) == (17_296, 778_320, 34_246_080)


def test_3_3_bets_from_20_to_500() -> None:
    """The thesis counts 480 sizes; both ends are legal, which makes 481."""
    flop = State.start(GameDef.parse(TEN_TWENTY)).apply(CALL).apply(CALL).with_board(parse_cards("Qh6h7s"))
    bets = [chips for chips in range(600) if flop.is_legal(raise_to(flop.max_spent + chips))]
    assert bets == list(range(20, 501)) and len(bets) == 481


@pytest.mark.parametrize(("board", "hands"), [("Qh6h7s", 1176), ("Qh6h7s2c", 1128), ("Qh6h7s2cJd", 1081)])
def test_7_3_hands_on_each_street(board: str, hands: int) -> None:
    assert (~hand_space().blocked(parse_cards(board))).sum() == hands


def test_7_3_3_run_outs_of_a_hand() -> None:
    """1,081 turns and rivers after a flop and a hand, 46 rivers after a turn, and 990 opponents on each."""
    everybody = np.ones(1326, dtype=np.float32)
    own = hand_space().index(parse_cards("6s6c"))
    for board, run_outs in (("Qh6h7s", 1081), ("Qh6h7s2c", 46), ("Qh6h7s2cJd", 1)):
        assert versus_range(everybody, parse_cards(board)).total[own] == run_outs * 990


def test_7_3_2_wins_ties_and_losses() -> None:
    board, own = parse_cards("2hTsKh6s5d"), parse_cards("JcTc")
    ranks = hand_strengths(np.array(board, np.int8), hand_space().holes)
    mine, theirs = ranks[hand_space().index(own)], ranks[~hand_space().blocked((*board, *own))]
    assert ((theirs < mine).sum(), (theirs == mine).sum(), (theirs > mine).sum()) == (753, 6, 231)
