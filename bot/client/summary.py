"""The account of the matches that a client has joined."""

from limpet.bot.client.matches import Matches


def summary(matches: Matches) -> dict[str, object]:
    """Return what ``--json`` prints: totals, the strategy's own counters, and each match."""
    tally = matches.tally()
    return {
        "hands": tally.hands,
        "decisions": tally.decisions,
        "failures": tally.failures,
        "misses": tally.misses,
        "bad_lines": tally.bad_lines,
        "decision_ms": tally.decision_ms(),
        "strategy": matches.strategy.report(),
        "lost": matches.lost,
        "matches": [
            {
                "match": number,
                "where": match.where,
                "state": match.progress,
                "reason": match.outcome.reason if match.outcome else "",
                "hands": match.tally.hands,
                "decisions": match.tally.decisions,
                "failures": match.tally.failures,
                "misses": match.tally.misses,
            }
            for number, match in matches.by_number.items()
        ],
    }


def summary_line(matches: Matches) -> str:
    """Return the totals and the strategy's own counters as one line for people."""
    tally = matches.tally()
    parts = [f"{tally.hands} hands", f"{tally.decisions} decisions"]
    if times := tally.decision_ms():
        parts.append(f"decision time {times['p50']:g} ms median, {times['p99']:g} ms p99, {times['max']:g} ms longest")
    counters = {
        "failures": tally.failures,
        "look-up misses": tally.misses,
        "bad lines": tally.bad_lines,
        "matches lost": matches.lost,
    }
    parts += [f"{value} {name}" for name, value in counters.items() if value]
    parts += [f"{name} {value}" for name, value in matches.strategy.report().items()]
    return ", ".join(parts)
