"""A draw game of a few cards as one linear program, dealt card by card by the rules of the dealer.

It shares nothing with the solvers: no trees, tables or ranges, only public states (`protocol.state`) and sequences of what a
player has seen and done. The chips are those of the game's definition.
"""

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import NamedTuple, TypeVar

import numpy as np
from scipy import optimize, sparse

from limpet.protocol.gamedef import BET, GameDef
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, Action, State, raise_to

Sight = tuple[tuple[int, ...], str, str]
"""What a player sees at a decision: own cards in the order of hand and replacements, own choices, and the betting."""


Part = TypeVar("Part")


class Choice(NamedTuple):
    """One action of a player: where, and which."""

    sight: Sight
    action: str


class Ending(NamedTuple):
    """One way in which a hand may end."""

    choices: tuple[tuple[Choice, ...], tuple[Choice, ...]]
    """The actions of both positions, in order."""
    chance: float
    """The probability of the cards."""
    chips: float
    """Chips that position 0 wins."""


class Table(NamedTuple):
    """The cards of both players and those to come, and what has been chosen."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    deck: tuple[int, ...]
    seen: tuple[tuple[int, ...], tuple[int, ...]]
    kept: tuple[str, str]


def endings(game: GameDef) -> Iterator[Ending]:
    """Yield every ending of a game of two cards each and a draw of at most one, for every order of the deck."""
    decks = {(tuple(sorted(d[:2])), tuple(sorted(d[2:4])), d[4:]) for d in permutations(game.deck)}
    for first, second, rest in sorted(decks):
        table = Table((first, second), rest, (first, second), ("", ""))
        yield from _play(State.start(game), table, ((), ()), 1 / len(decks))


def _play(
    state: State, table: Table, choices: tuple[tuple[Choice, ...], tuple[Choice, ...]], chance: float
) -> Iterator[Ending]:
    if state.finished:
        yield Ending(choices, chance, settle(state, table.hands)[0])
        return
    p = state.actor
    sight = (table.seen[p], table.kept[p], state.betting)
    for name, action, after in _options(state, table):
        mine = (*choices[p], Choice(sight, name))
        both = (mine, choices[1]) if p == 0 else (choices[0], mine)
        yield from _play(state.apply(action), after, both, chance)


def _options(state: State, table: Table) -> Iterator[tuple[str, Action, Table]]:
    if state.phase is BET:
        raises = [raise_to(size) for size in state.raise_sizes() or ()]
        for action in [*([FOLD] if state.can_fold else []), CALL, *raises]:
            yield str(action), action, table
        return
    p, hand = state.actor, table.hands[state.actor]
    for name, gone in (("keep", ()), ("low", hand[:1]), ("high", hand[1:])):
        came = table.deck[: len(gone)]
        after = tuple(sorted({*hand} - {*gone} | {*came}))
        yield name, Action("d", len(gone)), Table(
            _with(table.hands, p, after), table.deck[len(gone) :], _with(table.seen, p, table.seen[p] + came),
            _with(table.kept, p, name),
        )  # fmt: skip


def _with(pair: tuple[Part, Part], p: int, value: Part) -> tuple[Part, Part]:
    return (value, pair[1]) if p == 0 else (pair[0], value)


class Plan:
    """The sequences of one player, numbered from the empty one, and the constraints on their probabilities."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[Choice, ...], int] = {(): 0}
        self.infosets: dict[Sight, tuple[int, list[int]]] = {}

    def number(self, choices: tuple[Choice, ...]) -> int:
        """Return the number of a sequence, given when it is first seen."""
        if choices not in self.numbers:
            parent = self.number(choices[:-1])
            self.numbers[choices] = len(self.numbers)
            self.infosets.setdefault(choices[-1].sight, (parent, []))[1].append(self.numbers[choices])
        return self.numbers[choices]

    def constraints(self) -> sparse.csr_array:
        """Return M with M x = (1, 0, 0, …) for the probabilities x of all sequences."""
        matrix = sparse.lil_array((len(self.infosets) + 1, len(self.numbers)))
        matrix[0, 0] = 1
        for row, (parent, own) in enumerate(self.infosets.values(), start=1):
            matrix[row, parent] = -1
            for sequence in own:
                matrix[row, sequence] = 1
        return sparse.csr_array(matrix)


class DrawProgram:
    """All sequences of a game and its payoffs ``[sequence of position 0, sequence of position 1]``."""

    def __init__(self, game: GameDef) -> None:
        self.plans = (Plan(), Plan())
        rows, columns, chips = [], [], []
        for ending in endings(game):
            rows.append(self.plans[0].number(ending.choices[0]))
            columns.append(self.plans[1].number(ending.choices[1]))
            chips.append(ending.chance * ending.chips)
        shape = (len(self.plans[0].numbers), len(self.plans[1].numbers))
        self.payoffs = sparse.csr_array(sparse.coo_array((chips, (rows, columns)), shape=shape))

    def value(self) -> float:
        """Return the chips that position 0 wins in equilibrium."""
        first, second = (plan.constraints() for plan in self.plans)
        objective = np.zeros(first.shape[1] + second.shape[0])
        objective[first.shape[1]] = -1
        answer = optimize.linprog(
            objective,
            A_ub=sparse.hstack([-self.payoffs.T, second.T], format="csr"),
            b_ub=np.zeros(second.shape[1]),
            A_eq=sparse.hstack([first, sparse.coo_array((first.shape[0], second.shape[0]))], format="csr"),
            b_eq=np.eye(1, first.shape[0])[0],
            bounds=[(0, None)] * first.shape[1] + [(None, None)] * second.shape[0],
            method="highs",
        )
        assert answer.status == 0, answer.message
        return -float(answer.fun)

    def best_response(self, position: int, row: Callable[[Sight, str], float]) -> float:
        """Return the chips that a best response of a position wins; row: how likely the other takes an action."""
        other = self.plans[1 - position]
        played = np.zeros(len(other.numbers))
        played[0] = 1
        for choices, number in other.numbers.items():  # parents come first
            if choices:
                played[number] = played[other.numbers[choices[:-1]]] * row(*choices[-1])
        worth = self.payoffs @ played if position == 0 else -(self.payoffs.T @ played)
        for parent, own in reversed(self.plans[position].infosets.values()):
            worth[parent] += max(worth[sequence] for sequence in own)
        return float(worth[0])
