"""Plays by a betting profile from the flop on, and before it as another bot does. Hold'em, any number of players.

HS is the share of opposing hands that a hand beats on a full board, ties counted half. E[HS] and E[HS²] are its mean and
the mean of its square over all run-outs; the square rewards hands that may become very strong (Kebrle 2016, section 7.3).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State, action_order
from limpet.strategies.abstraction import card_table_kernels as kernels
from limpet.strategies.base.botconfig import bot_beside
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy, pot_raise
from limpet.strategies.cards.equity import FULL_COUNT, holdem_equity, strength_moments
from limpet.strategies.cards.handspace import board_cards, hand_space, is_holdem, read_only
from limpet.strategies.cards.isomorphism import kept_by_board
from limpet.strategies.opponents import profile
from limpet.strategies.opponents.profile import Guards, ProfileRule, ProfileStyle

KNOWN_SWEEPS = 4
"""Number of flops whose orders of hands are remembered, 2.5 MB each."""


@kept_by_board
def expected_squares(board: tuple[int, ...]) -> NDArray[np.float64]:
    """Return float64 ``[1326]``: the exact E[HS²] of each hand on 3, 4 or 5 board cards, 0 where blocked; read-only.

    A flop takes some 25 ms the first time. Raises `ValueError` for other boards.
    """
    squares = _sweep(board)[0] if len(board) == 3 else strength_moments(board_cards(board, 4, 5))[:, 1]
    return squares / (FULL_COUNT[len(board)] // FULL_COUNT[5]) / FULL_COUNT[5] ** 2


def equal_count_buckets(values: NDArray[np.floating], live: NDArray[np.bool_], count: int) -> NDArray[np.int8]:
    """Return int8 ``[hand]``: the bucket of each hand, 0 for the largest values; -1 for hands that are not live.

    A hand with the rank r of n (0 for the largest value) is in bucket floor(count * r / n). Hands of equal value share
    the bucket of their middle rank, so that a tie is never split.
    """
    held = -values[live]
    ordered = np.sort(held)
    first, after = np.searchsorted(ordered, held), np.searchsorted(ordered, held, side="right")
    buckets = np.full(len(values), -1, np.int8)
    buckets[live] = count * (first + after - 1) // (2 * len(held)) if len(held) else 0
    return buckets


@kept_by_board
def strength_buckets(board: tuple[int, ...], count: int) -> NDArray[np.int8]:
    """Return int8 ``[1326]``: equal-count buckets by E[HS²], 0 for the strongest; -1 where blocked; read-only."""
    live = ~hand_space().blocked(board)
    return equal_count_buckets(expected_squares(board), live, count)


def strongest(board: tuple[int, ...], share: float) -> NDArray[np.bool_]:
    """Return bool ``[1326]``: whether a hand is one of the strongest `share` of all hands by its E[HS²], ties included."""
    live, square = ~hand_space().blocked(board), expected_squares(board)
    return np.asarray(live & (square >= np.quantile(square[live], 1 - share)))


@kept_by_board
def assumed_equity(board: tuple[int, ...], share: float) -> NDArray[np.float64]:
    """Return float64 ``[1326]``: the equity of each hand against the strongest `share` of all hands by E[HS²]; read-only.

    It is 0 for hands that the board blocks. A flop whose strengths were asked for lately takes some 10 ms the first time.
    """
    space, inside = hand_space(), strongest(board, share)
    if len(board) != 3:
        return holdem_equity(inside.astype(np.float64), board)
    counts = kernels.count_range(_sweep(board)[1], space.holes, inside.astype(np.int32))
    opposing = space.compatible(inside.astype(np.float64)) * comb(45, 2)
    return np.divide(counts / 2, opposing, out=np.zeros(space.size), where=(counts > 0) & (opposing > 0))


@lru_cache(maxsize=KNOWN_SWEEPS)
def _sweep(flop: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Return the sums of squares of all hands on a canonical flop, and their orders on all rivers (`sweep_flop`)."""
    squares, orders = kernels.sweep_flop(np.array(flop, np.int8), hand_space().holes)
    return squares, orders


# --- The rows in one public state: the rule's rows by bucket, in legal actions, under the guards.

BoardRows = Callable[[tuple[int, ...]], Rows]
STYLE_BASE = 4.0
"""Factor of the odds at a style of 1."""
NARROWEST = 0.02
"""Smallest share of hands that a range is assumed to hold."""


def plan_rows(rule: ProfileRule, guards: Guards, style: ProfileStyle, state: State) -> BoardRows:
    """Return what a rule does in a state after the flop: a function that returns its rows for all hands on a board."""
    actions, table = legal_rows(rule, guards, style, state)
    equity, assumed = guarded(guards, state)
    held = table.copy()
    if FOLD in actions:
        held[1] += held[0]
        held[0] = 0
    table = np.concatenate([table, held], axis=1)  # after the rows of all buckets those of hands that must not fold

    def rows(board: tuple[int, ...]) -> Rows:
        buckets = strength_buckets(board, len(rule.rows))
        if equity > 1 or FOLD not in actions:
            return Rows(actions, table, buckets)
        kept = buckets >= 0
        if equity > 0:
            kept &= assumed_equity(board, assumed) >= equity
        return Rows(actions, table, buckets + np.int16(len(rule.rows)) * kept)

    return rows


