"""Plays solved spots: where the real hand is in one, its solution; elsewhere a stand-in."""

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from limpet.configs.fitting import under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, State, action_order
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import hand_permutation, permute_cards
from limpet.strategies.players.formula import Formula
from limpet.strategies.players.spot_walk import OFF_TREE, follow, real_actions
from limpet.strategies.sampling import uniform
from limpet.strategies.solutions.match_spot import InSpot, in_spot
from limpet.strategies.solutions.solution_file import SolutionFile
from limpet.strategies.storage.folders import find_strategy
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy, same_for_all

TRANSLATION = 1  # first counter of the coins that translate bets


class _At(NamedTuple):
    """Where a hand stands in a solution."""

    file: SolutionFile
    spot: InSpot
    node: int


class Solved(Strategy):
    """Plays what `limpet solve --export` wrote, when pot, stacks (in big blinds) and board are those of the spot."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a solved player.

        solution: a solution's name, or the path of its folder (with a slash); or several of them, the first that fits
            being played.
        otherwise: who plays elsewhere, and the hands that the solution has no answer for: ``formula``, or ``call``
            (check and call). Each such decision counts as a look-up miss.
        """

        solution: str | tuple[str, ...]
        otherwise: Literal["formula", "call"] = "formula"

    def __init__(self, game: GameDef, options: Strategy.Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        assert isinstance(options, Solved.Options)
        shape = (game.num_players, game.num_suits, game.num_ranks, game.num_hole_cards, game.num_board_cards)
        if not game.no_limit or shape != (2, 4, 13, 2, (0, 3, 1, 1)):
            raise ValueError(
                "solved spots are heads-up no-limit hold'em; player 'blueprint' or 'formula' plays this game"
            )
        names = (options.solution,) if isinstance(options.solution, str) else options.solution
        if not names:
            raise ValueError("no solution is named; write the folder that 'limpet solve SPOT --export FOLDER' made")
        with under("solution"):
            self.files = tuple(SolutionFile.open(find_strategy(name, folder)) for name in names)
        self._call_down = options.otherwise == "call"
        self._formula = Formula(game, Formula.Options(), folder)
        self._found = 0
        self._outside = 0

    def start_hand(self, key: HandKey) -> "SolvedHand":
        return SolvedHand(self, key)

    def report(self) -> dict[str, int]:
        """`in_spot`: decisions in a solved spot. `outside`: the others."""
        return {"in_spot": self._found, "outside": self._outside}

    def checksums(self) -> tuple[str, ...]:
        return tuple(file.manifest.sha256 for file in self.files)

    def describe(self) -> dict[str, str]:
        found = {}
        for number, file in enumerate(self.files, 1):
            manifest = file.manifest
            found[f"solution {number}"] = (
                f"{file.folder}: {manifest.spot.board}, {manifest.exploitability_percent:.3f} % of the pot exploitable"
            )
        return found

    def warm_up(self) -> None:
        self._formula.warm_up()
        for file in self.files:
            file.rows(0, file.spot.cards)

    def stand_in_slow(self, state: State, key: HandKey) -> bool:
        return not self._call_down and self._formula.start_hand(key).slow(state)

    def stand_in(self, state: State, key: HandKey) -> Rows:
        """Rows that are no solution's."""
        if self._call_down:
            return same_for_all({CALL: 1.0}, hand_space().size)
        return self._formula.start_hand(key).rows(state)

    def count(self, found: bool) -> None:
        self._found += found
        self._outside += not found


class SolvedHand(HandStrategy):
    """Answers for one hand. Keeps where every betting sequence stands, so that a coin is thrown once per bet."""

    def __init__(self, player: Solved, key: HandKey) -> None:
        self._player = player
        self._key = key
        self._places: dict[tuple[str, tuple[int, ...]], _At | None] = {}

    def slow(self, state: State) -> bool:
        """A solution's rows on a new board take some milliseconds, and the stand-in may think."""
        return self._place(state) is not None or self._player.stand_in_slow(state, self._key)

    def rows(self, state: State) -> Rows:
        player = self._player
        at = self._place(state)
        player.count(at is not None)
        if at is None:
            rows = player.stand_in(state, self._key)
            return Rows(rows.actions, rows.probabilities, rows.classes, np.ones(rows.probabilities.shape[1], np.bool_))
        real = real_actions(at.file.spot.tree, at.node, state, at.spot.chips)
        board = _spot_board(at, state)
        # A hand's answer is that of the hand it becomes under the spot's suits.
        solution = at.file.rows(at.node, board)[:, hand_permutation(at.spot.suits)]
        missed = solution.sum(axis=0) == 0
        blocked = hand_space().blocked(state.board)
        parts = list(zip(real, solution, strict=True))
        if (missed & ~blocked).any():
            spare = player.stand_in(state, self._key)
            parts += zip(spare.actions, spare.dense(blocked | ~missed), strict=True)
        actions = tuple(sorted({action for action, _ in parts}, key=action_order))
        found = np.zeros((len(actions), len(missed)), np.float32)
        for action, row in parts:
            found[actions.index(action)] += row
        classes = np.where(blocked, -1, np.arange(len(missed))).astype(np.int16)
        return Rows(actions, found, classes, missed)

    def _place(self, state: State) -> _At | None:
        key = state.betting, state.board
        if key not in self._places:
            self._places[key] = self._find(state)
        return self._places[key]

    def _find(self, state: State) -> _At | None:
        if state.parent is not None:
            before = self._place(state.parent.with_board(state.board))
            if before is not None and (at := self._step(before, state)) is not None:
                return at
        for file in self._player.files:
            found = in_spot(file.spot, state)
            if found is not None and found.start.betting == state.betting:
                return _At(file, found, 0)
        return None

    def _step(self, before: _At, state: State) -> _At | None:
        def coin() -> float:
            return uniform(self._key, TRANSLATION, state.actions_in_hand)

        file = before.file
        node = follow(file.spot.tree, before.node, state, before.spot.chips, coin)
        if node == OFF_TREE or file.spot.tree.round[node] - file.spot.root.round >= file.manifest.streets:
            return None
        return before._replace(node=node)


def _spot_board(at: _At, state: State) -> tuple[int, ...]:
    """The real board in the spot's suits, the spot's own cards first."""
    first = len(at.file.spot.cards)
    return at.file.spot.cards + permute_cards(state.board[first:], at.spot.suits)
