"""``limpet agree`` on matches of small games and of hold'em."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.commands import json_of, printed, refused, run

HANDS = 300


told = partial(json_of, "agree", "--quiet")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matches") / "leduc"
    printed("match", "leduc", "random", "--hands", HANDS, "--in-process", "--output", path)
    return path / "seating-1.log"


def test_a_bot_predicts_itself_as_well_as_its_rows_can(log: Path) -> None:
    data = told("leduc", log, "--player", "leduc")
    streets = data["streets"]
    assert list(streets) == ["preflop", "flop", "turn", "river", "all"]
    assert streets["turn"]["decisions"] == 0 and streets["turn"]["log_likelihood"] is None
    every = streets["all"]
    assert data["hands"] == HANDS and data["decisions"] == every["decisions"]
    assert every["decisions"] == streets["preflop"]["decisions"] + streets["flop"]["decisions"]
    low, high = every["log_likelihood_interval_95"]
    assert low < every["expected_log_likelihood"] < high
    assert every["log_likelihood"] > every["baseline_log_likelihood"] + 0.1
    assert every["calibration_error"] < 0.05 and every["below_2_percent"] < 0.02
    assert len(data["surprises"]) == 10
    chances = [surprise["probability"] for surprise in data["surprises"]]
    assert chances == sorted(chances)
    longer = told("leduc", log, "--player", "leduc", "--shown", 10**6)["surprises"]
    assert longer[:10] == data["surprises"] and len(longer) == every["decisions"]
    worst = data["surprises"][0]
    assert worst["where"].startswith(f"{log}:") and worst["actions"][worst["taken"]] == pytest.approx(
        worst["probability"]
    )
    other = told("leduc", log, "--player", "random")["streets"]["all"]
    assert other["log_likelihood"] < every["log_likelihood"] - 0.5
    assert told("leduc", log, "--player", "ran*")["streets"]["all"] == other


def test_all_players_whose_names_fit_are_asked_about(log: Path) -> None:
    one, other = (told("leduc", log, "--player", name) for name in ("leduc", "random"))
    both = told("leduc", log, "--player", "*")
    assert both["decisions"] == one["decisions"] + other["decisions"] and both["hands"] == HANDS
    mean = sum(data["streets"]["all"]["log_likelihood"] * data["decisions"] for data in (one, other))
    assert both["streets"]["all"]["log_likelihood"] == pytest.approx(mean / both["decisions"])


def test_some_decisions_are_drawn_evenly_and_by_the_seed(log: Path) -> None:
    every = told("leduc", log, "--player", "leduc")
    some = told("leduc", log, "--player", "leduc", "--decisions", 150)
    assert some["streets"]["all"]["decisions"] == 150 and some["decisions"] == every["decisions"]
    assert some == told("leduc", log, "--player", "leduc", "--decisions", 150)
    assert some != told("leduc", log, "--player", "leduc", "--decisions", 150, "--seed", 2)
    assert told("leduc", log, "--player", "leduc", "--decisions", 10**6) == every


def test_unknown_cards_are_skipped_or_averaged(log: Path) -> None:
    half = log.with_name("half.log")
    lines = log.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("STATE:0:"))
    for number in range(at, at + 100):
        cards = lines[number].split(":")[3]
        holes = cards.split("/")[0]
        lines[number] = lines[number].replace(f":{cards}:", f":{cards.replace(holes, '|')}:")
    half.write_text("\n".join(lines) + "\n")
    without, averaged = told("leduc", half, "--player", "leduc"), told("leduc", half, "--player", "leduc", "--ranges")
    [(reason, skipped)] = without["skipped"].items()
    assert "unknown hole cards" in reason and skipped > 100
    assert averaged["decisions"] == without["decisions"] + skipped and not averaged["skipped"]
    known = told("leduc", log, "--player", "leduc")["streets"]["all"]["log_likelihood"]
    assert averaged["streets"]["all"]["log_likelihood"] < known
    drawn = told("leduc", half, "--player", "leduc", "--ranges", "--decisions", 200)
    assert drawn["streets"]["all"]["decisions"] == 200


def test_the_table(log: Path) -> None:
    ran = printed("agree", "leduc", log, "--player", "random", "--decisions", 100, "--quiet", columns=250)
    assert "leduc is asked about 100 of" in ran
    for words in (
        "log likelihood",
        "frequencies",
        "How often what the bot predicted was done:",
        "The largest surprises:",
    ):
        assert words in ran
    assert "│ preflop │" in ran and "│ river" not in ran


def test_mistakes_are_named(log: Path, tmp_path: Path) -> None:
    for words, message in (
        (["leduc", log, "--player", "nobody"], "nobody plays no hand of these files; in them play "),
        (["blueprint", log, "--player", "leduc"], "blueprint can be asked about no decision of leduc: "),
        (["nothing", log, "--player", "leduc"], "none of the bots that ship has this name"),
    ):
        assert message in refused("agree", *words, "--quiet")
    empty = tmp_path / "empty.log"
    empty.write_text("")
    assert "no hands" in run("agree", "leduc", empty, "--player", "leduc").output


DEEP = "holdem.nolimit.2p.reverse_blinds"
LINE = "STATE:{}:r300c/r900c/cc/r2700c:AcAd|KcKd/2h7s9d/Jh/4c:{}|{}:us|them\n"


def test_a_solving_bot_tells_what_its_surprises_cost(tmp_path: Path) -> None:
    log = tmp_path / "river.log"
    log.write_text(LINE.format(0, 2700, -2700) + LINE.format(1, 2700, -2700))
    data = told("limpet-fast", log, "--player", "us", "--game", DEEP, "--decisions", 8)
    rivers = [surprise for surprise in data["surprises"] if surprise["street"] == "river"]
    assert rivers and all(len(surprise["values"]) >= 2 for surprise in rivers)
    bets = [surprise for surprise in rivers if surprise["betting"].endswith("/")]
    calls = [surprise for surprise in rivers if "r2700" in surprise["betting"]]
    assert all(surprise["values"]["c"] > 5 for surprise in bets)
    assert all(surprise["values"].get("f", 0) == 0 for surprise in calls)
    assert all(surprise["values"] is None for surprise in data["surprises"] if surprise["street"] != "river")


def test_what_the_bot_would_have_done_is_no_surprise(tmp_path: Path) -> None:
    log = tmp_path / "river.log"
    log.write_text("STATE:0:r300c/cc/cc/cc:AcAd|KcKd/2h7s9d/Jh/4c:300|-300:us|them\n")
    ran = printed("agree", "call", log, "--player", "us", "--game", DEEP, "--quiet")
    assert "No surprises: with 95% or more the bot does each time what was done." in ran and "largest" not in ran


def test_a_bot_is_made_ready_for_each_game(tmp_path: Path) -> None:
    """A log whose stacks the config maps is played, others are counted with their reason."""
    from limpet.configs.loading import load_game

    text = str(load_game(DEEP))
    for stack in (5000, 100_000):
        (tmp_path / f"{stack}.game").write_text(text.replace("20000 20000", f"{stack} {stack}"))
    log = tmp_path / "hands.log"
    log.write_text("STATE:0:r300c/cc/cc/cc:AcAd|KcKd/2h7s9d/Jh/4c:300|-300:us|them\n")
    data = told("blueprint", log, "--player", "them", "--game", tmp_path / "5000.game")
    assert data["decisions"] == 4 and not data["skipped"]
    assert "stacks of 1000 big blinds are in none of the 'depths'" in refused(
        "agree", "blueprint", log, "--player", "them", "--game", tmp_path / "100000.game"
    )


def test_bets_off_the_menu_are_read_in_all_ways_without_a_draw(tmp_path: Path) -> None:
    log = tmp_path / "off.log"
    log.write_text("STATE:7:r730c/r1900c/cc/cr5000c:AcAd|KcKd/2h7s9d/Jh/4c:5000|-5000:us|them\n")
    options = ("blueprint", log, "--player", "them", "--game", DEEP)
    exact, drawn, many = (told(*options, *more)["streets"] for more in ((), ("--coins", 1), ("--coins", 1000)))
    for street in ("turn", "river"):
        assert exact[street]["probability"] == pytest.approx(many[street]["probability"], abs=0.03)
    assert any(abs(exact[street]["probability"] - drawn[street]["probability"]) > 0.01 for street in exact)


@pytest.mark.parametrize("times", [0.5, 2])
def test_hands_at_other_blinds_are_asked_about_at_the_bots_own(times: float, tmp_path: Path) -> None:
    from limpet.configs.loading import load_game

    def at(times: float) -> Any:
        def chips(amount: int) -> int:
            return int(amount * times)

        game, log = tmp_path / f"{times}.game", tmp_path / f"{times}.log"
        text = str(load_game(DEEP)).replace("20000 20000", f"{chips(20000)} {chips(20000)}")
        game.write_text(text.replace("100 50", f"{chips(100)} {chips(50)}"))
        bets = "/".join((f"r{chips(300)}c", f"r{chips(900)}c", "cc", f"r{chips(2700)}c"))
        lost = chips(2700)
        log.write_text(f"STATE:0:{bets}:AcAd|KcKd/2h7s9d/Jh/4c:{lost}|-{lost}:u_1|them\n")
        return told("blueprint", log, "--player", "u", "--alias", "u_*=u", "--game", game)

    other, own = at(times), at(1)
    assert own["decisions"] == 4 and not own["skipped"]
    for data in (other, own):
        for surprise in data["surprises"]:
            del surprise["where"]
    assert other == own


SIX = """\
PokerStars Hand #1: Hold'em No Limit (50/100) - 2019/07/11 12:00:00 ET
Table 'six' 6-max Seat #6 is the button
Seat 1: ann (10000 in chips)
Seat 2: ben (10000 in chips)
Seat 3: cat (10000 in chips)
Seat 4: dan (10000 in chips)
Seat 5: eve (10000 in chips)
Seat 6: fay (10000 in chips)
ann: posts small blind 50
ben: posts big blind 100
*** HOLE CARDS ***
Dealt to ann [2c 7d]
Dealt to ben [Ks Qd]
Dealt to cat [9c 3d]
Dealt to dan [8c 3h]
Dealt to eve [As Ad]
Dealt to fay [4c 2h]
cat: folds
dan: folds
eve: raises 150 to 250
fay: folds
ann: folds
ben: folds
Uncalled bet (150) returned to eve
eve collected 250 from pot
*** SUMMARY ***
Total pot 250 | Rake 0
"""


def test_a_six_handed_archive(tmp_path: Path) -> None:
    path = tmp_path / "six.txt"
    path.write_text(SIX)
    data = told("chart", path, "--player", "eve")
    assert data["decisions"] == 1 and data["streets"]["preflop"]["probability"] == 1
    assert data["surprises"][0]["hole"] in ("AsAd", "AdAs") and data["surprises"][0]["where"].startswith(str(path))
    assert "blueprint can be asked about no decision of eve" in refused("agree", "blueprint", path, "--player", "eve")
