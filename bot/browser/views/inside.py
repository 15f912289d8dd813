"""A hand looked into: at each decision both ranges, the strategy and values of every hand, and other bets tried out."""

from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.bot.browser.views.grid import Grid, decision_grid, number, probabilities, range_grid, values
from limpet.bot.browser.views.hand_values import Report, Valued, blueprint_of, known_values, self_play
from limpet.bot.browser.views.strategy_tree import names_in_blinds
from limpet.bot.browser.views.tree_node import raise_size
from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState
from limpet.protocol.state import raise_to
from limpet.strategies.botconfig import load_bot
from limpet.strategies.cards.handspace import hand_space, is_holdem
from limpet.strategies.cards.range_equity import range_equity
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.records.journal import silenced
from limpet.strategies.resolving.explanation import MIX, ExplainedDecision, explained, one_decision, with_subgame
from limpet.strategies.resolving.hand_history import HandHistory
from limpet.strategies.solutions.answer import Decision, hand_text
from limpet.strategies.strategy import HandKey, HandStrategy
from limpet.strategies.trees.menu import STREETS


class Held(msgspec.Struct, frozen=True):
    """The hand that the actor held: its cards, probabilities of the actions, and values as in the decision's grid."""

    cards: str
    frequencies: tuple[float, ...]
    ev: float | None
    evs: tuple[float | None, ...]