def legal_rows(
    rule: ProfileRule, guards: Guards, style: ProfileStyle, state: State
) -> tuple[tuple[Action, ...], NDArray[np.float32]]:
    """Return the legal actions and their probabilities float32 ``[action, bucket]``, before the guards against folding.

    Columns that are the same action here are added. Folding where there is nothing to call is a check, and raising where
    it is illegal is a call.
    """
    written = _styled(rule, style)
    sums: dict[Action, NDArray[np.float64]] = {CALL: np.zeros(len(written))}
    if state.can_fold:
        sums[FOLD] = np.zeros(len(written))
    for number, column in enumerate(rule.actions):
        action = legal_action(column, guards, state)
        sums[action] = sums.get(action, np.zeros(len(written))) + written[:, number]
    actions = tuple(sorted(sums, key=action_order))
    table = np.array([sums[action] for action in actions], np.float32)
    return actions, table


def legal_action(column: str, guards: Guards, state: State) -> Action:
    """Return the action that a column stands for in a state, raises moved to the nearest amount that is allowed."""
    bounds = state.raise_bounds()
    if column == "fold":
        return FOLD if state.can_fold else CALL
    if column == "call" or bounds is None:
        return CALL
    low, high = bounds
    if not high:  # a limit game has one raise
        return Action("r", 0)
    if sized := profile.column_size(column):
        number, unit = sized
        by_bet = unit == "bet" and state.to_call
        chips = state.max_spent + round(number * state.to_call) if by_bet else pot_raise(state, number)
    else:
        chips = low if column == "min" else high
    most = state.spent[state.actor] + profile.chips_at_risk(state)
    if chips - state.spent[state.actor] > guards.all_in * (most - state.spent[state.actor]):
        chips = high if column == "all-in" else max(chips, most)
    if guards.overbet is not None:
        chips = min(chips, pot_raise(state, guards.overbet))
    return state.fixed(Action("r", chips))


def guarded(guards: Guards, state: State) -> tuple[float, float]:
    """Return the equity from which a hand must not fold, and the share of hands in the range that it is asked against.

    An equity of 0 is every hand's, and one above 1 none's.
    """
    if profile.chips_at_risk(state) <= guards.committed * state.pot:
        return 0.0, 1.0
    if guards.pot_odds is None:
        return math.inf, 1.0
    price = guards.pot_odds * state.to_call / (state.pot + state.to_call)
    bets = 2 ** round(math.log2(max(1.0, profile.opponents_bets(state))))  # few ranges, so that their equities are kept
    return price ** (1 / (state.remaining - 1)), max(NARROWEST, guards.assumed**bets)


@lru_cache(maxsize=1024)
def _styled(rule: ProfileRule, style: ProfileStyle) -> NDArray[np.float64]:
    """Return the rule's rows float64 ``[bucket, action]`` under a style; they sum to 1."""
    rows = np.array(rule.rows)
    factors = np.ones(len(rule.actions))
    for number, column in enumerate(rule.actions):
        if column == "fold":
            factors[number] = STYLE_BASE**-style.loose
        elif column != "call":
            factors[number] = STYLE_BASE**style.aggressive
    changed = rows * factors
    return read_only(changed / changed.sum(axis=1, keepdims=True))


# --- The player.


class ProfilePlayer(Strategy):
    """Cuts all hands into equally large buckets by E[HS²] and plays the row of the first rule that is for the situation."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a profile, see docs/betting-profiles.md.

        rules: the first rule whose `when` fits is played; the last one has no `when`.
        guards: limits that hold over all rules.
        style: tight or loose, passive or aggressive.
        preflop: the config of the bot that plays before the flop: a name that ships, or a file relative to this config.
        """

        rules: tuple[ProfileRule, ...]
        guards: Guards = Guards()
        style: ProfileStyle = ProfileStyle()
        preflop: str = "chart"

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if not is_holdem(game, whole=True):
            raise ValueError(
                "a profile is for hold'em with flop, turn and river; player 'formula' plays all that the highest hand wins"
            )
        with under("rules"):
            profile.check_rules(options.rules)
        self.options = options
        self.bot = bot_beside(options.preflop, game, folder)
        self.preflop = self.bot.build()

    def start_hand(self, key: HandKey) -> "ProfileHand":
        return ProfileHand(self, self.preflop.start_hand(key))

    def warm_up(self) -> None:
        self.preflop.warm_up()
        for cards in (3, 4, 5):
            strength_buckets(self.game.deck[:cards], 10)
        if self.options.guards.pot_odds is not None:
            for cards in (3, 5):
                assumed_equity(self.game.deck[:cards], 0.5)

    def checksums(self) -> tuple[str, ...]:
        return (self.bot.fingerprint(self.preflop),)

    def describe(self) -> dict[str, str]:
        return {"before the flop": str(self.bot.path)}


@dataclass(eq=False)
class ProfileHand(HandStrategy):
    """The answers in one hand. From the flop on they depend on the public state only."""

    player: ProfilePlayer
    preflop: HandStrategy
    plans: dict[str, BoardRows] = field(default_factory=dict)

    def fork(self) -> "ProfileHand":
        return ProfileHand(self.player, self.preflop.fork(), self.plans)

    def slow(self, state: State) -> bool:
        return state.round in (1, 2) or (state.round == 0 and self.preflop.slow(state))

    def rows(self, state: State) -> Rows:
        if state.round == 0:
            return self.preflop.rows(state)
        if state.betting not in self.plans:
            options = self.player.options
            rule = profile.rule_for(options.rules, profile.seen(state))
            self.plans[state.betting] = plan_rows(rule, options.guards, options.style, state)
        return self.plans[state.betting](state.board)
