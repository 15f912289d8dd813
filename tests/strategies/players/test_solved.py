"""The solved player: in the spot it plays the solution's rows, suits renamed and bets translated; elsewhere a stand-in."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import find_config, load_game, load_yaml
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deal, Deals
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import BotConfig
from limpet.strategies.base.strategy import HandKey, Strategy
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import hand_permutation
from limpet.strategies.holdem.solutions.solution_file import SolutionFile, export_solution, in_spot
from limpet.strategies.holdem.solutions.solve import prepare
from limpet.strategies.holdem.solutions.spot import Spot
from limpet.strategies.players.formula import Formula
from limpet.strategies.players.simple import Call
from limpet.strategies.players.solved import SolvedPlayer
from tests.protocol.walks import after

GAME = GameDef.parse(
    "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 4\nstack = 1000 1000\nblind = 100 50\nfirstPlayer = 2 1 1 1\n"
    "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 3 1 1\nEND GAMEDEF\n"
)
SPOT = Spot(
    board="KsTh7s4d",
    pot=2,
    stack=9,
    ranges=("22+,A2s+,A2o+,K2s+,Q2s+", "random"),
    chip=0.25,  # other chips than the game's
    menu=BetMenu(sizes=(((0.5, 1.0), (1.0,)),), raise_cap=2),
    iterations=12,
    target=0,
    threads=1,
)
KEY = HandKey(3, 5, 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("solution") / "s"
    solve = prepare(SPOT)
    solve.run()
    export_solution(folder, solve)
    return folder


def player(folder: Path, game: GameDef = GAME, **options: Any) -> SolvedPlayer:
    return SolvedPlayer(game, SolvedPlayer.Options(**{"solution": f"{folder}/", **options}), folder)


def played(text: str, board: str = "KsTh7s4d2c", game: GameDef = GAME) -> State:
    """A state after ``c c / c c / r200 ...``, with its board."""
    return after(game, text, parse_cards(board))


TO_TURN = "c c / c c /"


def test_the_start_of_the_spot_is_the_solutions(folder: Path) -> None:
    solved = player(folder)
    state = played(TO_TURN)
    rows = solved.start_hand(KEY).rows(state)
    file = SolutionFile.open(folder)
    wanted = file.rows(0, SPOT.cards)
    # The stand-in bets 3/4 of the pot, so that its hands add an action.
    assert rows.actions == (CALL, raise_to(200), raise_to(250), raise_to(300), raise_to(1000))
    held = SPOT.weights[0] > 0
    assert np.array_equal(rows.probabilities[[0, 1, 3, 4]][:, held], wanted[:, held])
    assert not rows.probabilities[2, held].any()
    assert rows.missed is not None and rows.missed.tolist() == (~held).tolist()
    live = ~hand_space().blocked(state.board)
    assert rows.probabilities[:, live].sum(axis=0) == pytest.approx(1)
    # A hand outside its range is played by the stand-in.
    formula = Formula(GAME, Formula.Options(), folder).rows(state).dense(~live)
    outside = live & ~held
    assert rows.probabilities[0, outside] == pytest.approx(formula[0, outside])
    assert solved.report() == {"in_spot": 1, "outside": 0}
    with pytest.raises(ValueError, match="holds a card of the board"):
        rows.class_of(hand_space().index(parse_cards("KsQh")))


@pytest.mark.parametrize(
    ("board", "suits", "become"),
    [
        ("KsTh7s4d2c", "cdhs", "cdhs"),
        ("7s4dThKs2c", "cdhs", "cdhs"),  # what came first does not matter
        ("KdTc7d4h2s", "dchs", "shdc"),
        ("7dTcKd4h2s", "dchs", "shdc"),
    ],
)
def test_suits_may_be_others(folder: Path, board: str, suits: str, become: str) -> None:
    """One suit permutation turns each board into the spot's: the hand that becomes another is played like it."""
    solved = player(folder, otherwise="call")
    rows = solved.start_hand(KEY).rows(played(TO_TURN, board))
    wanted = solved.files[0].rows(0, SPOT.cards)
    renamed = dict(zip(suits, become, strict=True))
    compared = 0
    for hand in ("AcAs", "5d5c", "QhJh", "Qs2s", "Ac3c", "Ah3h", "6s6h"):
        index = hand_space().index(parse_cards(hand))
        turned = "".join(hand[i] + renamed[hand[i + 1]] for i in (0, 2))
        target = wanted[:, hand_space().index(parse_cards(turned))]
        assert rows.missed is not None and rows.missed[index] == (not target.any())
        if target.any():
            compared += 1
            assert np.array_equal(rows.column(index), target)
    assert compared >= 5


