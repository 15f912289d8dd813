"""The work of ``limpet model``: learns a player from the first hands of archives, and scores the model on the rest."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import isfinite, log
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.workers import Report
from limpet.configs.loading import ConfigError, load_game, mistakes, yaml_text
from limpet.dealer.measures.agree import GAMES_KEPT, AskedBot, hands_of
from limpet.dealer.measures.lbr import WonByRanges, local_best_response, usual_start
from limpet.protocol.archives.hand_file import Skip
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.opponents.agreement import (
    ALL,
    UNIFORM,
    FrequencyBaseline,
    HandSums,
    Prediction,
    ScoreTally,
    count,
    player_decisions,
    predictions,
    tallies,
)
from limpet.strategies.opponents.boosted import BoostedModel, learn_trees
from limpet.strategies.opponents.imitation import LearntModel, Model, ModelOptions, hand_digest, learn
from limpet.strategies.opponents.imitation_file import Card, PlayedModel, read_prior
from limpet.strategies.opponents.raise_sizes import size_part, size_parts
from limpet.strategies.opponents.situations import RecordedDecision, position_name, size_situation

FILES_AS_SESSIONS = 5
"""Least number of files that are split whole, as sessions; of fewer files the hands are split."""
EVERYBODY = "*"
GAMES = {2: "holdem.nolimit.2p.reverse_blinds", 3: "holdem.nolimit.3p", 6: "holdem.nolimit.6p"}
"""Games of no-limit hold'em that ship, by number of players."""

BEFORE_FLOP = "preflop.yaml"
"""Name of the config of a model that plays before the flop alone."""

Hand = tuple[str, HandRecord]
"""File and line of a hand, and the hand."""


Learner = Literal["frequencies", "trees"]
"""What is learnt: frequencies by situation, which need no other package, or decision trees, which need scikit-learn."""


class LearningOptions(NamedTuple):
    """The options of the command that decide what is learnt, and what the model is compared with.

    Attributes:
        players: names or patterns of the players who are learnt as one; ``*`` is everybody.
        against: bot whose predictions the model's are compared with.
        aliases: new names of players by the names in the files, which may hold ``*`` and ``?``.
        unseen_by: bot whose play gives the first ranges of hands that were not shown.
    """

    files: tuple[Path, ...]
    players: tuple[str, ...]
    options: ModelOptions
    test_share: float = 0.2
    """Share of the sessions, or of the hands of few files, that the model is scored on and not learnt from."""
    prior: Path | None = None
    against: str | None = None
    game: GameDef | None = None
    aliases: Mapping[str, str] = {}
    unseen_by: str | None = None
    learner: Learner = "frequencies"


class Scored(NamedTuple):
    """Tallies by street of the model, of baselines and of a bot, on the same decisions.

    Attributes:
        sizes: mean log likelihoods of the sizes of raises, by the model and by the players' own frequencies.
    """

    model: dict[str, ScoreTally]
    plain: dict[str, ScoreTally]
    by_position: dict[str, ScoreTally]
    against: dict[str, ScoreTally] | None
    sizes: dict[str, tuple[HandSums, HandSums]]

    def table(self) -> dict[str, dict[str, Any]]:
        """Return the scores by street as plain data; a mean over nothing is None."""
        rows = {}
        for street, tally in self.model.items():
            if not tally.decisions:
                continue
            model_sizes, plain_sizes = (sums.mean() for sums in self.sizes[street])
            row = {
                "decisions": tally.decisions,
                "log_likelihood": tally.log_likelihood.mean,
                "half_width_95": tally.log_likelihood.half_width,
                "baseline_log_likelihood": self.plain[street].log_likelihood.mean,
                "position_log_likelihood": self.by_position[street].log_likelihood.mean,
            } | {name: mean for name, mean in tally.means().items() if name != "expected_log_likelihood"}
            row |= {"size_log_likelihood": model_sizes.mean, "size_baseline_log_likelihood": plain_sizes.mean}
            if self.against is not None:
                row["against_log_likelihood"] = self.against[street].log_likelihood.mean
            rows[street] = {key: value if isfinite(value) else None for key, value in row.items()}
        return rows


