"""Every tool on games other than hold'em: two draw games and pot-limit hold'em go through the same commands."""

import json
import re
from functools import partial
from pathlib import Path

import pytest

from limpet.configs.loading import load_game
from tests.commands import json_of, printed, refused

GAMES = ("draw5-pl-hu", pytest.param("draw-triple", marks=pytest.mark.slow), "pot-limit")
PLAYERS = {"draw5-pl-hu": "draw5-formula", "draw-triple": "draw5-formula", "pot-limit": "formula"}


told = partial(printed, columns=160)


class Played:
    """A short duplicate match of a rule player against random play."""

    def __init__(self, game: str, root: Path) -> None:
        self.bot = PLAYERS[game]
        self.game = root / f"{game}.game"
        text = str(load_game(game if game != "pot-limit" else "holdem.nolimit.2p.reverse_blinds"))
        self.game.write_text(text.replace("nolimit", "betting = potlimit"))
        self.folder = root / game
        table = ("--game", self.game, "--hands", 6, "--seed", 3, "--duplicate", "--in-process")
        told("match", self.bot, "random", *table, "--output", self.folder)

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
        "bot": ("--bot", played.bot, "--baseline", "equity"),
        "both": ("--bot", played.bot, "--baseline", "equity", "--also-known", "random"),
    }[how]
    facts = json_of("aivat", played.folder, *words, "--game", played.game, "--jobs", 1)
    rows = {row["estimator"]: row for row in facts["estimators"]}
    assert (facts["hands"], facts["deals"]) == (12, 6)
    raw = json.loads((played.folder / "result.json").read_text())["players"][0]["mbb_per_game"]
    assert rows["raw"]["mbb_per_game"] == pytest.approx(raw)
    last = rows["cards only" if how == "cards" else "AIVAT"]
    assert last["mbb_per_game"] != pytest.approx(raw)


