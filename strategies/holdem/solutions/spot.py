"""Spots: the start of a street in heads-up no-limit hold'em, with board, pot, stacks and ranges given.

A spot is read (`load_spot`) and checked here, and its tree counted; `solve.prepare` makes a solver of it, and `answer.solve`
does all of this in one call.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.workers import usable_cores
from limpet.configs.fitting import Misfit, Threads, under
from limpet.configs.loading import Document, find_config, load_game
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.gamedef import NO_STACK_LIMIT, GameDef
from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.boards import Merge, stabiliser
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranges import live, parse_range
from limpet.strategies.holdem.solutions.lines import ANY_CARD, Lock, LockedNode, find_lock
from limpet.strategies.solvers.schedule import Algorithm, Name, Parameters, algorithm_with
from limpet.strategies.solvers.streets import TreeCount, board_counts, count_tree
from limpet.strategies.solvers.vector.board_tree import board_tree
from limpet.strategies.solvers.vector.hand_groups import Grouping, HandGroups
from limpet.strategies.solvers.vector.memory import (
    TOO_MANY_NODES,
    ForestSize,
    MemoryEstimate,
    free_memory,
    require_memory,
    too_large,
)
from limpet.strategies.solvers.vector.street_forest import NO_RAKE, Rake

Amount = Annotated[float, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Storage = Literal["float32", "int16"]

MOST_CHIPS = NO_STACK_LIMIT // 4
"""Largest number of chips in the pot, and in each stack, of a spot."""


def spot_root(board: Sequence[int], pot: int, stack: int | tuple[int, int], big_blind: int = 100) -> State:
    """Return the state at the start of a street: `board` of 3, 4 or 5 cards is dealt, position 0 is to act.

    Args:
        board: card ids; their number gives the round, 1 to 3.
        pot: chips in the middle, an even number: half counts as spent by each player.
        stack: chips behind, for both or for (out of position, in position).
        big_blind: chips; the smallest bet.

    The state has no parent. Its betting text is the shortest line that makes such a pot (`r1000c/cc/` is a turn after a
    raise to 1,000), so that spots of different pots are different states. Raises ValueError for impossible cards or chips.
    """
    board = tuple(board)
    if len(board) not in (3, 4, 5) or len(set(board)) != len(board) or not all(0 <= card < 52 for card in board):
        shown = cards_text(board) if all(0 <= card < 52 for card in board) else str(board)
        raise ValueError(f"the board {shown!r} has {len(board)} cards; a spot needs 3, 4 or 5 different ones")
    if pot < 2 or pot % 2:
        raise ValueError(f"a pot of {pot} chips cannot be half each player's; use an even number, or smaller chips")
    behind = (stack, stack) if isinstance(stack, int) else stack
    if min(behind) < 1:
        raise ValueError(f"with {min(behind)} chips behind there is nothing to decide; give both players at least 1")
    half = pot // 2
    total = (half + behind[0], half + behind[1])
    if not 1 <= big_blind <= min(total):
        raise ValueError(f"a big blind of {big_blind} does not fit stacks of {total}; use 1 to {min(total)} chips")
    game = replace(_holdem(), stack=total, blind=(big_blind, big_blind // 2))
    round_ = len(board) - 2
    preflop = "cc/" if half == big_blind else f"r{half}c/"
    return State.start(game, board)._replace(
        round=round_,
        actor=0,  # out of position: the big blind, with heads-up reverse blinds
        betting=preflop + "cc/" * (round_ - 1),
        spent=(half, half),
        max_spent=half,
        min_raise_to=half + big_blind,
    )


@cache
def _holdem() -> GameDef:
    return load_game("holdem.nolimit.2p.reverse_blinds")


class SpotRake(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The house's share of each pot, without chips that nobody called: `percent`, and at most `cap` in the spot's money."""

    percent: Annotated[float, msgspec.Meta(ge=0, le=100)]
    cap: Amount | None = None


