"""``limpet aivat`` on matches of a small game: samples, estimators that agree, and mistakes that are named."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from limpet.dealer.measures.match_luck import ESTIMATORS, FIRST_LESSON, DealEvaluator, MatchLuck, read_hands
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.strategies import subjects
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import Recomputed
from limpet.strategies.cards.isomorphism import NUM_CLASSES
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.luck.self_play import SelfPlay
from limpet.strategies.holdem.luck.self_play_values import FlopModel, SelfPlayValues
from limpet.strategies.holdem.luck.value_function import EquityValues, ValueFunction
from limpet.strategies.subjects import named_values, values_for
from tests.commands import json_of, printed, refused

HANDS = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Leduc's equilibrium against random play, in duplicate."""
    path = tmp_path_factory.mktemp("matches") / "leduc"
    printed("match", "leduc", "random", "--hands", HANDS, "--duplicate", "--in-process", "--output", path)
    return path


def everything(taker: DealEvaluator, report: Callable[[int], None] = lambda done: None) -> MatchLuck:
    """All deals, with how many are done told before each."""
    found = []
    for deal in range(taker.num_deals):
        report(deal)
        found.append(taker.evaluate(deal))
    return taker.result(found)


def test_four_estimators_side_by_side(folder: Path) -> None:
    told = json_of("aivat", folder, "--bot", "leduc")
    assert (told["hands"], told["deals"]) == (2 * HANDS, HANDS)
    rows = {row["estimator"]: row for row in told["estimators"]}
    assert tuple(rows) == ESTIMATORS
    raw, found = rows["raw"], rows["AIVAT"]
    result = json.loads((folder / "result.json").read_text())
    mine = next(player for player in result["players"] if player["name"] == "leduc")
    assert raw["mbb_per_game"] == pytest.approx(mine["mbb_per_game"])
    assert raw["interval_95"] == pytest.approx(mine["interval_95"])
    assert found["sd_of_raw"] < 0.45
    assert abs(found["mbb_per_game"] - raw["mbb_per_game"]) < 3 * (raw["interval_95"][1] - raw["mbb_per_game"])
    assert found["deals_for_50_mbb"] < raw["deals_for_50_mbb"] / 4


def test_the_table(folder: Path) -> None:
    log = folder / "seating-1.log"
    shown = printed("aivat", log, "--bot", "leduc", "--baseline", "equity", "--hands", 50, columns=140)
    assert shown.startswith("leduc: 50 hands\n")
    assert all(name in shown for name in ESTIMATORS)


def test_knowing_both_leaves_no_luck(tmp_path: Path) -> None:
    """Self-play, guessed at by its own exact values: every hand comes out as what its position is worth."""
    path = tmp_path / "self-play"
    printed("match", "leduc", "leduc", "--hands", FIRST_LESSON, "--in-process", "--output", path)
    bot = load_bot("leduc")
    strategy = bot.build()
    baseline = values_for(strategy)
    assert isinstance(baseline, ValueFunction)
    hands, deals = read_hands([path / "seating-1.log"], bot.game, None)
    known = {name: Recomputed(strategy, bot.config.seed) for name in ("leduc", "leduc.2")}
    luck = everything(DealEvaluator(hands, deals, "leduc", baseline, known))
    worth = [1000 * baseline.start_mean(hand.record.names.index("leduc")) for hand in hands]
    np.testing.assert_allclose(luck.values[:, 3], worth, atol=0.02)
    assert luck.values[:, 0].std() > 1000
    told = json_of("aivat", path, "--bot", "leduc", "--also-known", "leduc")
    assert told["estimators"][3]["sd"] == pytest.approx(luck.samples("AIVAT").std(ddof=1))


def test_knowing_who_calls_leaves_no_luck(tmp_path: Path) -> None:
    """The baseline has the opponent play what it plays: every hand comes out as what its position is worth against it."""
    path = tmp_path / "against-call"
    printed("match", "leduc", "call", "--hands", 24, "--in-process", "--output", path)
    bot = load_bot("leduc")
    other = load_bot("call", bot.game)
    hands, deals = read_hands([path / "seating-1.log"], bot.game, None)
    known = {each.name: Recomputed(each.build(), each.config.seed) for each in (bot, other)}
    luck = everything(DealEvaluator(hands, deals, "leduc", values_for(bot.build()), known))
    for position in (0, 1):
        held = np.array([hand.record.names.index("leduc") == position for hand in hands])
        assert luck.values[held, 0].std() > 1000
        assert luck.values[held, 3].std() < 0.1


def test_with_both_known_only_what_was_public_counts(folder: Path) -> None:
    """Hands of the same betting and board come out the same, whatever both held."""
    bot = load_bot("leduc")
    other = load_bot("random", bot.game)
    hands, deals = read_hands([folder / "seating-1.log"], bot.game, 120)
    known = {each.name: Recomputed(each.build(), each.config.seed) for each in (bot, other)}
    luck = everything(DealEvaluator(hands, deals, "leduc", EquityValues(bot.game), known))
    found: dict[object, list[float]] = {}
    for hand, value in zip(hands, luck.values[:, 3].tolist(), strict=True):
        public = hand.record.names, hand.record.state.betting, hand.record.state.board
        found.setdefault(public, []).append(value)
    repeated = [values for values in found.values() if len(values) > 1]
    assert len(repeated) > 5
    for values in repeated:
        assert values == pytest.approx(values[:1] * len(values))


