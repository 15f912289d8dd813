"""Plays five-card draw: the first round and the draw from a strategy file, the second round solved from both ranges."""

import time
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import find_strategy
from limpet.protocol.gamedef import BET, GameDef
from limpet.protocol.state import State
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.draw.draw_file import DrawPlace, DrawStrategyFile, legal_actions, spot_of
from limpet.strategies.draw.hands import all_hands
from limpet.strategies.draw.second_round import (
    SecondRoundRules,
    SecondRounds,
    SolvedRound,
    classes_after_draw,
    draw_rows,
    ordered_hands,
    range_before_draw,
)
from limpet.strategies.holdem.resolving.time_bank import BankRules, TimeBank


@lru_cache(maxsize=16)
def _betting(file: DrawStrategyFile, node: int) -> NDArray[np.float32]:
    """Return `DrawStrategyFile.betting`, kept for the few decisions of the first round."""
    return file.betting(node)


@lru_cache(maxsize=70)
def _draws(file: DrawStrategyFile, position: int, continuation: int, count: int) -> Rows:
    """Return the rows of a draw. All 35 draws of a file are kept, for two files: some 6 MB each, 40 ms to work out."""
    return draw_rows(file.draws(position, continuation, count))


class DrawPlayer(Strategy, HandStrategy):
    """A draw strategy file that thinks after the draw.

    What it answers depends on public history alone, so that one object answers for all hands.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True, kw_only=True):
        """Options of a draw player.

        strategy: a strategy of ``limpet train``, by name or folder.
        second_round: ``solve`` it in play, or play the ``stored`` solution over few buckets.
        solve: how it is solved.
        bank: the match's time (`BankRules`); each solve gets a share of what is saved, and where that is too little the
            stored solution is played. Without a bank a solve ends by iterations, target and ``solve.seconds``.
        """

        strategy: str
        second_round: Literal["solve", "stored"] = "solve"
        solve: SecondRoundRules = SecondRoundRules()
        bank: BankRules | None = None

    def __init__(self, game: GameDef, options: Strategy.Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        assert isinstance(options, DrawPlayer.Options)
        self.options = options
        self.file = DrawStrategyFile.open(find_strategy(options.strategy, folder))
        self.file.check_game(game)
        self.rounds = SecondRounds(self.file, options.solve)
        self.bank = None if options.bank is None else TimeBank(options.bank)
        self.stored = 0  # number of decisions of second rounds that the stored solution played instead of a solve

    def start_hand(self, key: HandKey) -> HandStrategy:
        if self.bank is not None:
            self.bank.hand_begins()
        return self

    def warm_up(self) -> None:
        ordered_hands()
        _ = self._stored_buckets
        if self.options.second_round == "solve":
            _ = self.rounds.tools
            self.rounds.answer(0, 0, (3, 3), self.options.solve.seconds)

    def slow(self, state: State) -> bool:
        return True

    def rows(self, state: State) -> Rows:
        spot = spot_of(self.file.trees, state)
        if state.round == 0:
            return Rows(legal_actions(state), _betting(self.file, spot.node), all_hands().class_of)
        continuation = self.file.trees.continuations.index(spot.node)
        if state.phase is not BET:
            return _draws(self.file, state.actor, continuation, spot.drawn[0] if spot.drawn else 0)
        if self.options.second_round == "solve":
            began = time.monotonic()
            share = float("inf") if self.bank is None else self.bank.share(state.pot / self.game.big_blind)
            answer = self._answer(state, spot, share)
            if self.bank is not None:
                self.bank.take(time.monotonic() - began)
            if answer is not None:
                return Rows(legal_actions(state), answer.rows[spot.second], self._buckets)
            self.stored += 1
        rows = self.file.second(self.file.leaf(continuation, spot.drawn), spot.second)
        return Rows(legal_actions(state), rows, self._stored_buckets)

    def ranges(self, state: State) -> NDArray[np.float64]:
        """Return float64 ``[position, class]``: what both hold in a state, as its actor takes it. Rows sum to 1."""
        file, spot, own = self.file, spot_of(self.file.trees, state), state.actor
        continuations, ranges = file.trees.continuations, []
        for position in (0, 1):
            mix = self.options.solve.mix if self.options.second_round == "solve" and position != own else 0.0
            reach = range_before_draw(file, position, spot.node, mix)
            if len(spot.drawn) > position:
                codes = file.draws(position, continuations.index(spot.node), spot.drawn[0])
                reach = classes_after_draw(reach, codes, spot.drawn[position], mix)
            ranges.append(reach)
        if spot.second:
            leaf, tree = file.leaf(continuations.index(spot.node), spot.drawn), file.trees.second
            answer = self._answer(state, spot)
            of_class = (file.buckets if answer is None else self.rounds.buckets).of_class
            for node, child in tree.steps(spot.second):
                rows = file.second(leaf, node) if answer is None else answer.rows[node]
                reach = ranges[tree.player[node]] * rows[child - tree.first_child[node]][of_class]
                if reach.sum() > 0:
                    ranges[tree.player[node]] = reach / reach.sum()
        return np.array(ranges)

    def source(self, state: State) -> str:
        """Return a sentence that says what the rows of a state come from."""
        if not state.round or state.phase is not BET:
            return "by the strategy file"
        answer = self._answer(state, spot_of(self.file.trees, state))
        if answer is None:
            return f"by the second round that the file stores, over {self.file.manifest.buckets} buckets"
        return f"by a solve of this second round: {answer.percent:.3f} % of its pot exploitable"

    def _answer(self, state: State, spot: DrawPlace, seconds: float = float("inf")) -> SolvedRound | None:
        """Return the solve of a second round as its actor sees it, or None where the stored one is played."""
        if self.options.second_round == "stored":
            return None
        continuation = self.file.trees.continuations.index(spot.node)
        return self.rounds.answer(state.actor, continuation, spot.drawn, seconds)

    @cached_property
    def _buckets(self) -> NDArray[np.int32]:
        """Return int32 ``[hand]``: the bucket of each hand in a solve."""
        return self.rounds.buckets.of_class[all_hands().class_of]

    @cached_property
    def _stored_buckets(self) -> NDArray[np.int32]:
        """Return int32 ``[hand]``: the bucket of each hand in the stored second rounds."""
        return self.file.buckets.of_class[all_hands().class_of]

    def report(self) -> dict[str, int]:
        """Return the numbers of second rounds ``solved``, and of decisions played as ``stored`` for want of time."""
        return {"solved": self.rounds.solved, "stored": self.stored}

    def checksums(self) -> tuple[str, ...]:
        return (self.file.manifest.sha256,)

    def describe(self) -> dict[str, str]:
        return {"strategy file": str(self.file.folder)}
