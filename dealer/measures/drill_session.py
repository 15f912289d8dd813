"""A person's answers in a drill: kept on disk, summed up, and repeated where they lost much."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from limpet.common.folders import data_folder, locked, replace_file
from limpet.common.statistics import Estimate, estimate
from limpet.configs.loading import ConfigError
from limpet.dealer.measures.drill_questions import Drill, Question

FORMAT = "limpet-drill/1"
MISSED = 1.0
"""Loss in % of the pot from which an answer counts as missed."""
OFTEN = 0.1
"""How often the strategy takes an action that is one of its own, and no mistake."""
GAPS = (3, 10, 30)
"""Other answers between a missed question and its repetition, and after each right answer the next; then it is learnt."""
PASSIVE = ("check", "call")
Asked = tuple[str, str]
"""Line and hand of a question."""


class DrillAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to a `Question`, the action that wins most, the kind of `mistake`, and what it lost."""

    line: str
    hand: str
    street: str
    seat: str
    facing: bool
    action: str
    best: str
    kind: str
    lost_bb: Annotated[float, msgspec.Meta(ge=0)]
    lost_percent: Annotated[float, msgspec.Meta(ge=0)]

    @property
    def missed(self) -> bool:
        return self.lost_percent >= MISSED

    @property
    def question(self) -> Asked:
        return self.line, self.hand


class DrillFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All answers in a drill, oldest first."""

    format: str
    answers: list[DrillAnswer]


def judged(question: Question, action: int) -> DrillAnswer:
    """Return what an answer to a question comes to."""
    lost = question.lost(action)
    return DrillAnswer(
        line=question.line,
        hand=question.hand,
        street=question.street,
        seat=question.seat,
        facing=question.facing,
        action=question.names[action],
        best=question.names[question.best],
        kind=mistake(question, action),
        lost_bb=lost,
        lost_percent=100 * lost / question.pot,
    )


def mistake(question: Question, action: int) -> str:
    """Return the kind of mistake that an action is against the best one; an empty text where it is none.

    What the strategy itself does `OFTEN` loses only as much as its solve is inexact, unless that is as much as a missed answer. A bet
    in place of a check or a call is too much, and one in place of a fold as well.
    """
    lost = question.lost(action)
    if lost <= 0 or question.frequencies[action] >= OFTEN and 100 * lost < MISSED * question.pot:
        return ""
    taken, best = question.names[action], question.names[question.best]
    if taken == "fold":
        return "folded too much"
    if taken in PASSIVE:
        return "called too much" if best == "fold" else "bet too little"
    if best == "fold" or best in PASSIVE:
        return "bet too much"
    return "bet too small" if action < question.best else "bet too large"  # raises ascend


def due(answers: Sequence[DrillAnswer], began: int = 0, gone: Collection[Asked] = ()) -> Asked | None:
    """Return the missed question that is to be asked again now, the one that has waited longest; None for a new one.

    A new one follows each repetition, so that somebody who misses much sees other questions too.

    began: number of answers before this session. What was missed before it and is not learnt comes first.
    gone: questions that the drill has no longer.
    """
    if len(answers) > began and answers[-1].question in {answer.question for answer in answers[:-1]}:
        return None
    last = {answer.question: number for number, answer in enumerate(answers)}
    rights: dict[Asked, int] = {}
    for answer in answers:
        if answer.missed or answer.question in rights:
            rights[answer.question] = 0 if answer.missed else rights[answer.question] + 1
    unlearnt = (question for question, right in rights.items() if right < len(GAPS) and question not in gone)
    ready = [
        question
        for question in unlearnt
        if last[question] < began or len(answers) - 1 - last[question] >= GAPS[rights[question]]
    ]
    return min(ready, key=lambda question: last[question], default=None)


class DrillScore(msgspec.Struct, frozen=True):
    """The mean loss of answers. Half intervals of 95 % are None for fewer than two answers."""

    answers: int
    missed: int
    lost_bb: float
    lost_bb_half: float | None
    lost_percent: float
    lost_percent_half: float | None


def score(answers: Sequence[DrillAnswer]) -> DrillScore | None:
    """Return the mean losses of answers with their 95 % intervals; None for no answers."""
    if not answers:
        return None
    blinds, percent = (estimate([getattr(answer, name) for answer in answers]) for name in ("lost_bb", "lost_percent"))
    missed = sum(answer.missed for answer in answers)
    return DrillScore(len(answers), missed, blinds.mean, _half(blinds), percent.mean, _half(percent))


def _half(mean: Estimate) -> float | None:
    return mean.half_width if mean.samples > 1 else None


class CostlyKind(msgspec.Struct, frozen=True):
    """A kind of mistake in one sort of decision, and what it lost in all."""

    street: str
    seat: str
    facing: bool
    kind: str
    answers: int
    lost_bb: float


def most_expensive(answers: Sequence[DrillAnswer]) -> list[CostlyKind]:
    """Return the kinds of mistakes, those that lost most in all first."""
    sums: dict[tuple[str, str, bool, str], list[float]] = {}
    for answer in answers:
        if answer.kind:
            sums.setdefault((answer.street, answer.seat, answer.facing, answer.kind), []).append(answer.lost_bb)
    kinds = (CostlyKind(*key, len(lost), sum(lost)) for key, lost in sums.items())
    return sorted(kinds, key=lambda kind: -kind.lost_bb)


def drills_folder() -> Path:
    """Return the folder in which answers are kept; it may not exist yet."""
    return data_folder() / "drills"


def read_answers(path: Path) -> list[DrillAnswer]:
    """Return the answers that a file holds, none where there is no file. Raises `ConfigError` for one that is damaged."""
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=DrillFile)
        if kept.format != FORMAT:
            raise msgspec.ValidationError(f"format {kept.format!r}; this version reads {FORMAT!r}")
    except FileNotFoundError:
        return []
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: these answers cannot be read ({error}); move the file away to begin anew"
        ) from error
    return kept.answers


class DrillSession:
    """A session of a drill: it asks, judges and keeps every answer at once.

    `answers` begin with those of earlier sessions, `began` in number; a session meanwhile adds its own to the file alone.
    """

    def __init__(self, drill: Drill, path: Path, seed: int) -> None:
        """Read the answers of earlier sessions. Raises `ConfigError` for a damaged file."""
        self.drill, self.path, self.seed = drill, path, seed
        self.answers = read_answers(path)
        self.began = len(self.answers)
        self._gone: set[Asked] = set()

    @property
    def here(self) -> list[DrillAnswer]:
        return self.answers[self.began :]

    def ask(self) -> tuple[Question, bool]:
        """Return the next question, and whether it comes again. Asked twice without an answer it is the same."""
        while (missed := due(self.answers, self.began, self._gone)) is not None:
            try:
                return self.drill.again(*missed), True
            except ValueError:  # an older solution of the spot had it
                self._gone.add(missed)
        return self.drill.draw(np.random.default_rng((self.seed, len(self.answers) - self.began))), False

    def answer(self, question: Question, action: int) -> DrillAnswer:
        """Judge an answer, and add it to what the file holds by now: others may drill the same meanwhile.

        Raises `OSError` if it cannot be written, and `ConfigError` for a file that was damaged meanwhile.
        """
        given = judged(question, action)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.parent, wait=True):
            replace_file(self.path, msgspec.json.encode(DrillFile(FORMAT, [*read_answers(self.path), given])))
        self.answers.append(given)
        return given

    def summary(self) -> dict[str, Any]:
        return {"score": score(self.here), "mistakes": most_expensive(self.here)}
