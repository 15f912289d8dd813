"""Plays the solution of a spot where the real hand is in one, and a stand-in elsewhere."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limpet.common.folders import find_strategy
from limpet.configs.fitting import under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import has_holdem_cards
from limpet.protocol.state import State, action_order
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.base.sampling import is_below
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import hand_permutation, permute_cards
from limpet.strategies.holdem.blueprint.walk import Walk, WeightedNode
from limpet.strategies.holdem.solutions.solution_file import InSpot, SolutionFile, in_spot
from limpet.strategies.players.blueprint import StandIn, StandInName, listed

TRANSLATION = 1
"""First counter of the random numbers that translate bets."""


class _SpotWalk(Walk):
    """The rules by which a spot's tree is followed. `chips`: real chips to one of the tree's."""

    def __init__(self, tree: BettingTree, chips: float) -> None:
        super().__init__(tree)
        self.chips = chips

    def _real_raise(self, node: int, state: State, size: int) -> int:
        """Return a raise of the same chips where both players have put in the same, and of the same pot fraction elsewhere."""
        spent = zip(self.tree.spent[node].tolist(), state.spent, strict=True)
        alike = all(abs(abstract * self.chips - real) <= max(1.0, self.chips) for abstract, real in spent)
        if alike and not self._is_all_in(size, state.actor):
            return round(size * self.chips)
        return super()._real_raise(node, state, size)


class _SolvedState(NamedTuple):
    """A public state's counterpart in a solution: its file, the spot as the hand is in it, and the node."""

    file: SolutionFile
    spot: InSpot
    weighted: WeightedNode = WeightedNode(0)

    @property
    def walk(self) -> Walk:
        return _SpotWalk(self.file.spot.tree, self.spot.chips)


class SolvedPlayer(Strategy):
    """Plays what `limpet solve --export` wrote, when pot, stacks (in big blinds) and board are those of the spot."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a solved player.

        solution: a solution's name, or the path of its folder (with a slash); or several of them, the first that fits
            being played.
        otherwise: who plays elsewhere, and the hands that the solution has no answer for: ``formula``, or ``call``
            (check and call). Each such decision counts as a look-up miss.
        """

        solution: str | tuple[str, ...]
        otherwise: StandInName = "formula"

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if not (game.no_limit and game.num_players == 2 and has_holdem_cards(game)):
            raise ValueError(
                "solved spots are heads-up no-limit hold'em; player 'formula' plays all that the highest hand wins"
            )
        if not (names := listed(options.solution)):
            raise ValueError("no solution is named; write the folder that 'limpet solve SPOT --export FOLDER' made")
        with under("solution"):
            self.files = tuple(SolutionFile.open(find_strategy(name, folder)) for name in names)
        self.stand_in = StandIn(options.otherwise, game, folder)
        self.in_spot = self.outside = 0  # numbers of decisions that a solution answered, and that the stand-in did

    def start_hand(self, key: HandKey) -> "SolvedHand":
        return SolvedHand(self, key)

    def report(self) -> dict[str, int]:
        """Return the numbers of decisions ``in_spot``, which a solution answered, and ``outside``, the others."""
        return {"in_spot": self.in_spot, "outside": self.outside}

    def checksums(self) -> tuple[str, ...]:
        return tuple(file.manifest.sha256 for file in self.files)

    def describe(self) -> dict[str, str]:
        return {
            f"solution {number}": f"{file.folder}: {file.manifest.spot.board}, "
            f"{file.manifest.exploitability_percent:.3f} % of the pot exploitable"
            for number, file in enumerate(self.files, 1)
        }

    def warm_up(self) -> None:
        self.stand_in.warm_up()
        for file in self.files:
            file.rows(0, file.spot.cards)


@dataclass(eq=False)
class SolvedHand(HandStrategy):
    """Answers for one hand. The node found for each betting sequence is kept, so that each bet is translated once."""

    player: SolvedPlayer
    key: HandKey
    _solved: dict[State, _SolvedState | None] = field(default_factory=dict)

    def slow(self, state: State) -> bool:
        """Return whether `state` is in a spot, where rows on a new board take milliseconds, or the stand-in is slow."""
        return self._counterpart(state) is not None or self.player.stand_in.slow(state)

    def rows(self, state: State) -> Rows:
        player, at = self.player, self._counterpart(state)
        if at is None:
            player.outside += 1
            return player.stand_in.rows(state)
        player.in_spot += 1
        real = at.walk.real_actions(at.weighted, state)
        cards = at.file.spot.cards
        board = cards + permute_cards(state.board[len(cards) :], at.spot.suits)
        # A hand is answered as the hand that it becomes in the spot's suits.
        solution = at.file.rows(at.weighted.node, board)[:, hand_permutation(at.spot.suits)]
        missed = solution.sum(axis=0) == 0
        blocked = hand_space().blocked(state.board)
        parts = list(zip(real, solution, strict=True))
        if (missed & ~blocked).any():
            spare = player.stand_in.rows(state)
            parts += zip(spare.actions, spare.dense(blocked | ~missed), strict=True)
        actions = tuple(sorted({action for action, _ in parts}, key=action_order))
        probabilities = np.zeros((len(actions), len(missed)), np.float32)
        for action, row in parts:
            probabilities[actions.index(action)] += row
        classes = np.where(blocked, -1, np.arange(len(missed))).astype(np.int16)
        return Rows(actions, probabilities, classes, missed)

    def _counterpart(self, state: State) -> _SolvedState | None:
        """Return the counterpart of `state` in the first solution that has one; None outside of all."""
        if state not in self._solved:
            at = None
            if state.parent is not None and (before := self._counterpart(state.parent.with_board(state.board))):
                at = self._step(before, state.parent, state)
            starts = ((file, in_spot(file.spot, state)) for file in self.player.files)
            self._solved[state] = at or next(
                (_SolvedState(file, spot) for file, spot in starts if spot and spot.start.betting == state.betting),
                None,
            )
        return self._solved[state]

    def _step(self, before: _SolvedState, parent: State, state: State) -> _SolvedState | None:
        """Return the counterpart of the state after `parent`; None if the bet or the street leaves the solution."""
        file, branches = before.file, before.walk.follow((before.weighted,), parent, state)
        nodes = branches[-1].nodes
        if len(branches) > 1 and is_below(self.key, branches[0].probability, TRANSLATION, state.actions_in_hand):
            nodes = branches[0].nodes
        if not nodes or file.spot.tree.round[nodes[0].node] - file.spot.root.round >= file.manifest.streets:
            return None
        return before._replace(weighted=WeightedNode(nodes[0].node))
