"""Tournaments from their terms to their result, in a folder in which they can go on after any end."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from limpet.dealer.matches.match import claim_folder
from limpet.dealer.sit_and_go.inprocess import Report, play_here
from limpet.dealer.sit_and_go.journal import Journal
from limpet.dealer.sit_and_go.prize_luck import luck_by_seat
from limpet.dealer.sit_and_go.sit_and_go import SitAndGo, require_any_stacks
from limpet.dealer.sit_and_go.sng_result import RESULT_FILE, SngResult, sng_result
from limpet.dealer.table.files import json_text, write_terms
from limpet.strategies.storage.folders import replace_file

TERMS_FILE = "sng.json"

Play = Callable[[Journal], None]
"""Function that plays all tournaments that a journal lacks."""


def run_here(sng: SitAndGo, folder: Path, logged: bool, jobs: int, report: Report, adjusts: bool = False) -> SngResult:
    """Play tournaments in this process, or shared out over several; see `run`."""
    bots = require_any_stacks(sng, in_process=True)
    return run(sng, folder, logged, "in-process", lambda journal: play_here(sng, bots, journal, jobs, report), adjusts)


def run_over_tcp(
    sng: SitAndGo, folder: Path, ports: Sequence[int], interface: str, report: Report, adjusts: bool = False
) -> SngResult:
    """Play tournaments at our dealer, with a port for each player, 0 for any; see `run`. Every hand is kept.

    A process can do this once.
    """
    from limpet.dealer.sit_and_go.over_tcp import play_over_tcp  # the reactor is imported only here

    require_any_stacks(sng, in_process=False)
    return run(
        sng, folder, True, "tcp", lambda journal: play_over_tcp(sng, folder, journal, ports, interface, report), adjusts
    )


def run(sng: SitAndGo, folder: Path, logged: bool, how: str, play: Play, adjusts: bool = False) -> SngResult:
    """Play tournaments into `folder`, or go on with those that it holds, and write ``sng-result.json`` there.

    `logged` keeps every hand, otherwise the last one of each tournament. `adjusts` also reports the returns of logged
    tournaments with the luck taken out. Raises `ConfigError` for a folder that holds tournaments of other terms, and what
    `play` raises.
    """
    terms = {**sng.terms(), "logged": logged}
    path = folder / TERMS_FILE
    if claim_folder(path, "tournament", terms, {}, resume=path.exists()):
        write_terms(path, terms)
    journal = Journal(folder, logged)
    try:
        before = sum(line.standing.over for line in journal.last.values())
        began = time.perf_counter()
        play(journal)
        seconds = time.perf_counter() - began
        played = sum(line.standing.over for line in journal.last.values()) - before
    finally:
        journal.close()
    result = sng_result(sng, journal, how, seconds, played, luck_by_seat(folder) if adjusts else None)
    replace_file(folder / RESULT_FILE, json_text(result))
    return result