def test_it_follows_the_hand_to_the_river(folder: Path) -> None:
    solved = player(folder, otherwise="call")
    # A bet of half the pot of 200 is called, then the river, check, a bet of half the pot of 400.
    state = played(TO_TURN + " c r200 c / c r400", "KdTc7d4h2s")
    hand = solved.start_hand(KEY)
    rows = hand.rows(state)
    tree, node = SPOT.tree, 0
    for action in (CALL, raise_to(8), CALL, CALL, raise_to(16)):  # in the spot's chips of a quarter blind
        node = tree.child(node, tree.actions(node).index(action))
    river = (*SPOT.cards, *parse_cards("2c"))
    found = in_spot(SPOT, state)
    assert found is not None and found.chips == 25
    wanted = solved.files[0].rows(node, river)[:, hand_permutation(found.suits)]
    assert rows.missed is not None
    answered = np.flatnonzero(~rows.missed)
    assert len(answered) > 20 and rows.actions[:2] == (FOLD, CALL)
    assert np.array_equal(rows.probabilities[:, answered], wanted[:, answered])
    # Asked at once, without the states before, it says the same.
    assert np.array_equal(solved.start_hand(KEY).rows(state).probabilities, rows.probabilities)


def test_off_tree_bets_are_translated_by_the_coin(folder: Path) -> None:
    """A bet of 3/4 of the pot counts as half the pot or the pot, as often as the pseudo-harmonic mapping says."""
    solved = player(folder)
    state = played(TO_TURN + " r250")
    tree, file = SPOT.tree, solved.files[0]
    half, pot = (file.rows(tree.child(0, action), SPOT.cards) for action in (1, 2))
    hands = np.flatnonzero((half.sum(axis=0) > 0) & (pot.sum(axis=0) > 0))
    smaller = 0
    for number in range(300):
        rows = solved.start_hand(HandKey(1, number, 1)).rows(state)
        folds = rows.probabilities[0, hands]
        is_half, is_pot = np.array_equal(folds, half[0, hands]), np.array_equal(folds, pot[0, hands])
        assert is_half != is_pot
        smaller += is_half
    # f(0.75) between 0.5 and 1: (1 - 0.75)(1 + 0.5) / ((1 - 0.5)(1 + 0.75)) = 3/7
    assert smaller / 300 == pytest.approx(3 / 7, abs=0.09)


@pytest.mark.parametrize(
    ("text", "board", "why"),
    [
        ("c", "KsTh7s4d2c", "preflop"),
        ("c c /", "KsTh7s4d2c", "another street"),
        ("c r200 c / c c /", "KsTh7s4d2c", "another pot"),
        ("c c / r200 c /", "KsTh7s4d2c", "another pot"),
        (TO_TURN, "KsTh7h4d2c", "another board"),
        (TO_TURN, "KsTh7s4s2c", "another board"),
    ],
)
def test_elsewhere_the_stand_in_plays(folder: Path, text: str, board: str, why: str) -> None:
    for otherwise in ("formula", "call"):
        solved = player(folder, otherwise=otherwise)
        state = played(text, board)
        rows = solved.start_hand(KEY).rows(state)
        assert rows.missed is not None and rows.missed.all(), why
        assert solved.report() == {"in_spot": 0, "outside": 1}
        if otherwise == "call":
            assert rows.actions == (CALL,)


def test_stacks_must_fit_but_chips_may_differ(folder: Path) -> None:
    tenfold = GameDef.parse(str(GAME).replace("1000 1000", "10000 10000").replace("100 50", "1000 500"))
    state = played(TO_TURN, game=tenfold)
    rows = player(folder, tenfold, otherwise="call").start_hand(KEY).rows(state)
    assert rows.actions == (CALL, raise_to(2000), raise_to(3000), raise_to(10000))
    deep = GameDef.parse(str(GAME).replace("1000 1000", "1100 1100"))
    assert in_spot(SPOT, played(TO_TURN, game=deep)) is None
    uneven = GameDef.parse(str(GAME).replace("1000 1000", "1000 3000"))
    assert in_spot(SPOT, played(TO_TURN, game=uneven)) is not None  # the smaller stack is all that can be lost


