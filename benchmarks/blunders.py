"""States in which the blueprint blunders, judged by long solves, and what bots lose in them, in % of the pot.

    python benchmarks/blunders.py                # what blueprint, limpet-fast and limpet lose in the states of the file
    python benchmarks/blunders.py --find         # write the file of states again, in some ten minutes of processor time

To find states the blueprint plays hands against itself, until there are `--roots` beginnings of each street in each kind of
pot. A short solve of each says where the blueprint's play of some hand loses most. The worst states of each street and kind
are judged by a long solve with more bets, from the ranges that the blueprint's play leaves. On turn and river it has exact
cards. On the flop it is public chance sampling from regrets of 0, before the flop the rest of the betting with the
blueprint's flop values. States at which either player would hardly arrive are left out.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # the file of states is that of a test

from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.menu import BetMenu, ByStreet
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.measures.full_ranges import build_without_clock
from limpet.strategies.holdem.resolving.before_flop import BeforeFlop, BeforeFlopHand, preflop_values
from limpet.strategies.holdem.resolving.beliefs import as_weights
from limpet.strategies.holdem.resolving.plans import raises_made, with_bets
from limpet.strategies.holdem.resolving.resolver import HandHistory
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.holdem.resolving.subgame import Subgame
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.solvers.vector.vector_solver import NodeValues
from tests.strategies.players.blunder_states import (
    FILE,
    GAME,
    Blunder,
    answer,
    blunders,
    losses,
    reached,
    thinker,
)

BOTS = ("blueprint", "limpet-fast", "limpet")
STREETS = ("before the flop", "flop", "turn", "river")
KINDS = ("limped", "raised", "re-raised")
ROOTS, KEPT = (0, 3, 7, 24), (0, 2, 5, 13)
"""By street: beginnings that are searched in each kind of pot, and how many states of them are kept."""
COINS = 16
"""Hands over which the blueprint is averaged: each translates raises off its menu by a coin of its own."""
LIKELY = 0.1
"""Least weight of a hand in its range, that of the likeliest hand being 1."""
MUCH = 5.0
"""Least % of the pot that the blueprint must lose in a state that is kept."""
COMMON = 0.02
"""Least share of the opponent's range that arrives at a state by the solve."""


class Effort(NamedTuple):
    """How thoroughly a state is solved: by street the menu and the iterations, and the runouts that a flop's values are of."""

    menus: tuple[BetMenu, ...]
    iterations: tuple[int, ...]
    runouts: int


FLOP = ((0.33, 0.75, 1.5), (1.0,), ())
TURN = ((0.5, 1.0), (1.0,), ())
BEFORE_FLOP = BetMenu(sizes=((("min", 1, 2), ("min", 1), (0.5, 0.75, 1, 1.5, 2), (0.75, 1.5), ()),))
SHORT = Effort(
    (
        BEFORE_FLOP,
        BetMenu(sizes=ByStreet(flop=FLOP, turn=((1.0,), ()), river=((1.0,), ())), all_in_spr=6),
        BetMenu(sizes=ByStreet(turn=TURN, river=((1.0,), ())), all_in_spr=6),
        BetMenu(sizes=(((0.5, 1.0, 2.0), (1.0,), ()),)),
    ),
    (150, 300, 40, 100),
    4 * 49,
)
LONG = Effort(
    (
        BEFORE_FLOP,
        BetMenu(sizes=ByStreet(flop=FLOP, turn=((0.5, 1.0), (1.0,), ()), river=((0.75,), (1.0,), ())), all_in_spr=6),
        BetMenu(sizes=ByStreet(turn=TURN, river=((0.75,), (1.0,), ())), all_in_spr=6),
        BetMenu(sizes=(((0.33, 0.5, 0.75, 1.0, 1.5, 2.0), (0.5, 1.0), (1.0,), ()),)),
    ),
    (2000, 1000, 160, 1000),
    12 * 49,
)

NAMED = (
    ("r300r900", "", "8h8d", "a re-raise of the menu"),
    ("r300r1000", "", "8h8d", "a re-raise above the pot"),
    ("r300r1200", "", "8h8d", "was folded a fifth of the time"),
    ("r300r1200", "", "KsQs", "was folded a fifth of the time"),
    ("r300r1200", "", "AsQs", "was folded a fifth of the time"),
    ("r200c/cc/r600r1800", "Qc7sTdQd", "QhTs", "shoved five pots 96 % of the time"),
    ("r200c/cr500c/cr1000c/cr5000", "Qc7sTdQdAs", "QhTs", "called 62 %; a raise wins more"),
    ("r200r600c/cc/", "3c6d2s5d", "QcTs", "led into a 3-bet pot"),
    ("r300c/", "Kd4dAh", "3dAd", "a lead into the raiser on the flop"),
    ("r300c/cc/c", "9c8c4dQh", "JhJs", "a turn checked to the button"),
)
"""States that were seen to be played badly: betting, board, hand, what was seen."""


