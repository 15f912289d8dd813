"""Hands that the match engine plays many at once in this process: the records, logs and counters of one decision after another."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.dealer.matches import match as module
from limpet.dealer.matches import table_hands
from limpet.dealer.matches.inprocess import play_hands, play_rest
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.match_result import MatchResult
from limpet.dealer.matches.matchconfig import Match, MatchConfig, resolve
from limpet.dealer.matches.table_hands import TableHands
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import Bot
from limpet.strategies.holdem.measures import joint_betting
from limpet.strategies.holdem.measures.match_engine import DealsTable, DealtBatch, MatchEngine
from limpet.strategies.players.simple import Call
from tests.dealer.matches.test_match import Stop, stop

LEDUC = "leduc.limit.2p"
PLAYERS = ("leduc", "call", "raise", "fold", "random", "formula")


def match_of(players: Sequence[str], hands: int, **terms: object) -> Match:
    config = MatchConfig("test", list(players), hands, **terms)  # type: ignore[arg-type]
    return resolve(config, Path("."))


def agents_of(match: Match) -> list[Agent]:
    return [Agent(bot.build(), bot.config.seed) for bot in match.players if isinstance(bot, Bot)]


def played(match: Match, folder: Path, resume: bool = False) -> tuple[MatchResult, list[bytes]]:
    """Return the result of a match, and the logs of its seatings."""
    result = run_match(match, folder, "in-process", resume, lambda logs: None)
    return result, [path.read_bytes() for path in sorted(folder.glob("*.log"))]


def both_ways(match: Match, folder: Path, monkeypatch: pytest.MonkeyPatch) -> MatchResult:
    """Play a match many hands at once and one by one, which must come to the same. Returns the result."""
    ways = []
    for name, many in (("at once", 0), ("one by one", 10**9)):
        monkeypatch.setattr(module, "MANY", many)
        result, logs = played(match, folder / name)
        ways.append((result.players, result.seatings, logs))
    assert ways[0] == ways[1]
    return result


@given(
    players=st.tuples(st.sampled_from(PLAYERS), st.sampled_from(PLAYERS)),
    seed=st.integers(0, 2**32 - 1),
    more=st.integers(1, 50),
    first=st.integers(0, 30),
    at_once=st.integers(1, 40),
    fixed_button=st.booleans(),
)
@settings(max_examples=20)
def test_any_bots_play_as_one_decision_after_another(
    players: tuple[str, str], seed: int, more: int, first: int, at_once: int, fixed_button: bool
) -> None:
    """Bots that are no tables, such as `random`, are played by their agents."""
    match = match_of(players, first + more, seed=seed, fixed_button=fixed_button, game=LEDUC)
    ours, theirs = agents_of(match), agents_of(match)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY", 0)
        patch.setattr(table_hands, "AT_ONCE", at_once)
        play = module._fastest(match, ours)
        assert (play is play_rest) == bool({"random", "formula"}.intersection(players))
        for one, other in zip(play(match, (1, 0), ours, first), play_rest(match, (1, 0), theirs, first), strict=True):
            assert (str(one), one.values) == (str(other), other.values)
            assert [(agent.decisions, agent.misses) for agent in ours] == [
                (agent.decisions, agent.misses) for agent in theirs
            ]


def test_logs_are_the_same_byte_for_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = match_of(["kuhn3p", "raise", "kuhn3p"], 80, duplicate=True, restart=True, game="kuhn.limit.3p")
    both_ways(match, tmp_path, monkeypatch)


def test_later_seatings_share_deals_up_to_a_limit_and_deal_the_rest_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_hands, "AT_ONCE", 7)
    monkeypatch.setattr(table_hands, "KEPT", 3)
    dealt: list[int] = []
    table = MatchEngine.table

    def counted(engine: MatchEngine, deals: DealtBatch) -> DealsTable:
        dealt.append(len(deals.holes))
        return table(engine, deals)

    monkeypatch.setattr(MatchEngine, "table", counted)
    both_ways(match_of(["leduc", "call"], 40, duplicate=True, game=LEDUC), tmp_path, monkeypatch)
    assert dealt == [7, 7, 7, 7, 7, 5] + [7, 7, 5]  # the second seating finds the first three


def test_hands_off_a_tree_and_hands_with_too_many_actions_are_played_by_the_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_agents: list[int] = []

    def counted(*given: Any) -> Iterator[HandRecord]:
        for hand in play_hands(*given):
            by_agents.append(hand.hand)
            yield hand

    monkeypatch.setattr(table_hands, "play_hands", counted)
    match = match_of(["leduc-nolimit", "raise"], 100)
    report = both_ways(match, tmp_path, monkeypatch).players[0].report
    assert 0 < report["off_tree"] <= report["misses"] < report["decisions"]
    off_tree = len(by_agents)
    assert 0 < off_tree < 100
    monkeypatch.setattr(joint_betting, "MOST_ACTIONS", 2)
    both_ways(match, tmp_path / "two", monkeypatch)
    assert off_tree < len(by_agents) - off_tree


def test_a_match_stopped_between_goes_on_with_its_counters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY", 0)
    match = match_of(["leduc", "leduc"], 350, duplicate=True)
    whole, logs = played(match, tmp_path / "whole")

    with pytest.raises(Stop):
        run_match(match, tmp_path / "stopped", "in-process", False, stop)
    assert (tmp_path / "stopped" / "seating-2.log").read_bytes().count(b"STATE") == 200
    again, continued = played(match, tmp_path / "stopped", resume=True)
    assert (again.players, continued) == (whole.players, logs)


def test_what_is_made_of_a_table_plays_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine(Call):
        """Plays otherwise."""

    match = match_of(["call", "call"], 10, game=LEDUC)
    agents = agents_of(match)
    TableHands(match, agents)
    agents[1].strategy.__class__ = Mine
    with pytest.raises(ValueError, match="player mine works its answers out"):
        TableHands(match, agents)


def test_damaged_card_tables_are_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*given: object) -> None:
        raise ValueError("damaged")

    match = match_of(["call", "call"], module.MANY, game=LEDUC)
    assert module._fastest(match, agents_of(match)) is not play_rest
    assert module._fastest(match_of(["call", "call"], module.MANY - 1, game=LEDUC), agents_of(match)) is play_rest
    monkeypatch.setattr(table_hands, "MatchEngine", damaged)
    assert module._fastest(match, agents_of(match)) is play_rest