class ScoredModel(NamedTuple):
    """A learnt model, the number of hands that could not be read, and scores on held-out hands, None without any.

    `known` of these hands are not scored, because the prior learnt from them; None where it cannot say.
    """

    learnt: LearntModel[Model] | LearntModel[BoostedModel]
    skipped: int
    known: int | None
    scored: Scored | None


def learn_model(request: LearningOptions) -> ScoredModel:
    """Learn a model and score it. Raises `ConfigError`, `ProtocolError` for files that cannot be read."""
    skipped: list[Skip] = []
    trees = request.learner == "trees"  # they learn from the hands of others too
    if trees and (request.prior is not None or request.options != ModelOptions()):
        raise ConfigError(
            "trees learn from all players of the files at once, from hands that were shown: "
            "leave out --prior, --unseen, --thesis, --ace-low and --preflop-only"
        )
    named = hands_of(request.players, request.files, request.game, request.aliases, skipped, others_too=trees)
    hands, own = [], set[str]()
    for where, record, positions in named:
        hands.append((where, record))
        own.update(record.names[position] for position in positions)
    names = None if EVERYBODY in request.players else frozenset(own)
    first, rest = split(hands, request.files, request.test_share)
    with mistakes():
        prior = None if request.prior is None else read_prior(request.prior)
        clean = rest
        known: int | None = 0
        if prior is not None and rest:
            clean, known = unknown_to(prior, rest)
            if not clean:
                raise ConfigError(
                    f"{request.prior}: the prior learnt from all {known:,} hands that are held out for scores; learn it "
                    "from other files or with their last ones held out, or score nothing with --test-share 0"
                )
        answers = None if request.unseen_by is None else _answers(request.unseen_by)
        records = [record for _, record in first]
        learnt: LearntModel[Model] | LearntModel[BoostedModel]
        learnt = learn_trees(records, names) if trees else learn(records, names, request.options, prior, answers)
    scored = score(learnt.model, first, clean, names, request.against) if clean else None
    return ScoredModel(learnt, len(skipped), known, scored)


def unknown_to(prior: Model, hands: Sequence[Hand]) -> tuple[Sequence[Hand], int | None]:
    """Return the hands that neither a model nor its own priors learnt from, and how many they did.

    All hands and None where a model does not say what it learnt from.
    """
    learnt_from = set[int]()
    model: Model | None = prior
    while model is not None:
        if model.learnt_from is None:
            return hands, None
        learnt_from.update(model.learnt_from.tolist())
        model = model.prior
    clean = [hand for hand in hands if hand_digest(hand[1]) not in learnt_from]
    return clean, len(hands) - len(clean)


def response(config: Path, sets: int, report: Report) -> WonByRanges:
    """Return what the local best response wins heads-up from the bot of a config, over so many duplicate sets."""
    bot = load_bot(config, load_game(GAMES[2]))
    return local_best_response(bot, sets, start=usual_start(bot), report=report)


def bot_configs(card: Card, model: Model | BoostedModel) -> dict[str, str]:
    """Return configs by their names in the model's own folder; ``bot.yaml`` plays the model in a game that ships.

    A model that learnt nothing after the flop, and departs from no other, plays by the betting profile that ships from there on.
    """
    game = next((GAMES[players] for players in reversed(model.seats) if players in GAMES), GAMES[2])
    name = re.sub(r"[\s:|/\\]+", "-", "-".join(card.players)) or "everybody"
    whole = yaml_text({"name": name, "player": "imitation", "game": game, "options": {"model": "."}})
    if isinstance(model, BoostedModel) or card.options.postflop or model.prior is not None:
        return {"bot.yaml": whole}
    profile = load_bot("profile").config
    options = {**profile.options, "preflop": BEFORE_FLOP}
    after = msgspec.structs.replace(profile, name=name, game=game, options=options)
    return {BEFORE_FLOP: whole, "bot.yaml": yaml_text(msgspec.to_builtins(after))}


