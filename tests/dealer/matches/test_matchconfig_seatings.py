"""Designs of a duplicate match: what is evened out, by counting, and that a match plays, resumes and names them."""

import json
from collections import Counter
from itertools import pairwise
from math import factorial
from pathlib import Path

import numpy as np
import pytest

from limpet.common.statistics import estimate
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.tournament_config import NamedBot, TournamentConfig, resolve_tournament
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.match_result import MatchResult, SeatingLog
from limpet.dealer.matches.matchconfig import Design, Match, MatchConfig, resolve, seatings
from tests.commands import json_of, printed, refused

FOUR = """GAMEDEF
limit
numPlayers = 4
numRounds = 2
blind = 1 2 0 0
raiseSize = 2 4
firstPlayer = 3 1
maxRaises = 2 2
numSuits = 4
numRanks = 6
numHoleCards = 1
numBoardCards = 0 1
END GAMEDEF
"""


def designs() -> list[tuple[int, Design]]:
    every: list[tuple[int, Design]] = [(players, "rotations") for players in range(2, 11)]
    every += [(players, "neighbours") for players in range(2, 11)]
    return every + [(players, "all") for players in range(2, 7)]


@pytest.mark.parametrize(("players", "design"), designs())
def test_every_player_holds_every_position_equally_often(players: int, design: Design) -> None:
    orders = seatings(players, design)
    size = {"rotations": players, "neighbours": players * (players - 1), "all": factorial(players)}[design]
    assert len(orders) == len(set(orders)) == size
    assert all(sorted(order) == list(range(players)) for order in orders)
    held = Counter((seat, player) for order in orders for seat, player in enumerate(order))
    assert len(held) == players**2 and set(held.values()) == {size // players}


@pytest.mark.parametrize(("players", "design"), [entry for entry in designs() if entry[1] != "rotations"])
def test_every_player_sits_behind_every_other_equally_often_in_every_position(players: int, design: Design) -> None:
    orders = seatings(players, design)
    behind = Counter(
        (seat, pair) for order in orders for seat, pair in enumerate(pairwise((*order, order[0])))
    )  # the last position acts before the first one too
    assert len(behind) == players * players * (players - 1)
    assert set(behind.values()) == {len(orders) // (players * (players - 1))}


def test_rotations_never_change_who_sits_behind_whom() -> None:
    behind = Counter(pair for order in seatings(6, "rotations") for pair in pairwise((*order, order[0])))
    assert len(behind) == 6 and set(behind.values()) == {6}


@pytest.fixture
def four(tmp_path: Path) -> str:
    path = tmp_path / "four.game"
    path.write_text(FOUR)
    return str(path)


def match_of(game: str, *players: str, hands: int = 8, seatings: Design | None = "neighbours") -> Match:
    config = MatchConfig("test", list(players), hands=hands, duplicate=True, seatings=seatings, game=game)
    return resolve(config, Path("."))


def play(match: Match, folder: Path, resume: bool = False) -> MatchResult:
    return run_match(match, folder, "in-process", resume, lambda logs: None)


def test_equals_draw_and_a_set_is_all_seatings_of_its_cards(four: str, tmp_path: Path) -> None:
    draw = play(match_of(four, "call", "call", "call", "call"), tmp_path / "draw")
    assert [(player.chips, player.sd) for player in draw.players] == [(0, 0)] * 4
    match = match_of(four, "raise", "call", "fold", "random")
    result = play(match, tmp_path / "out")
    assert (result.design, len(result.seatings), result.samples) == ("neighbours", 12, 8)
    values = []
    for number in range(1, 13):
        log = SeatingLog(tmp_path / "out" / f"seating-{number}.log", match.names, 8)
        log.update()
        values.append(log.values)
    sets = np.mean(values, axis=0) * 1000 / match.game.big_blind
    for player, own in zip(result.players, sets, strict=True):
        found = estimate(own)
        assert (player.mbb_per_game, player.sd) == pytest.approx((found.mean, found.sd))
        assert player.interval_95 == pytest.approx(found.interval)


def test_a_stopped_match_goes_on_and_keeps_its_design(four: str, tmp_path: Path) -> None:
    match = match_of(four, "raise", "call", "fold", "random")
    whole = play(match, tmp_path)
    (tmp_path / "result.json").unlink()
    for number in (7, 12):
        (tmp_path / f"seating-{number}.log").unlink()
    again = play(match, tmp_path, resume=True)
    assert (again.players[0].chips, again.seatings) == (whole.players[0].chips, whole.seatings)
    for other in ("all", None):
        with pytest.raises(ConfigError, match=r"match\.json: design is 'neighbours' there and '(all|rotations)' now"):
            play(match_of(four, "raise", "call", "fold", "random", seatings=other), tmp_path, resume=True)


def test_matches_from_before_there_were_designs_go_on(four: str, tmp_path: Path) -> None:
    match = match_of(four, "raise", "call", "fold", "random", seatings=None)
    whole = play(match, tmp_path)
    terms = json.loads((tmp_path / "match.json").read_text())
    assert terms.pop("design") == "rotations"
    (tmp_path / "match.json").write_text(json.dumps(terms))
    assert play(match, tmp_path, resume=True).players == whole.players
    with pytest.raises(ConfigError, match="design is 'rotations' there"):
        play(match_of(four, "raise", "call", "fold", "random"), tmp_path, resume=True)


def test_table_and_page_name_the_design(four: str, tmp_path: Path) -> None:
    words = ["match", "raise", "call", "fold", "random", "--game", four, "--hands", "4", "--in-process"]
    shown = printed(*words, "--duplicate", "--seatings", "neighbours", "--output", tmp_path / "out")
    assert "4 duplicate sets of 12 seatings (neighbours), seed 1" in shown
    printed("report", tmp_path / "out")
    page = (tmp_path / "out" / "report.md").read_text()
    assert "4 duplicate sets of 12 seatings (neighbours), 48 hands" in page
    assert "make the match a duplicate one" in refused(*words, "--seatings", "all")


def test_configs_name_it_and_are_told_their_mistakes(four: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    text = "name: m\nplayers: [call, call, call, call]\ngame: ./four.game\nduplicate: {}\nseatings: {}\n"
    path.write_text(text.format("true", "all"))
    resolved = json_of("check", path)
    assert resolved["design"] == "all" and len(resolved["seatings"]) == 24
    path.write_text(text.format("false", "all"))
    assert f"{path}:5: seatings: 'all' are seatings of the same cards" in refused("check", path)
    bots: list[str | NamedBot] = [NamedBot(f"p{number}", "call") for number in range(4)]
    tournament = resolve_tournament(TournamentConfig("t", bots, game=four, seatings="neighbours"), Path("."))
    assert (tournament.seatings, tournament.design) == (12, "neighbours")
    seven = FOUR.replace("numPlayers = 4", "numPlayers = 7\nstack = 99 99 99 99 99 99 99").replace(
        "blind = 1 2 0 0", "blind = 1 2 0 0 0 0 0"
    )
    (tmp_path / "four.game").write_text(seven)
    with pytest.raises(ConfigError, match="all orders of 7 players are far too many; 'neighbours' are 42 seatings"):
        resolve(MatchConfig("m", ["call"] * 7, duplicate=True, seatings="all", game=four), Path("."))