class Judge:
    """Solves states from the ranges that the blueprint's play leaves."""

    def __init__(self) -> None:
        player = build_without_clock(load_bot("limpet"))
        assert isinstance(player, Resolve) and player.flops is not None
        self.flops = player.flops
        self.hand: BlueprintHand = player.blueprint.start_hand(HandKey(0, 0, 0), player.flops)

    def history(self, state: State) -> HandHistory:
        """Return the history up to a state, both players playing the blueprint."""
        path = [past.with_board(state.board) for past in state.path()]
        history = HandHistory.start(path[0])
        for after in path[1:]:
            history = history.after(self.hand.rows(history.state), after, 0.0)
        return history

    def solve(self, state: State, effort: Effort) -> Subgame:
        """Return the street of `state` solved from its beginning, with the raises that led to `state`."""
        root, made = state.round_start() if state.round else state, None
        if state.round == 0 and state.parent is not None and not self.hand.on_menu(state):
            root, made = state.parent, state.action
        root = root.with_board(state.board)
        ranges, menu = self.history(root).ranges, with_bets(effort.menus[state.round], raises_made(root, state))
        if state.round == 0:
            subgame: Subgame = BeforeFlop(root, menu, ranges, self.flops, made)
        elif state.round == 1:
            subgame = SampledSubgame(root, menu, ranges, self.hand)
            if effort is not SHORT:
                sampling = subgame.sampling
                sampling.regret[:] = 0  # the judge has no opinion to begin with
                sampling.alpha, sampling.beta, sampling.gamma = 1.5, 0.0, 2.0
        else:
            subgame = Subgame(root, menu, ranges, 1)
        subgame.solve(effort.iterations[state.round])
        return subgame

    def values(self, subgame: Subgame, state: State, effort: Effort) -> NodeValues:
        if isinstance(subgame, BeforeFlop):
            history = self.history(subgame.root)
            if state.betting != subgame.root.betting:
                history = history.after(subgame.rows(subgame.root), state, 0.0)
            return preflop_values(BeforeFlopHand(subgame), state, history.ranges, self.flops)[0]
        if isinstance(subgame, SampledSubgame):
            return subgame.node_values(state, effort.runouts)
        return subgame.node_values(state)

    def judged(self, found: "Found", about: str) -> Blunder:
        """Return a state with what each action loses by a long solve."""
        state = found.state
        subgame = self.solve(state, LONG)
        values, actions = self.values(subgame, state, LONG), subgame.tree.actions(subgame.node(state))
        lost = losses(values, state)[:, found.hand]
        own = float(lost @ values.strategy[:, found.hand])
        blunder = Blunder(
            betting=state.betting,
            board=cards_text(state.board),
            hand=cards_text(hand_space().holes[found.hand]),
            about=about,
            loses={str(action): round(float(loss), 2) for action, loss in zip(actions, lost, strict=True)},
            judge=round(own, 2),
            blueprint=0.0,
            named=False,
        )
        return msgspec.structs.replace(blunder, blueprint=round(blunder.lost(self.hand.rows(state)), 2))


class Found(NamedTuple):
    """A state and a hand, and the % of the pot that the blueprint loses with it by a short solve."""

    state: State
    hand: int
    loss: float


class Search:
    """Looks for states in which the blueprint loses much, on hands that it plays against itself."""

    def __init__(self, judge: Judge, seed: int) -> None:
        self.judge, self._random = judge, np.random.default_rng(seed)

    def paths(self) -> Iterator[list[HandHistory]]:
        """Yield hands without end: the histories at their decisions, with the ranges there."""
        while True:
            board = tuple(self._random.permutation(52)[:5].tolist())
            history = HandHistory.start(State.start(GAME))
            path = []
            while not history.state.finished:
                path.append(history)
                state, rows = history.state, self.judge.hand.rows(history.state)
                share = rows.dense(hand_space().blocked(state.board)) @ history.ranges[state.actor]
                after = state.apply(rows.actions[self._random.choice(len(share), p=share / share.sum())])
                history = history.after(rows, after.with_board(board), 0.0)
            yield path

    def found(self) -> dict[tuple[int, str], list["Found"]]:
        """Return the worst states of each street and kind of pot, the worst first."""
        cells: dict[tuple[int, str], list[Found]] = {(street, kind): [] for street in (3, 2, 1) for kind in KINDS}
        for path in self.paths():
            for street in (1, 2, 3):
                on_street = [history for history in path if history.state.round == street]
                cell = cells[street, kind(on_street[0].state)] if on_street else []
                if street == 1 and on_street:  # values of a flop take long
                    on_street = on_street[: self._random.integers(len(on_street)) + 1]
                if on_street and len(cell) < ROOTS[street]:
                    cell.append(self._worst(on_street))
            if all(len(cell) == ROOTS[street] for (street, _), cell in cells.items()):
                break
        return {at: sorted(cell, key=lambda each: -each.loss) for at, cell in cells.items()}

    def _worst(self, on_street: list[HandHistory]) -> "Found":
        """Return the state among these, and the hand, with which the blueprint loses most by a short solve."""
        subgame = self.judge.solve(on_street[-1].state, SHORT)
        worst = []
        for history in on_street[-1:] if on_street[0].state.round == 1 else on_street:
            state, values = history.state, self.judge.values(subgame, history.state, SHORT)
            lost = self._lost(state, values, subgame.tree.actions(subgame.node(state)))
            arrives = values.reach[1 - state.actor].sum() / as_weights(on_street[0].ranges)[1 - state.actor].sum()
            if arrives >= COMMON:
                lost *= as_weights(history.ranges)[state.actor] >= LIKELY
                worst.append(Found(state, int(lost.argmax()), float(lost.max())))
        return max(worst, key=lambda each: each.loss, default=Found(on_street[0].state, 0, 0.0))

    def _lost(self, state: State, values: NodeValues, actions: tuple[Action, ...]) -> NDArray[np.float64]:
        """Return float64 ``[1326]``: % of the pot that each hand loses; 0 where it takes actions that the solve lacks."""
        rows, lost = self.judge.hand.rows(state), losses(values, state)
        total, known = np.zeros(1326), np.zeros(1326)
        for action, row in zip(rows.actions, rows.dense(hand_space().blocked(state.board)), strict=True):
            if action in actions:
                total += row * lost[actions.index(action)]
                known += row
        return total * (known > 0.99)


