"""The work of ``limpet review``: every decision of a player in archives of hands is judged by a bot.

Hands are shared over processes, and each is judged alone, so that what was judged can be kept and gone on with.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

import msgspec
import numpy as np

from limpet.common.statistics import Estimate, estimate
from limpet.common.verified import file_digest
from limpet.common.workers import by_processes
from limpet.configs.loading import ConfigError
from limpet.dealer.measures.agree import AskedBot, Options, Questions
from limpet.protocol.cards import cards_text
from limpet.protocol.state import Action
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.strategy import HandKey, HandStrategy, Strategy
from limpet.strategies.cards.handspace import hand_space, is_holdem
from limpet.strategies.holdem.luck.decision_values import answered_bet, known_values
from limpet.strategies.holdem.resolving.explanation import ExplainedDecision, explained
from limpet.strategies.opponents.agreement import ALL, Prediction, predictions
from limpet.strategies.opponents.situations import RecordedDecision, position_name
from limpet.strategies.solvers.vector.vector_solver import NodeValues, possible_reach

HANDS = 8
"""Number of hands given to a process at a time."""
UNKNOWN = "decisions with unknown hole cards"
RING = "decisions in hands of three and more players, for which there are no values"
OTHER_CARDS = "decisions of another game than hold'em, for which there are no values"
NO_VALUES = "decisions for which the bot has no values"


class ReviewTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Terms that must be the same for a review to go on, with the bot's fingerprint; the first line of its file.

    Files are told by their checksums, and those that name no game are read as of `game`.
    """

    bot: str
    hero: str
    files: tuple[str, ...]
    game: str | None
    aliases: dict[str, str]


class JudgedDecision(msgspec.Struct, frozen=True):
    """A decision with what the bot says of it.

    Attributes:
        position: such as ``BTN``; heads-up ``SB`` has the button.
        pot: big blinds in the pot before the action.
        taken: what was done, as in the betting.
        probability: how often the bot does something of that kind, fold, call or raise, with the hand held.
        actions: how often the bot takes each of its actions.
        values: big blinds that each action wins from here on, a fold winning 0; None where they are not known.
        lost: big blinds that the bot's own play wins more than what was done; None without values.
        error: standard error of one hand's value in big blinds; 0 where it is exact.
        how: how the values were got, or why there are none.
    """

    street: str
    position: str
    pot: float
    hole: str
    board: str
    betting: str
    taken: str
    probability: float
    actions: dict[str, float]
    values: dict[str, float] | None
    lost: float | None
    error: float
    how: str


class JudgedHand(msgspec.Struct, frozen=True):
    """A hand of the hero with its decisions in order of play; a line of the file in which a review is kept.

    Attributes:
        number: number of the hand among those that can be judged, from 0.
        where: file and line; empty for a hand without a decision.
    """

    number: int
    where: str
    hand: int
    decisions: tuple[JudgedDecision, ...]


# --- One hand is judged.


ValuedActions = tuple[dict[Action, float] | None, float, str]
"""Values of the actions of one decision, in big blinds from here on, their standard error, and how they were got.

Instead of values there may be None, with the reason.
"""


def judge(strategy: Strategy, seed: int, decisions: Sequence[RecordedDecision]) -> Iterator[JudgedDecision]:
    """Yield what a bot says of a player's decisions of one hand, whose hole cards are known.

    Values are those that look-inside shows, by `known_values`; a raise that the bot does not make has that after the
    bot's answer to it.
    """
    first = decisions[0]
    game, actor = first.state.game, first.state.actor
    if game.num_players > 2 or not is_holdem(game):
        why = RING if game.num_players > 2 else OTHER_CARDS
        for prediction in predictions(strategy, decisions, seed):
            yield _judged(prediction, (None, 0.0, why))
        return
    hand = strategy.start_hand(HandKey(seed, first.hand, actor))
    shown = explained(hand, actor, decisions[-1].state, first.hole)
    index = hand_space().index(first.hole)
    for decision, seen in zip(decisions, shown, strict=True):
        chances = seen.rows.column(index).astype(float)
        rows = dict(zip(seen.rows.actions, (chances / chances.sum()).tolist(), strict=True))
        yield _judged(Prediction(decision, rows), _values(hand, seen, decision, index))


def _values(hand: HandStrategy, seen: ExplainedDecision, decision: RecordedDecision, index: int) -> ValuedActions:
    """Return the values of the bot's actions and of the one taken with the hand of an index."""
    valued, taken, actor = known_values(hand, seen), decision.action, decision.state.actor
    if valued is None or not _is_possible(valued.values, actor, index):
        return None, 0.0, NO_VALUES
    spent = decision.state.spent[actor] / decision.state.game.big_blind
    won = dict(zip(seen.rows.actions, (valued.values.actions[:, index] + spent).tolist(), strict=True))
    error = valued.error
    if taken not in won:
        _, after = answered_bet(hand, seen, taken, mix=0.0) if taken.kind == "r" else (None, None)
        if after is None or not _is_possible(after.values, actor, index):
            return None, 0.0, NO_VALUES
        won[taken], error = float(after.values.values[actor, index]) + spent, max(error, after.error)
    return won, error, valued.how


def _is_possible(values: NodeValues, actor: int, index: int) -> bool:
    """Return whether the other player can hold anything beside a hand; else the hand has no value."""
    return bool(possible_reach(values.reach[1 - actor])[index])