class Spot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A spot to solve: board, money, ranges, bets, the algorithm, and limits of the solve.

    Attributes:
        board: 3, 4 or 5 cards.
        pot: money in the middle, in any unit (big blinds, dollars); half counts as each player's.
        stack: money behind in the same unit; one number, or [out of position, in position]. (A tuple of fixed length in this
            union crashes msgspec 0.22.)
        ranges: ranges of the player out of position and of the one in position.
        menu: the bets; by default half the pot, the pot and all-in.
        big_blind: the smallest bet.
        chip: unit of which all amounts are whole multiples; by default a hundredth of the big blind. Bets are rounded to it.
        algorithm, parameters: name and fields of a `strategies.solvers.schedule.Algorithm`.
        iterations, seconds, target: limits, of which the first ends the solve; target is the exploitability (the mean of
            both best responses' gains) in % of the pot, and 0 is never reached.
        threads: number of threads; by default one for each core.
        storage: type of regrets and averages; int16 takes half the memory.
        merge: which next cards share a subtree, see `boards.next_cards`.
        locks: nodes at which a player's strategy is given.
        groups: hands that both players must treat alike, see `vector.hand_groups`; left out of files where there are none.
        rake: what the house takes; by default nothing.
    """

    board: str
    pot: Amount
    stack: Amount | tuple[Amount, ...]
    ranges: tuple[str, str] = ("random", "random")
    menu: BetMenu = BetMenu(sizes=(((0.5, 1.0),),))
    big_blind: Amount = 1.0
    chip: Amount | None = None
    algorithm: Name = "dcfr"
    parameters: Parameters = {}
    iterations: Count = 1000
    seconds: Amount | None = None
    target: Annotated[float, msgspec.Meta(ge=0)] = 0.5
    threads: Threads | None = None
    storage: Storage = "float32"
    merge: Merge = "isomorphic"
    locks: tuple[Lock, ...] = ()
    note: str = ""
    groups: Grouping | msgspec.UnsetType = msgspec.UNSET
    rake: SpotRake | msgspec.UnsetType = msgspec.UNSET

    @property
    def abstracts(self) -> bool:
        """True if the spot is solved in an abstraction, so that a best response may win more in the real game."""
        return self.merge == "groups" or self.groups is not msgspec.UNSET

    @property
    def merge_by_suits(self) -> Merge:
        """The merge, with ``suits`` in place of ``isomorphic``."""
        return "suits" if self.merge == "isomorphic" else self.merge

    @property
    def used_merge(self) -> Merge:
        """The merge of a solve. Locks and groups of hands may tell cards apart that ranges do not: then suits alone are merged."""
        return self.merge_by_suits if self.locks or self.groups is not msgspec.UNSET else self.merge

    @cached_property
    def hand_groups(self) -> HandGroups | None:
        """The groups of the hands on all boards that may follow; None where all hands are told apart."""
        if isinstance(self.groups, msgspec.UnsetType):
            return None
        return HandGroups(self.groups, self.merge == "groups", self.cards[:3])

    @property
    def house(self) -> Rake:
        """The rake in chips; that of no share where the spot has none."""
        if isinstance(self.rake, msgspec.UnsetType):
            return NO_RAKE
        return Rake(self.rake.percent / 100, np.inf if self.rake.cap is None else self.rake.cap / self.chip_size)

    @property
    def used_threads(self) -> int:
        """Number of threads of a solve: by default one for each core that this process may use."""
        if self.threads is not None:
            return self.threads
        return len(usable_cores()) or os.cpu_count() or 1

    @property
    def chip_size(self) -> float:
        """One internal chip in the spot's money."""
        return self.chip or self.big_blind / 100

    def chips(self, amount: float) -> int:
        """Convert money to chips. Raises ValueError unless it is a whole number of at most `MOST_CHIPS` chips."""
        if not amount <= self.chip_size * MOST_CHIPS:  # NaN is not either
            raise ValueError(
                f"{amount:g} is more than {MOST_CHIPS:,} chips of {self.chip_size:g}; write less, or set a larger 'chip'"
            )
        chips = round(amount / self.chip_size)
        if abs(amount / self.chip_size - chips) > 1e-6 * max(1, chips):
            raise ValueError(f"{amount:g} is not a whole number of chips of {self.chip_size:g}; set 'chip' to fit it")
        return chips

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """Card ids of the board. Raises `ProtocolError`."""
        return parse_cards(self.board.replace(" ", ""))

    @cached_property
    def root(self) -> State:
        """State that the spot starts from. Raises ValueError for an impossible board, pot, stack or blind."""
        stacks = self.stack if isinstance(self.stack, tuple) else (self.stack, self.stack)
        behind = self.chips(stacks[0]), self.chips(stacks[1])
        return spot_root(self.cards, self.chips(self.pot), behind, self.chips(self.big_blind))

    @cached_property
    def tree(self) -> BettingTree:
        """Betting tree of all streets. Raises ValueError as `root` and the menu do, and `MemoryError` if it is too large."""
        if too_large(count_tree(self.root, self.menu, too_large)):
            raise MemoryError(TOO_MANY_NODES)
        return build_tree(self.root, self.menu)

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """float32 ``[2, 1326]``: weights of both ranges, 0 for hands that share a card with the board. Raises `Misfit`."""
        weights = np.zeros((2, hand_space().size), np.float32)
        for player, text in enumerate(self.ranges):
            with under("ranges", player):
                weights[player] = live(parse_range(text), self.cards)
        return weights

    @cached_property
    def minimiser(self) -> Algorithm:
        """The algorithm with its parameters. Raises ValueError for a parameter that it does not have."""
        return algorithm_with(self.algorithm, self.parameters)

    @cached_property
    def locked(self) -> tuple[LockedNode, ...]:
        """The locks with their nodes in the tree. Raises ValueError."""
        return tuple(find_lock(self.tree, lock, self.weights, self.chip_size) for lock in self.locks)

    def size(self) -> "SpotSize":
        """Count the tree and estimate the memory of a solve. Raises ValueError as `root` and the menu do."""
        limit = free_memory()
        boards = board_tree(self.cards, self.weights, self.used_merge, apart=not self.abstracts)

        def memory(count: TreeCount) -> MemoryEstimate:
            return MemoryEstimate.of(
                ForestSize.of_counts(count.streets),
                boards,
                self.storage,
                self.used_threads,
                tables=1 + (self.algorithm == "pcfr+"),
                average=self.minimiser.averages,
                at_least=not count.whole,
            )

        def enough(count: TreeCount) -> bool:
            return too_large(count) or limit is not None and memory(count).total > limit

        count = count_tree(self.root, self.menu, enough)
        on_street = np.bincount(boards.arrays.street, minlength=boards.streets).tolist()
        actions = sum(street.edges * number for street, number in zip(count.streets, on_street, strict=True))
        return SpotSize(count, memory(count), actions, tuple(np.diff(boards.chunk_start).tolist()))

    def check(self) -> None:
        """Raise `Misfit`, which names the wrong part, if the spot cannot be solved.

        Locks need the tree: with them, raises `MemoryError` before it is built if the solve does not fit into memory.
        """
        with under("board"):
            if len(self.cards) not in (3, 4, 5) or len(set(self.cards)) != len(self.cards):
                raise ValueError(f"{self.board!r} is no board; write 3, 4 or 5 different cards such as KsTh7s")
        with under("stack"):
            if isinstance(self.stack, tuple) and len(self.stack) != 2:
                remedy = "write one number, or [out of position, in position]"
                raise ValueError(f"{len(self.stack)} stacks are given; {remedy}")
        with under("chip"):
            if self.chip is not None and self.chip > self.big_blind:
                raise ValueError(f"{self.chip:g} is more than the big blind of {self.big_blind:g}; lower it")
        with under("big_blind"):
            least = self.pot / 2 + (min(self.stack) if isinstance(self.stack, tuple) else self.stack)
            if self.big_blind > least:
                most = f"the {least:g} of a player's half pot and stack"
                raise ValueError(f"{self.big_blind:g} is more than {most}; lower it")
            self.chips(self.big_blind)
        with under("pot"):
            if self.chips(self.pot) % 2:
                odd = f"{self.pot:g} is an odd number of chips of {self.chip_size:g}, and half of it is each player's"
                raise ValueError(f"{odd}; write 'chip: {self.chip_size / 2:g}'")
        with under("stack"):
            root = self.root
        with under("menu"):
            self.menu.raises(root)
        weights = self.weights
        for player, text in enumerate(self.ranges):
            with under("ranges", player):
                if not weights[player].any():
                    raise ValueError(f"no hand of {text!r} is possible on {self.board}; add hands")
        with under("ranges"):
            first, second = weights > 0
            if not (hand_space().compatible(second) * first).any():
                raise ValueError("every hand of one range holds a card of every hand of the other; add hands")
        with under("parameters"):
            _ = self.minimiser
        with under("groups"):
            if self.locks and self.groups is not msgspec.UNSET:
                raise ValueError("a lock may tell hands of a group apart; leave out 'groups' or 'locks'")
        locked: list[LockedNode] = []
        if self.locks:
            self.size().require()
        for number, lock in enumerate(self.locks):
            with under("locks", number):
                node = find_lock(self.tree, lock, self.weights, self.chip_size)
                if any((other.node, other.cards) == (node.node, node.cards) for other in locked):
                    raise ValueError("this node is locked above already; put both into one lock")
                if self.merge != "none" and len(self.cards) < 5 and self._breaks_merge(node):
                    raise ValueError(f"this lock tells suits apart, 'merge: {self.merge}' does not; use 'merge: none'")
                locked.append(node)

    def _breaks_merge(self, lock: LockedNode) -> bool:
        """Return whether a lock is for one card, or for hands that a merge of cards may exchange."""
        if self.merge == "groups" or any(card != ANY_CARD for card in lock.cards):
            return True
        free = list(self.weights)
        return len(stabiliser(self.cards, [*free, *lock.rows])) < len(stabiliser(self.cards, free))


class SpotSize(NamedTuple):
    """Size of a spot's tree and memory of its solve.

    Counting ends as soon as the tree is known to be too large, see `too_large`; all are then lower bounds.

    Attributes:
        actions: number of actions of all decisions on all boards that the solve tells apart.
        parts: numbers of boards in the parts of the work that threads share out; empty on rivers, which one thread solves.
    """

    tree: TreeCount
    memory: MemoryEstimate
    actions: int
    parts: tuple[int, ...]

    def require(self) -> None:
        """Raise `MemoryError`, with the numbers, if the spot cannot be solved in the memory that is free."""
        require_memory(self.memory)
        if too_large(self.tree):
            raise MemoryError(TOO_MANY_NODES)


def spot_lines(spot: Spot, size: SpotSize) -> Iterator[str]:
    """Yield lines that say what is to be solved, how large it is and what memory it takes."""
    root = spot.root
    unit = root.game.big_blind
    behind = [stack - spent for stack, spent in zip(root.game.stack, root.spent, strict=True)]
    stacks = f"{behind[0] / unit:g}" if behind[0] == behind[1] else f"{behind[0] / unit:g} and {behind[1] / unit:g}"
    hands = " against ".join(f"{int((weights > 0).sum()):,}" for weights in spot.weights)
    yield f"{cards_text(spot.cards)}: pot {root.pot / unit:g} bb, {stacks} bb behind, {hands} hands"
    counts, boards = size.tree.streets, board_counts(len(spot.cards))
    decisions = sum(count.decisions * board for count, board in zip(counts, boards, strict=True))
    streets = ", ".join(f"{count.decisions:,} on {board:,}" for count, board in zip(counts, boards, strict=True))
    more = "" if size.tree.whole else "more than "
    yield f"tree: {more}{decisions:,} decisions (by street, {streets} board{'s' if boards[-1] > 1 else ''})"
    yield f"memory: {size.memory}"


def load_spot(source: str | Path | Document | Spot | None, **fields: Any) -> Spot:
    """Return a spot that can be solved, with some fields in place of its own; a new algorithm brings its own parameters.

    source: name of a spot that ships, a file, the document of one, or a `Spot`; None for a spot of `fields` alone.

    Raises `ConfigError` naming file, line, value and remedy, and `MemoryError` as `Spot.check`.
    """
    given = document = Document.of({}, "spot")
    if isinstance(source, str | Path):
        source = Document.read(find_config("spots", source))
    if isinstance(source, Document):
        document, source = source, source.decode(Spot)
    if fields or source is None:
        usual: dict[str, Any] = {"parameters": {}} if "algorithm" in fields else {}
        data = {} if source is None else msgspec.to_builtins(source)
        source = Document.of(data | usual | fields, "spot").decode(Spot)
    try:
        source.check()
    except Misfit as misfit:
        raise (given if misfit.keys[0] in fields else document).error(misfit.keys, str(misfit)) from misfit
    return source