def test_ranges_with_suits_hold_for_their_own_suits_only() -> None:
    named = msgspec.structs.replace(SPOT, ranges=("AhKh,22+", "random"))
    assert in_spot(named, played(TO_TURN)) is not None
    assert in_spot(named, played(TO_TURN, "KdTc7d4h2s")) is None
    # Clubs and diamonds of the range are alike: here only they change places on the board.
    club = msgspec.structs.replace(named, board="KsTh7s4c")
    assert in_spot(club, played(TO_TURN, "KsTh7s4d2c")) is not None


def test_the_first_solution_that_fits_is_played(folder: Path, tmp_path: Path) -> None:
    flop = msgspec.structs.replace(
        SPOT, board="KsTh7s", ranges=("AA,KK,QQ", "JJ,TT,99"), iterations=4,
        menu=msgspec.structs.replace(SPOT.menu, sizes=(((1.0,),),)),
    )  # fmt: skip
    solve = prepare(flop)
    solve.run()
    export_solution(tmp_path / "flop", solve, streets=1)
    solved = player(folder, solution=(f"{tmp_path}/flop", f"{folder}/"), otherwise="call")
    hand = solved.start_hand(KEY)
    assert hand.rows(played("c c /")).probabilities.shape[1] == 1326
    hand.rows(played(TO_TURN))  # the flop's solution ends there, the turn's begins
    assert solved.report() == {"in_spot": 2, "outside": 0}
    assert hand.rows(played(TO_TURN)).actions == (CALL, raise_to(200), raise_to(300), raise_to(1000))


def test_what_cannot_be_played_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="heads-up no-limit hold'em"):
        player(folder, load_game("leduc.limit.2p"))
    with pytest.raises(ValueError, match="no solution is named"):
        player(folder, solution=())
    with pytest.raises(ValueError, match="no strategy here"):
        player(folder, solution="nowhere/")
    with pytest.raises(ValueError, match="is from limpet train"):
        player(folder, solution="leduc")
    assert "KsTh7s4d" in player(folder).describe()["solution 1"]


def rigged(deals: Iterator[Deal], board: str) -> Iterator[Deal]:
    """Deals whose board is the spot's, where nobody holds a card of it."""
    cards = parse_cards(board)
    for holes, *_ in deals:
        if not set(cards) & {card for hole in holes for card in hole}:
            yield Deal(holes, cards)


def test_a_match_against_a_caller_reaches_the_spot(folder: Path) -> None:
    """The caller lets every hand come to the turn that was solved; both seats find it there."""

    solved = player(folder, otherwise="call")
    other: Strategy = Call(GAME, Strategy.Options(), folder)
    agents = [Agent(solved, 1), Agent(other, 2)]
    hands = list(play_hands(GAME, agents, islice(rigged(iter(Deals(GAME, 7)), "KsTh7s4d2c"), 60)))
    assert len(hands) == 60
    counts = solved.report()
    assert counts["in_spot"] >= 60 and counts["outside"] >= 60
    assert any("r" in hand.state.betting for hand in hands), "the solution bets where the stand-in only calls"
    assert 0 < agents[0].misses < agents[0].decisions
    assert sum(hand.values[0] + hand.values[1] for hand in hands) == 0


def test_the_bot_that_ships_plays_the_solution_that_ships() -> None:
    path = find_config("bots", "solved")
    config = load_yaml(path, BotConfig)
    game = load_game(config.game)
    solved = SolvedPlayer(game, msgspec.convert(config.options, SolvedPlayer.Options), path.parent)
    for board in ("Ts7s3s2h2c", "3hTh7hAsKd"):
        state = played("c c /", board, game)
        rows = solved.start_hand(KEY).rows(state)
        live = ~hand_space().blocked(state.board)
        assert rows.missed is not None and not rows.missed[live].any()
        assert rows.probabilities[:, live].sum(axis=0) == pytest.approx(1)
    assert solved.report() == {"in_spot": 2, "outside": 0}
    assert solved.files[0].manifest.exploitability_percent < 0.5