def _judged(prediction: Prediction, valued: ValuedActions) -> JudgedDecision:
    """Return a decision with its values."""
    decision, rows, (values, error, how) = prediction.decision, prediction.actions, valued
    state, lost = decision.state, None
    if values is not None:
        lost = sum(rows[action] * values[action] for action in rows) - values[decision.action]
    return JudgedDecision(
        street=STREETS[state.round],
        position=position_name(state, state.actor),
        pot=state.pot / state.game.big_blind,
        hole=cards_text(decision.hole),
        board=cards_text(state.board),
        betting=state.betting,
        taken=str(decision.action),
        probability=prediction.probability,
        actions={str(action): probability for action, probability in rows.items()},
        values=None if values is None else {str(action): value for action, value in values.items()},
        lost=lost,
        error=error,
        how=how,
    )


# --- Many hands are judged, by several processes.

NumberedHand = tuple[int, list[RecordedDecision]]
"""A hand's number among those that can be judged, and the hero's decisions of it."""


class Review:
    """The hands of a hero in files, and the bot that judges them."""

    def __init__(self, options: Options) -> None:
        """Read the files and count the hands. Raises `ConfigError` where no hand can be judged, and `ProtocolError`."""
        self.options = options
        self._questions = Questions(options, UNKNOWN)
        self.asked = self._questions.asked_bot
        self.hands = sum(1 for _ in self._questions)
        self.left_out = dict(self._questions.skipped)
        """Number of hands or decisions that cannot be judged, by reason."""
        if not self.hands:
            why = self.asked.refusal or "; ".join(self.left_out)
            raise ConfigError(f"{self.asked.bot.name} can judge no hand of {options.player}: {why}")

    def terms(self) -> ReviewTerms:
        """Return what must be the same for a stopped review to go on. Raises `OSError` for the files."""
        options = self.options
        digests = tuple(file_digest(path) for path in options.files)
        game = None if options.game is None else str(options.game)
        return ReviewTerms(self.asked.bot.fingerprint(), options.player, digests, game, dict(options.aliases))

    def judged(self, done: Iterable[int], jobs: int) -> Iterator[JudgedHand]:
        """Yield the hands that are not yet `done`, judged by up to `jobs` processes, in any order."""
        known = set(done)
        left = (hand for hand in enumerate(self._questions) if hand[0] not in known)
        if jobs == 1 or self.hands - len(known) <= HANDS:
            for hand in left:
                yield _judge_hand(self.asked, hand)
            return
        pieces = iter(lambda: list(islice(left, HANDS)), [])
        for piece in by_processes(partial(_judge_hands, self.options.bot), pieces, jobs):
            yield from piece


_asked_bot = lru_cache(maxsize=1)(AskedBot)
"""Returns the bot of a name, the same one in all work of a process."""


def _judge_hands(bot: str, hands: Sequence[NumberedHand]) -> list[JudgedHand]:
    return [_judge_hand(_asked_bot(bot), hand) for hand in hands]


def _judge_hand(asked: AskedBot, hand: NumberedHand) -> JudgedHand:
    number, decisions = hand
    if not decisions:
        return JudgedHand(number, "", -1, ())
    strategy = asked.strategy(decisions[0].state.game)
    judged = tuple(judge(strategy, asked.bot.config.seed, decisions))
    return JudgedHand(number, decisions[0].where, decisions[0].hand, judged)


# --- What the decisions come to.


class StreetLoss(NamedTuple):
    """The decisions on one street, or on all, those with values, and the big blinds lost in 100 hands.

    `probability` is the mean of how often the bot does what was done; NaN for no decision.
    """

    decisions: int
    valued: int
    probability: float
    lost: Estimate


class DecisionFilter(NamedTuple):
    """A choice of decisions by the names of streets and positions, empty for all, and by the pot in big blinds."""

    streets: Sequence[str] = ()
    positions: Sequence[str] = ()
    min_pot: float = 0.0
    max_pot: float | None = None

    def fits(self, decision: JudgedDecision) -> bool:
        """Return whether a decision is chosen."""
        where = not self.positions or decision.position in self.positions
        is_large = self.min_pot <= decision.pot and (self.max_pot is None or decision.pot <= self.max_pot)
        return where and is_large and decision.street in (self.streets or STREETS)


def losses(hands: Sequence[JudgedHand], chosen: Callable[[JudgedDecision], bool]) -> dict[str, StreetLoss]:
    """Return the losses by street and of all streets. A hand is one sample, also one without a chosen decision."""
    table = {}
    for street in (*STREETS, ALL):
        taken = [[one for one in hand.decisions if chosen(one) and street in (one.street, ALL)] for hand in hands]
        flat = [one for decisions in taken for one in decisions]
        samples = [sum(one.lost for one in decisions if one.lost is not None) for decisions in taken]
        table[street] = StreetLoss(
            len(flat),
            sum(one.lost is not None for one in flat),
            float(np.mean([one.probability for one in flat])) if flat else float("nan"),
            estimate(np.array(samples, np.float64)).scaled(100),
        )
    return table


def listed(hands: Sequence[JudgedHand], chosen: Callable[[JudgedDecision], bool]) -> list[dict[str, Any]]:
    """Return the decisions as plain data, the largest loss first; those without values follow, the least likely first."""
    rows = [
        {"where": hand.where, "hand": hand.hand, **msgspec.to_builtins(decision)}
        for hand in hands
        for decision in hand.decisions
        if chosen(decision)
    ]
    return sorted(rows, key=lambda row: (row["lost"] is None, -(row["lost"] or 0), row["probability"]))


def without_values(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return the number of listed decisions without values by the reason."""
    return dict(Counter(row["how"] for row in rows if row["lost"] is None))