class InsideStep(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of the hand in short.

    Attributes:
        position: the actor's. is_bot: whether the bot decided, and not its opponent.
        taken: words for the action that was taken; empty for a decision that is still open.
        solved: whether a subgame was solved for it. iterations, percent: of that solve; % of its pot exploitable.
        seconds: time that the answer took, a new solve included.
        source: sentence that says where the probabilities are from.
        may_raise: whether another bet may be tried out.
    """

    number: int
    street: str
    board: str
    betting: str
    position: int
    is_bot: bool
    pot_bb: float
    to_call_bb: float
    taken: str
    solved: bool = False
    iterations: int = 0
    percent: float | None = None
    seconds: float = 0.0
    source: str
    may_raise: bool = False


class InsideDecision(msgspec.Struct, frozen=True):
    """A decision of the hand in full.

    Attributes:
        taken: index of the action that was taken; None for another bet, and for a decision that is still open.
        held: the actor's hand, where it is known.
        ranges: both ranges by position; none in games without the 169 classes.
        equity: equity of each position's range, 0 to 1.
        how: how the values were got, in words; empty where there are none.
        error: standard error of one hand's value in big blinds, 0 where they are exact.
    """

    step: InsideStep
    taken: int | None
    held: Held | None
    grid: Grid
    ranges: tuple[Grid, ...]
    equity: tuple[float | None, float | None]
    how: str
    error: float


class InsideHand(msgspec.Struct, frozen=True):
    """A hand looked into. `bot`: position of the bot. `note`: sentence on what the numbers are.

    `holes`: cards by position, as far as they may be shown. `places`: names of the positions.
    """

    hand: int
    bot: int
    name: str
    board: str
    note: str
    holes: tuple[str, str]
    steps: tuple[InsideStep, ...]
    places: tuple[str, str] = ("big blind", "button")


class WhatIf(msgspec.Struct, frozen=True):
    """Another bet in place of what was done.

    Attributes:
        words: the bet in words. size: chips of the hand that it raises to.
        answer: the other player's decision after it.
        values: the actor's hands with what each wins after the bet (share of the pot), where that is known.
    """

    words: str
    size: int
    answer: InsideDecision
    values: Grid | None


def warm_up(config: str, game: GameDef) -> None:
    """Load or compile what looking into a bot's hands needs."""
    if not is_holdem(game) or game.num_players != 2:
        return
    strategy = silenced(load_bot(config, game).build())
    strategy.warm_up()
    if (blueprint := blueprint_of(strategy.start_hand(HandKey(0, 0, 0)))) is not None:
        self_play(blueprint.seat.file.folder)


@dataclass
class LookedInto:
    """A hand that is looked into: the bot's strategy in it, and the decisions that were explained."""

    match: MatchState
    name: str
    hand: HandStrategy
    thinks_by_clock: bool
    decisions: list[ExplainedDecision]
    report: Report = lambda done, total: None
    """Called with how far a decision's values have come."""

    @staticmethod
    def of(config: str, match: MatchState) -> "LookedInto":
        """Have a bot work out a hand again. `match` is the hand as the bot sees it, with the cards that may be shown.

        Raises `ConfigError` for a bot that plays another game than heads-up hold'em.
        """
        game = match.state.game
        if not is_holdem(game) or game.num_players != 2:
            raise ConfigError("looking inside is for heads-up hold'em; this is another game")
        bot = load_bot(config, game)
        strategy = silenced(bot.build())
        strategy.warm_up()
        key = HandKey(bot.config.seed, match.hand, match.position)
        hand, holes = strategy.start_hand(key), match.holes
        own = list(explained(hand, match.position, match.state, holes[match.position]))
        other = list(explained(hand, match.position, match.state, holes[1 - match.position], other=True))
        decisions = sorted([*own, *other], key=lambda seen: seen.state.actions_in_hand)
        by_clock = isinstance(strategy, Resolve) and strategy.resolver.bank is not None
        return LookedInto(match, bot.name, hand, by_clock, decisions)

    def view(self) -> InsideHand:
        """Return the hand with all of its decisions in short."""
        again = "Everything is worked out again, as the bot did at the table."
        clock = " This bot thinks by the clock, so that its solves may have ended a little earlier or later there."
        return InsideHand(
            hand=self.match.hand,
            bot=self.match.position,
            name=self.name,
            board=cards_text(self.match.state.board),
            note=again + (clock if self.thinks_by_clock else ""),
            holes=(cards_text(self.match.holes[0]), cards_text(self.match.holes[1])),
            steps=tuple(self._step(seen, number) for number, seen in enumerate(self.decisions)),
        )

    def decision(self, number_of_decision: int) -> InsideDecision:
        """Return a decision in full."""
        seen = self.decisions[number_of_decision]
        return self._full(seen, known_values(self.hand, seen, self.report), number_of_decision)

    def what_if(self, number_of_decision: int, percent: float) -> WhatIf:
        """Return what follows a bet of `percent` % of the pot in place of what was done. Raises `ValueError`."""
        seen = self.decisions[number_of_decision]
        size = raise_size(seen.state, percent)
        after = seen.state.apply(raise_to(size)).with_board(seen.state.board)
        fork = self.hand.fork()
        rows = fork.rows(after)
        mix = 0.0 if seen.state.actor == self.match.position else MIX
        ranges = HandHistory(seen.state, seen.ranges).after(seen.rows, after, mix).ranges
        hole = self.match.holes[after.actor]
        answer = with_subgame(fork, ExplainedDecision(after, rows, ranges, None, hole))
        words = names_in_blinds(one_decision(seen.state, (raise_to(size),)), 0)[0]
        valued = known_values(fork, answer, self.report, both=True)
        full = self._full(answer, valued, number_of_decision)
        return WhatIf(words, size, full, None if valued is None else _values_after(seen, valued))

    def _step(self, seen: ExplainedDecision, number_of_decision: int) -> InsideStep:
        state, unit = seen.state, seen.state.game.big_blind
        taken = "" if seen.taken is None else names_in_blinds(one_decision(state, (seen.taken,)), 0)[0]
        return InsideStep(
            number=number_of_decision,
            street=STREETS[state.round],
            board=cards_text(state.board),
            betting=state.betting,
            position=state.actor,
            is_bot=state.actor == self.match.position,
            pot_bb=round(state.pot / unit, 3),
            to_call_bb=round(state.to_call / unit, 3),
            taken=taken,
            solved=seen.root is not None,
            iterations=seen.iterations,
            percent=seen.percent,
            seconds=round(seen.seconds, 3),
            source=seen.source,
            may_raise=state.raise_bounds() is not None and state.game.no_limit,
        )

    def _full(self, seen: ExplainedDecision, valued: Valued | None, number_of_decision: int) -> InsideDecision:
        seen = seen if valued is None else seen._replace(values=valued.values)
        state, position = seen.state, seen.state.actor
        weights = [seen.weights(player) for player in (0, 1)]
        equities = [range_equity(state.game, state.board, weights[1 - player]) for player in (0, 1)]
        decision = replace(seen.decision(), actions=names_in_blinds(seen.tree, 0))
        grid = decision_grid(decision, valued=seen.values is not None, equity=equities[position])
        actions = seen.rows.actions
        return InsideDecision(
            step=self._step(seen, number_of_decision),
            taken=actions.index(seen.taken) if seen.taken in actions else None,
            held=_held(seen, decision, equities[position]),
            grid=grid,
            ranges=(range_grid(weights[0], state.board), range_grid(weights[1], state.board)),
            equity=(_mean(equities[0], weights), _mean(1 - equities[0], weights)),
            how="" if valued is None else valued.how,
            error=0.0 if valued is None else round(valued.error, 3),
        )


def _values_after(seen: ExplainedDecision, answer: Valued) -> Grid:
    """Return the hands of the player who bets with what each wins after the bet."""
    position = seen.state.actor
    decision = seen.decision()
    won = answer.values.values[position]
    live = (~hand_space().blocked(seen.state.board)).astype(np.float32)[None]
    known = decision.values._replace(
        strategy=live, actions=won[None], values=np.where(np.arange(2)[:, None] == position, won, 0).astype(np.float32)
    )
    return decision_grid(replace(decision, actions=("held",), fractions=(None,), values=known))


def _held(seen: ExplainedDecision, decision: Decision, equity: NDArray[np.float64]) -> Held | None:
    """Return what the actor's hand does and wins, whether or not its range holds it; None for a hand that is not known."""
    if not seen.hole:
        return None
    hand = hand_space().index(seen.hole)
    names, frequencies = hand_text(hand), probabilities(seen.rows.column(hand))
    if seen.values is None:
        return Held(names, frequencies, number(equity[hand]), ())
    spent = decision.spent[decision.position]
    evs = values(decision.action_net[:, hand] + spent)
    return Held(names, frequencies, number(decision.hand_net[hand] + spent), evs)


def _mean(equity: NDArray[np.float64], weights: list[NDArray[np.float32]]) -> float | None:
    """Return the mean equity of position 0's range, or of what it leaves, over all pairs of hands; see `number`."""
    joint = weights[0] * hand_space().apart(weights[1])
    total = float(joint.sum())
    return number(float(joint @ equity) / total) if total > 0 else None
