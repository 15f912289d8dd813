"""Trackers' statistics over hands: counted again by hand, chosen, counted apart and written down."""

import csv
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from limpet.common.statistics import wilson_interval
from limpet.dealer.reports.tracker_chances import statistics
from limpet.dealer.reports.tracker_statistics import Share, Tracker, Wanted
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.matchlog import HandRecord
from tests import commands
from tests.commands import json_of, printed, refused
from tests.dealer.helpers import VECTORS, load
from tests.oracles.match_log import read_log

LOG = VECTORS / "holdem.nolimit.2p.reverse_blinds.seed0.log"
THREE = VECTORS / "holdem.nolimit.3p.seed0.log"


ALL = Wanted()


def counted(path: Path, wanted: Wanted = ALL) -> Tracker:
    tracker = Tracker(wanted)
    for _, hand in open_hands(path).hands():
        tracker.add(hand)
    return tracker


ran = partial(commands.run, "hands", "stats")


@pytest.mark.parametrize(("taken", "chances"), [(0, 10), (3, 7), (50, 100), (10, 10)])
def test_wilson_interval(taken: int, chances: int) -> None:
    from scipy.stats import binomtest  # slow to import, and in every process that collects tests

    interval = binomtest(taken, chances).proportion_ci(method="wilson")
    assert wilson_interval(taken, chances) == pytest.approx((interval.low, interval.high), abs=1e-7)


@pytest.mark.parametrize(("path", "name"), [(LOG, "holdem.nolimit.2p.reverse_blinds"), (THREE, "holdem.nolimit.3p")])
def test_showdowns_and_pots_won_counted_again(path: Path, name: str) -> None:
    game = load(name)
    expected: Counter[tuple[str, str]] = Counter()
    for hand in read_log(path.read_text(), game).hands:
        folded_first = {
            before.actor for before, action, _ in hand.decisions() if action.kind == "f" and not before.round
        }
        for position, player in enumerate(hand.names):
            if not hand.state.round or position in folded_first:
                continue
            shows = hand.state.showdown and not hand.state.has_folded(position)
            expected[player, "saw"] += 1
            expected[player, "shown"] += shows
            expected[player, "won"] += hand.values[position] > 0
            expected[player, "won shown"] += shows and hand.values[position] > 0
    tracker = counted(path)
    assert len(tracker.players()) == game.num_players
    for player in tracker.players():
        shares = {statistic.name: by["all"] for statistic, by in tracker.table(player).rows()}
        saw, shown = expected[player, "saw"], expected[player, "shown"]
        assert shares["WTSD"] == Share(shown, saw)
        assert shares["WWSF"] == Share(expected[player, "won"], saw)
        assert shares.get("W$SD", Share(0, 0)) == Share(expected[player, "won shown"], shown)


def test_a_share_of_a_split_pot_is_won() -> None:
    game = load("holdem.nolimit.2p.reverse_blinds")
    line = "STATE:0:cc/cc/cc/cc:2c3d|2d3c/AsKsQs/Js/Ts:0|0:a|b\n"
    (hand,) = read_log(line, game).hands
    tracker = Tracker(ALL)
    tracker.add(hand)
    shares = {statistic.name: by["all"] for statistic, by in tracker.table("a").rows()}
    assert shares["W$SD"] == Share(1, 1) and shares["WWSF"] == Share(1, 1)
    tracker.add(HandRecord(1, hand.state, hand.holes, (100.0, -100.0), hand.names))
    shares = {statistic.name: by["all"] for statistic, by in tracker.table("b").rows()}
    assert shares["W$SD"] == Share(1, 2) and shares["WTSD"] == Share(2, 2)


@pytest.mark.parametrize("by", ["position", "players", "depth"])
def test_groups_add_up_to_all(by: str) -> None:
    table = counted(THREE).table(counted(THREE).players()[0], by)
    assert len(table.hands) > (by == "position") + 1
    assert sum(hands for group, hands in table.hands.items() if group != "all") == table.hands["all"]
    for _, shares in table.rows():
        whole = shares.pop("all")
        assert whole == Share(sum(s.taken for s in shares.values()), sum(s.chances for s in shares.values()))


def test_hands_are_chosen() -> None:
    player, *_ = counted(THREE).players()
    table = counted(THREE).table(player, "position")
    button = counted(THREE, Wanted((player[0] + "*",), ("BTN",))).table(player)
    assert button.hands == {"all": table.hands["BTN"]}
    assert list(button.counts["all"][0]) == list(table.counts["BTN"][0])
    assert counted(THREE, Wanted(seats=(3,))).players() and not counted(THREE, Wanted(seats=(2,))).players()
    deep, shallow = (counted(THREE, Wanted(depth=span)) for span in ((200.0, 200.0), (0.0, 199.0)))
    assert deep.players() and not shallow.players()


def test_command(tmp_path: Path) -> None:
    result = printed("hands", "stats", LOG, "--by", "position")
    assert "fold to c-bet flop" in result and "BB: 20 hands" in result
    data = json_of("hands", "stats", LOG)
    vpip = data["players"][0]["statistics"]["VPIP"]["all"]
    assert vpip["share"] == vpip["taken"] / vpip["chances"]
    assert vpip["interval_95"][0] < vpip["share"] < vpip["interval_95"][1]
    rows = list(csv.DictReader(ran(LOG, "--csv").stdout.splitlines()))
    found = next(row for row in rows if row["statistic"] == "VPIP" and row["player"] == data["players"][0]["player"])
    assert (int(found["taken"]), int(found["chances"])) == (vpip["taken"], vpip["chances"])
    printed("hands", "stats", LOG, "--output", tmp_path / "page")
    page = (tmp_path / "page" / "report.html").read_text()
    assert "bets first after the last raise of the street before was one" in page and "W$SD" in page


def test_guide_tells_what_each_statistic_means() -> None:
    guide = Path("docs/read-hands.md").read_text(encoding="utf-8")
    for name, meaning in statistics(("preflop", "")):
        assert f"|{name.strip()}|{meaning}|" in guide


def test_mistakes() -> None:
    assert ran(LOG, "--player", "Nobody").exit_code == 1
    for span in ("x", "9-3", "-1-2"):
        assert "80-120" in refused("hands", "stats", LOG, "--depth", span)
    assert "one game at a time" in refused("hands", "stats", LOG, VECTORS / "leduc.limit.2p.seed0.log")