def kind(state: State) -> str:
    """Return the kind of pot by the raises before the flop."""
    return KINDS[min(state.betting.split("/")[0].count("r"), len(KINDS) - 1)]


def find(seed: int) -> None:
    """Write the file of states as they are judged. States that it has already are not judged again."""
    judge = Judge()
    known = (
        {(blunder.betting, blunder.board, blunder.hand): blunder for blunder in blunders()} if FILE.is_file() else {}
    )
    written: list[Blunder] = []

    def judged(found: Found, about: str, named: bool) -> Blunder:
        key = found.state.betting, cards_text(found.state.board), cards_text(hand_space().holes[found.hand])
        blunder = known.get(key) or judge.judged(found, about)
        print(repr(blunder), f"by the short solve: {found.loss:.1f}", flush=True)
        if named or is_clear(blunder):
            lost = round(lost_by("blueprint", blunder, 1, False), 2)
            written.append(msgspec.structs.replace(blunder, about=about, named=named, blueprint=lost))
            FILE.write_bytes(msgspec.yaml.encode(written))
        return blunder

    for betting, board, hand, seen in NAMED:
        judged(Found(reached(betting, parse_cards(board)), hand_space().index(parse_cards(hand)), 0.0), seen, True)
    for (street, pot), cell in Search(judge, seed).found().items():
        left = KEPT[street]
        for found in cell:
            if left > 0:
                left -= is_clear(judged(found, f"{STREETS[street]}, {pot} pot", False))


def is_clear(blunder: Blunder) -> bool:
    """Return whether the blueprint loses much in a state, and much more than the judge may err."""
    return blunder.blueprint >= MUCH and blunder.judge <= blunder.blueprint / 5


def lost_by(bot: str, blunder: Blunder, iterations: int | None, whole: bool) -> float:
    """Return the % of the pot that a bot loses in a state. whole: it thinks on the streets before as well."""
    player = thinker(bot, 1 if whole else blunder.state.round, iterations)
    hands = COINS if bot == "blueprint" else 1
    return float(np.mean([blunder.lost(answer(player, blunder, coin)) for coin in range(hands)]))


def report(iterations: int | None, whole: bool) -> None:
    """Print what bots lose, state by state, and their means by street."""
    print("| state | board | hand | judge |" + "".join(f" {bot} |" for bot in BOTS) + "\n|-|-|-|" + "-:|" * 4)
    lost: dict[tuple[bool, int], list[list[float]]] = {}
    for blunder in blunders():
        cells = [blunder.judge, *(lost_by(bot, blunder, iterations, whole) for bot in BOTS)]
        lost.setdefault((blunder.named, blunder.state.round), []).append(cells)
        texts = "".join(f" {cell:.1f} |" for cell in cells)
        print(f"| {blunder.betting} | {blunder.board} | {blunder.hand} |{texts}", flush=True)
    lost[False, 0] = [row for (named, _), rows in lost.items() if not named for row in rows]
    print("\n| states that were searched for | number | judge |" + "".join(f" {bot} |" for bot in BOTS))
    print("|-|-:|" + "-:|" * 4)
    for street, name in enumerate(("all", *STREETS[1:])):
        if rows := lost.get((False, street)):
            print(f"| {name} | {len(rows)} |" + "".join(f" {mean:.1f} |" for mean in np.mean(rows, axis=0)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--find", action="store_true", help="write the file of states")
    parser.add_argument("--seed", type=int, default=1, help="of the hands that the blueprint plays against itself")
    parser.add_argument("--iterations", type=int, help="of every solve of the bots, in place of their configs'")
    parser.add_argument("--whole", action="store_true", help="let bots think on the streets before a state's as well")
    given = parser.parse_args()
    if given.find:
        find(given.seed)
    else:
        report(given.iterations, given.whole)


if __name__ == "__main__":
    main()
