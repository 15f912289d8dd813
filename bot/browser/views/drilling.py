"""A drill as a page shows it: a question without its answer, and what an answer lost and why."""

from typing import Any

import msgspec

from limpet.bot.browser.views.grid import number
from limpet.strategies.drills.questions import Question
from limpet.strategies.drills.session import DrillAnswer, DrillSession

ANSWER = ("frequencies", "values", "ranges")
"""Fields of a question that answer it."""


def asked_view(question: Question, again: bool) -> dict[str, Any]:
    """Return a question without its answer, and whether it was missed before."""
    fields: dict[str, Any] = msgspec.to_builtins(question)
    return {name: value for name, value in fields.items() if name not in ANSWER} | {"again": again}


def judged_view(session: DrillSession, question: Question, given: DrillAnswer, action: int) -> dict[str, Any]:
    """Return what an answer lost, the strategy and its values, range against range, and the session so far."""
    rows = zip(question.labels, question.frequencies, question.values, strict=True)
    return {
        **{name: getattr(given, name) for name in ("kind", "lost_bb", "lost_percent", "missed")},
        "actions": [
            {"label": label, "frequency": frequency, "value": value, "lost": question.lost(at), "taken": at == action}
            for at, (label, frequency, value) in enumerate(rows)
        ],
        "ranges": [{"equity": number(side.equity), "share": number(side.share)} for side in question.ranges],
        **session.summary(),
    }