def test_another_seed_is_noticed(played: Played, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("name: other\nplayer: random\ngame: draw5-pl-hu\nseed: 99\n")
    assert "is what this bot plays after" in refused(
        "aivat", played.folder, "--bot", other, "--player", "random", "--baseline", "equity", "--game", played.game
    )


def test_agreement_is_about_the_betting(played: Played) -> None:
    facts = json_of("agree", played.bot, played.log, "--player", played.bot, "--game", played.game)
    betting = sum(
        len(re.findall("[fcr]", line.split(":")[2])) for line in states(played.log)
    )  # of both players; half or so are the bot's
    assert 0 < facts["decisions"] < betting


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (("lbr", "draw5-formula"), "limpet match --duplicate"),
        (("gain", "draw5"), "second_round: stored"),
        (("explain", "draw5-formula", "MATCHSTATE:0:7:c:2c3d|", "--game", "draw5-tiny"), "limpet move draw5-formula"),
        (("explain", "draw5-formula", "{log}", "--hand", "2", "--png", "pictures"), "by category of hand"),
        (("explain", "draw5-formula", "{log}", "--hand", "2", "--rows", "{log}"), "the hand is worked out again"),
        (("strategy", "exploit", "draw5"), "limpet match"),
        (("match", "draw5-formula", "call", "--compiled", "--hands", "2"), "--in-process"),
        (("match", "call", "call", "--game", "draw5-pl-hu", "--compiled", "--hands", "2"), "--in-process"),
        (("match", "call", "call", "--game", "omaha-pl-hu", "--compiled", "--hands", "2"), "--in-process"),
        (("move", "formula", "MATCHSTATE:1:0::|AsKsQsJs", "--game", "omaha-pl-hu"), "call, raise, random"),
        (("move", "expert", "MATCHSTATE:1:0::|AsKsQsJs", "--game", "omaha-pl-hu"), "call, raise, random"),
        (("aivat", "{omaha}", "--cards-only", "--player", "B", "--game", "omaha-pl-hu"), "call, raise, random"),
        (("aivat", "{log}", "--bot", "draw5-formula", "--rows", "{log}"), "leave it out"),
    ],
)
def test_refusals_say_what_to_do_instead(
    words: tuple[str, ...], instead: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "one.log"
    log.write_text("STATE:2:cc/d3d0/r200c:4sAsJh2s4d|5sKd8s3cAh/QhAcTc4d|:200|-200:draw5-formula|B\n")
    omaha = tmp_path / "omaha.log"
    omaha.write_text("STATE:3:cc/cc/cc/cc:3d9h4s6h|2h5sAc7c/JhQh3c/4h/2c:100|-100:A|B\n")
    assert instead in refused(*(word.format(log=log, omaha=omaha) for word in words))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["omaha.log", "one.log"]  # nothing was begun


HAND = "cr300c/d1d1/r600r1800c:KcKhTsTh7s|AcQcTcJc2h/7d|8c:{values}|{back}:draw5-stored|B"


@pytest.mark.parametrize("name", [pytest.param("draw5-stored", marks=pytest.mark.slow), "draw5-formula"])
def test_a_hand_of_draw_is_explained(name: str, tmp_path: Path) -> None:
    log, bot = tmp_path / "one.log", tmp_path / "bot.yaml"
    log.write_text(f"STATE:2:{HAND.format(values=-1800, back=1800)}\n".replace("draw5-stored", name))
    bot.write_text(
        "name: draw5-stored\nplayer: draw\ngame: draw5-pl-hu\nseed: 1\noptions: {strategy: draw5, second_round: stored}\n"
    )
    config = bot if name == "draw5-stored" else name
    seen = json_of("explain", config, log, "--hand", 2)["decisions"]
    assert [decision["betting"] for decision in seen] == ["c", "cr300c/", "cr300c/d1d1/", "cr300c/d1d1/r600r1800"]
    assert [decision["taken"] for decision in seen] == ["r300", "d7s", "r600", "c"]
    assert [decision["hand"] for decision in seen] == ["KcKhTsTh7s"] * 2 + ["KcKhTsTh7d"] * 2
    for decision, cards in zip(seen, ("|", "|", "|/7d|", "|/7d|"), strict=True):
        line = f"MATCHSTATE:0:2:{decision['betting']}:KcKhTsTh7s{cards}"
        line += "/|" if decision["betting"] == "cr300c/" else ""
        assert decision["probabilities"] == pytest.approx(json_of("move", config, line)["probabilities"])
        assert sum(decision["actions"].values()) == pytest.approx(1, abs=1e-4)
        pairs = decision["categories"].values()
        if name == "draw5-formula":
            assert decision["source"] is None and all(kind["own"] is None for kind in pairs)
            continue
        for side in ("own", "other"):
            assert sum(kind[side] for kind in pairs) == pytest.approx(1, abs=1e-5)
        for action, chance in decision["actions"].items():
            assert chance == pytest.approx(sum(kind["own"] * kind["actions"][action] for kind in pairs), abs=1e-5)
    assert "two pair, Kings and Tens" in told("explain", config, log, "--hand", 2)


@pytest.mark.slow
def test_the_guide_shows_what_is_printed() -> None:
    shown = told("explain", "draw5", "MATCHSTATE:0:7:r300r900c/:KcKhTsTh7s|/|").splitlines()
    guide = (Path(__file__).parents[4] / "docs" / "play-draw.md").read_text(encoding="utf-8").splitlines()
    first = guide.index("    2. r300r900c/: pot 18 bb")
    block = [line.removeprefix("    ") for line in guide[first : guide.index("", first)]]
    assert len(block) > 5 and block == shown[(at := shown.index(block[0])) : at + len(block)]


def test_ranges_follow_what_was_done(tmp_path: Path) -> None:
    """A big blind that raises after a limp has stronger hands than before, one that draws a card has two pair more often."""
    line = "MATCHSTATE:1:2:cr300c/d1d1/r600:|AcQcTcJc2h/|8c"
    bot = tmp_path / "bot.yaml"
    bot.write_text(
        "name: b\nplayer: draw\ngame: draw5-pl-hu\nseed: 1\noptions: {strategy: draw5, second_round: stored}\n"
    )
    first, _, draw, after = json_of("explain", bot, line)["decisions"]
    assert first["categories"]["two pair"]["other"] == pytest.approx(123_552 / 2_598_960, abs=1e-6)
    assert draw["categories"]["two pair"]["other"] > 2 * first["categories"]["two pair"]["other"]
    assert after["categories"]["full house"]["other"] > draw["categories"]["full house"]["other"]