def test_parts_add_up(folder: Path) -> None:
    bot = load_bot("leduc")
    strategy = bot.build()
    hands, deals = read_hands([folder / "seating-1.log", folder / "seating-2.log"], bot.game, 100)
    known = {"leduc": Recomputed(strategy, bot.config.seed)}
    luck = everything(DealEvaluator(hands, deals, "leduc", values_for(strategy), known))
    np.testing.assert_allclose(luck.parts.sum(axis=1), luck.values[:, 3], atol=1e-9)
    assert len(luck.samples("AIVAT")) == 100
    assert luck.samples("raw")[0] == pytest.approx(luck.values[[0, 100], 0].mean())
    assert (luck.parts[:, 4] == 0).all()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--bot", "leduc", "--player", "nobody"], "nobody did not play"),
        (["--bot", "kuhn"], "seating-1.log: the log is of leduc.limit.2p, and kuhn plays kuhn.limit.2p"),
        (["--bot", "random"], "have it play the log's game by --game leduc.limit.2p"),
        (["--bot", "kuhn", "--game", "kuhn.limit.2p"], "correct the line\n"),
        (["--bot", "random", "--game", "leduc.limit.2p"], "the strategy and the seed"),
        (["--bot", "leduc", "--baseline", "kuhn"], "trained for another game"),
        (["--bot", "leduc", "--baseline", "nothing"], "nothing"),
        (["--bot", "leduc", "--rows", __file__], "test_aivat.py: not a file of rows"),
    ],
)
def test_mistakes_are_named(folder: Path, words: list[str], complaint: str) -> None:
    if words[1:3] == ["random", "--game"]:
        words = [*words, "--player", "leduc"]
    said = refused("aivat", folder, *words)
    assert complaint in said
    assert len(said.splitlines()) == 1


def test_a_folder_without_logs(tmp_path: Path) -> None:
    assert "no seating-*.log" in refused("aivat", tmp_path, "--bot", "leduc")


def test_baselines_by_name() -> None:
    leduc = load_bot("leduc").build()
    assert type(values_for(leduc)) is type(named_values(leduc.game, "leduc", Path(".")))
    assert isinstance(small := values_for(leduc), SelfPlayValues) and small.play.calling == 0
    three = load_bot("kuhn3p").build()
    assert type(values_for(three)) is type(named_values(three.game, "equity", Path(".")))


@pytest.mark.slow
def test_a_player_that_thinks_is_guessed_at_by_what_it_begins_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """In hold'em, with an opponent who calls more often than the strategy would."""

    def model(file: StrategyFile, *rest: object) -> FlopModel:
        leaves = len(SelfPlay(file).first_round[0].leaves)
        return FlopModel(np.zeros(leaves), np.ones(leaves), *np.zeros((2, leaves, NUM_CLASSES)))

    monkeypatch.setattr(subjects, "_kept_model", model)
    baseline = values_for(load_bot("limpet-fast").build())
    assert isinstance(baseline, SelfPlayValues) and baseline.play.file.manifest.name == "hunl-200bb"
    assert baseline.play.calling == subjects.CALLING > 0


class Pupil(EquityValues):
    """Keeps what it was taught, and after how many hands."""

    def __init__(self, game: GameDef) -> None:
        super().__init__(game)
        self.done = 0
        self.lessons: list[tuple[int, list[tuple[HandRecord, int]]]] = []

    def learn(self, hands: Sequence[tuple[HandRecord, int]]) -> None:
        self.lessons.append((self.done, list(hands)))

    def report(self, done: int) -> None:
        self.done = done


def test_a_baseline_learns_from_deals_before_those_it_judges_only(folder: Path) -> None:
    """In both seatings, after 32 deals and whenever there are twice as many."""
    bot = load_bot("leduc")
    hands, deals = read_hands([folder / "seating-1.log", folder / "seating-2.log"], bot.game, 100)
    known = {"leduc": Recomputed(bot.build(), bot.config.seed)}
    pupil = Pupil(bot.game)
    everything(DealEvaluator(hands, deals, "leduc", pupil, known), pupil.report)
    assert [(done, len(lesson)) for done, lesson in pupil.lessons] == [(32, 2 * 32), (64, 2 * 32)]
    for number, (_, lesson) in enumerate(pupil.lessons):
        assert {record.hand for record, _ in lesson} == set(range(32 * number, 32 * (number + 1)))
        assert all(record.names[position] == "leduc" for record, position in lesson)
    frozen = Pupil(bot.game)
    everything(DealEvaluator(hands, deals, "leduc", frozen, known, learning=False))
    assert not frozen.lessons


@pytest.mark.slow
def test_a_learned_opponent_takes_more_luck_out(tmp_path: Path) -> None:
    """Of one who plays nothing like the strategy; the mean stays where it is."""
    path = tmp_path / "call"
    printed("match", "leduc", "call", "--hands", 600, "--in-process", "--output", path)
    frozen, learned = (
        json_of("aivat", path, "--bot", "leduc", *words)["estimators"][3] for words in (["--frozen"], [])
    )
    assert learned["sd"] < 0.8 * frozen["sd"]
    assert abs(learned["mbb_per_game"] - frozen["mbb_per_game"]) < 2 * frozen["sd"] / 600**0.5