def split(hands: Sequence[Hand], files: Sequence[Path], share: float) -> tuple[Sequence[Hand], Sequence[Hand]]:
    """Return the first hands and the last ones, of which there is about `share`, whole files where there are enough."""
    if share <= 0:
        return hands, []
    if len(files) < FILES_AS_SESSIONS:
        cut = len(hands) - round(share * len(hands))
        return hands[:cut], hands[cut:]
    last = {str(path) for path in files[len(files) - max(1, round(share * len(files))) :]}
    first = [hand for hand in hands if hand[0].rsplit(":", 1)[0] not in last]
    return first, hands[len(first) :]


def score(
    model: Model | BoostedModel,
    first: Sequence[Hand],
    rest: Sequence[Hand],
    names: frozenset[str] | None,
    against: str | None,
) -> Scored:
    """Return how well the model, frequencies of the first hands and a bot predict the players' decisions of the rest.

    names: of the players; None for everybody. against: name of the bot, if one is to be compared.
    """
    plain: FrequencyBaseline = FrequencyBaseline()
    by_position: dict[str, FrequencyBaseline] = defaultdict(FrequencyBaseline)
    size_counts: dict[str, NDArray[np.float64]] = {}
    for decision in _decisions(first, names):
        plain.add(decision)
        by_position[_position(decision)].add(decision)
        if decision.action.kind == "r":
            state = decision.state
            counts = size_counts.setdefault(size_situation(state), np.ones(size_parts(state)))
            counts[size_part(state, decision.action.size)] += 1

    bot = None if against is None else AskedBot(against)
    played = lru_cache(maxsize=GAMES_KEPT)(lambda game: PlayedModel(game, model))
    sizes = {street: (HandSums(), HandSums()) for street in tallies()}
    scored = Scored(tallies(), tallies(), tallies(), None if against is None else tallies(), sizes)
    for hand in rest:
        game = hand[1].state.game
        decisions = list(_decisions([hand], names))
        for prediction in predictions(played(game), decisions):
            decision = prediction.decision
            count(scored.model, decision, prediction.kinds())
            count(scored.plain, decision, plain.kinds(decision))
            count(scored.by_position, decision, by_position[_position(decision)].kinds(decision))
            if decision.action.kind == "r":
                counts = size_counts.get(size_situation(decision.state), np.ones(size_parts(decision.state)))
                _count_size(sizes, prediction, counts)
        if bot is not None and scored.against is not None:
            record = bot.hand_for(hand[1])
            decisions = list(_decisions([(hand[0], record)], names))
            for prediction in predictions(bot.strategy(record.state.game), decisions):
                count(scored.against, prediction.decision, prediction.kinds())
    return scored


def _count_size(
    sizes: Mapping[str, tuple[HandSums, HandSums]], prediction: Prediction, counts: NDArray[np.float64]
) -> None:
    """Count how likely the part of sizes that a raise was in was, to the model and by counts of the parts before."""
    decision = prediction.decision
    state = decision.state
    chances = np.zeros(len(counts))
    for action, chance in prediction.actions.items():
        if action.kind == "r":
            chances[size_part(state, action.size)] += chance
    taken = size_part(state, decision.action.size)
    for number, each in enumerate((chances, counts)):
        share = each[taken] / each.sum() if each.sum() > 0 else 0.0
        value = log((1 - UNIFORM) * share + UNIFORM / len(each))
        for street in (STREETS[state.round], ALL):
            sizes[street][number].add((decision.where, decision.hand), value)


def _answers(name: str) -> Callable[[State], Rows]:
    """Return a bot's rows in any state of any game that it plays."""
    bot = AskedBot(name)
    return lambda state: bot.strategy(state.game).start_hand(HandKey(0, 0, state.actor)).rows(state)


def _decisions(hands: Sequence[Hand], names: frozenset[str] | None) -> Iterator[RecordedDecision]:
    """Yield the players' decisions, player by player in each hand."""
    for where, record in hands:
        for position, name in enumerate(record.names):
            if names is None or name in names:
                yield from player_decisions(record, position, where)


def _position(decision: RecordedDecision) -> str:
    return position_name(decision.state, decision.state.actor)
