"""Every tool on games other than hold'em: two draw games and pot-limit hold'em go through the same commands."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from limpet.bot.cli import main
from limpet.configs.loading import load_game

GAMES = ("draw5-pl-hu", "draw-triple", "pot-limit")
PLAYERS = {"draw5-pl-hu": "draw5-formula", "draw-triple": "draw5-formula", "pot-limit": "formula"}


def ran(*words: object) -> Result:

    return CliRunner(env={"COLUMNS": "160"}).invoke(main, [str(word) for word in words])


def told(*words: object) -> str:
    result = ran(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


class Played:
    """A short duplicate match of a rule player against random play."""

    def __init__(self, game: str, root: Path) -> None:
        self.bot = PLAYERS[game]
        self.game = root / f"{game}.game"
        text = str(load_game(game if game != "pot-limit" else "holdem.nolimit.2p.reverse_blinds"))
        self.game.write_text(text.replace("nolimit", "betting = potlimit"))
        self.folder = root / game
        table = ("--game", self.game, "--hands", 6, "--seed", 3, "--duplicate", "--in-process")
        told("match", self.bot, "random", *table, "--output", self.folder, "--json")

    @property
    def log(self) -> Path:
        return self.folder / "seating-1.log"


@pytest.fixture(scope="module", params=GAMES)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(request.param, tmp_path_factory.mktemp("matches"))


def states(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.startswith("STATE:")]


def replayed(path: Path) -> list[str]:
    """Return the replay of all hands of a file, without the lines that name the file."""
    return [line for line in told("hands", "replay", path, "--all").splitlines() if str(path) not in line]


def test_hands_are_read_and_come_back_from_phh(played: Played, tmp_path: Path) -> None:
    phh, back = tmp_path / "hands.phhs", tmp_path / "back.log"
    told("hands", "convert", played.log, "--to", "phh", "-o", phh)
    told("hands", "convert", phh, "--to", "acpc", "-o", back)
    assert states(back) == states(played.log) and len(states(back)) == 6
    for file in (played.log, phh):
        assert "6 hands, 0 skipped, 0 with odd payoffs" in told("hands", "check", file)
        assert played.bot in told("hands", "summary", file)
    assert replayed(phh) == replayed(played.log)


def test_a_match_is_reported(played: Played) -> None:
    told("report", played.folder)
    page = (played.folder / "report.md").read_text()
    assert played.bot in page and "nan" not in page


@pytest.mark.parametrize("how", ["cards", "bot", pytest.param("both", marks=pytest.mark.slow)])
def test_luck_is_taken_out(played: Played, how: str) -> None:
    words = {
        "cards": ("--cards-only", "--player", played.bot),
        "bot": ("--bot", played.bot, "--guess", "equity"),
        "both": ("--bot", played.bot, "--guess", "equity", "--also-known", "random"),
    }[how]
    facts = json.loads(told("aivat", played.folder, *words, "--game", played.game, "--jobs", 1, "--json"))
    rows = {row["estimator"]: row for row in facts["estimators"]}
    assert (facts["hands"], facts["deals"]) == (12, 6)
    raw = json.loads((played.folder / "result.json").read_text())["players"][0]["mbb_per_game"]
    assert rows["raw"]["mbb_per_game"] == pytest.approx(raw)
    last = rows["cards only" if how == "cards" else "AIVAT"]
    assert last["mbb_per_game"] != pytest.approx(raw)


def test_another_seed_is_noticed(played: Played, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("name: other\nplayer: random\ngame: draw5-pl-hu\nseed: 99\n")
    result = ran(
        "aivat", played.folder, "--bot", other, "--player", "random", "--guess", "equity", "--game", played.game
    )
    assert result.exit_code == 2 and "is what this bot plays after" in result.stderr


def test_agreement_is_about_the_betting(played: Played) -> None:
    facts = json.loads(told("agree", played.bot, played.log, "--player", played.bot, "--game", played.game, "--json"))
    betting = sum(
        len(re.findall("[fcr]", line.split(":")[2])) for line in states(played.log)
    )  # of both players; half or so are the bot's
    assert 0 < facts["decisions"] < betting


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (("lbr", "draw5-formula"), "limpet match --duplicate"),
        (("gain", "draw5"), "second_round: stored"),
        (("explain", "draw5-formula", "MATCHSTATE:0:7:r300:KcKhTsTh7s|"), "limpet move draw5-formula"),
        (("strategy", "exploit", "draw5"), "limpet match"),
        (("match", "draw5-formula", "call", "--compiled", "--hands", "2"), "--in-process"),
        (("aivat", "{log}", "--bot", "draw5-formula", "--rows", "{log}"), "leave it out"),
    ],
)
def test_refusals_say_what_to_do_instead(
    words: tuple[str, ...], instead: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "one.log"
    log.write_text("STATE:2:cc/d3d0/r200c:4sAsJh2s4d|5sKd8s3cAh/QhAcTc4d|:200|-200:draw5-formula|B\n")
    result = ran(*(word.format(log=log) for word in words))
    assert result.exit_code == 2 and instead in result.stderr, result.output
    assert [path.name for path in tmp_path.iterdir()] == ["one.log"]  # nothing was begun
