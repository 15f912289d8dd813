"""A bot's judgement of decisions: that of look-inside, and what hands it has no values for."""

from functools import partial
from pathlib import Path

import pytest

from limpet.bot.browser.views.inside import LookedInto
from limpet.configs.loading import ConfigError, load_game
from limpet.dealer.measures.agree import Options
from limpet.dealer.measures.review import NO_VALUES, OTHER_CARDS, RING, UNKNOWN, JudgedHand, Review, listed, losses
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.messages import MatchState
from limpet.strategies.holdem.luck import decision_values, range_values

GAME = "holdem.nolimit.2p.reverse_blinds"
HANDS = (
    "STATE:0:r250c/cr600r1800c/r3600f:AhJd|AsQs/Js6s8c/3c:1800|-1800:Bot|Hero",
    "STATE:1:r300r900c/r2160f:AhAs|QsJs/5d4dTd:900|-900:Hero|Bot",
    "STATE:2:r250c/cr600c/cr1440c/cr3456c:Kd7d|QhQs/4d7h3c/Ah/8d:-5746|5746:Bot|Hero",
    "STATE:3:f:Kd7d|Qh2s:50|-50:Hero|Bot",
    "STATE:4:r200c/cc/cc/cc:Kd7d|/4d7h3c/Ah/8d:200|-200:Bot|Hero",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sampled values come from an eighth of the deals: they are compared with each other here, and not with the truth."""
    monkeypatch.setattr(decision_values, "sampled_values", partial(range_values.sampled_values, deals=64))


def written(path: Path, *hands: str, game: str = GAME) -> Path:
    path.write_text("\n".join([f"# name/game/hands/seed m {game} {len(hands)} 1", *hands, ""]))
    return path


def review(log: Path, bot: str = "limpet-fast", hero: str = "Hero") -> tuple[Review, list[JudgedHand]]:
    work = Review(Options((log,), bot, hero))
    return work, list(work.judged([], jobs=1))


@pytest.mark.parametrize(
    ("bot", "hands"), [("blueprint", HANDS[:1]), pytest.param("limpet-fast", HANDS[:3], marks=pytest.mark.slow)]
)
def test_values_are_those_of_look_inside(tmp_path: Path, bot: str, hands: tuple[str, ...]) -> None:
    _, judged = review(written(tmp_path / "m.log", *hands), bot)
    off_the_menu = 0
    for hand, line in zip(judged, hands, strict=True):
        record = read_entry(line, load_game(GAME), "")
        assert isinstance(record, HandRecord)
        position = record.names.index("Hero")
        looked = LookedInto.of(bot, MatchState(position, record.hand, record.state, record.holes))
        own = [number for number, step in enumerate(looked.view()["steps"]) if step["is_bot"]]
        for number, decision in zip(own, hand.decisions, strict=True):
            shown = looked.decision(number)["held"]
            values = decision.values or {}
            assert [values[action] for action in decision.actions] == pytest.approx(shown["evs"], abs=1e-3)
            assert list(decision.actions.values()) == pytest.approx(shown["frequencies"], abs=1e-3)
            mean = sum(decision.actions[action] * values[action] for action in decision.actions)
            assert decision.lost == pytest.approx(mean - values[decision.taken])
            off_the_menu += decision.taken not in decision.actions
    assert off_the_menu >= (len(hands) + 1) // 2
    fold = judged[0].decisions[-1]
    assert fold.taken == "f" and fold.values and fold.values["f"] == pytest.approx(0, abs=1e-4) and (fold.lost or 0) > 5


def test_a_hand_is_a_sample_and_walks_count(tmp_path: Path) -> None:
    work, judged = review(written(tmp_path / "m.log", *HANDS))
    assert work.hands == len(judged) == 4 and judged[3].decisions == ()
    assert work.left_out == {UNKNOWN: 4}
    table = losses(judged, lambda _: True)
    assert table["all"].decisions == table["all"].valued == sum(len(hand.decisions) for hand in judged)
    assert table["all"].lost.samples == 4
    lost = [decision.lost for hand in judged for decision in hand.decisions if decision.lost is not None]
    assert table["all"].lost.mean == pytest.approx(100 * sum(lost) / 4)
    streets = [table[street] for street in ("preflop", "flop", "turn", "river")]
    assert sum(street.lost.mean for street in streets) == pytest.approx(table["all"].lost.mean)
    rows = listed(judged, lambda _: True)
    assert [row["lost"] for row in rows] == sorted(lost, reverse=True)
    assert rows[0]["where"] == f"{tmp_path / 'm.log'}:2" and rows[0]["taken"] == "f"


def test_a_bot_without_values_and_other_games_say_how_likely_the_action_was(tmp_path: Path, vectors: Path) -> None:
    _, judged = review(written(tmp_path / "m.log", *HANDS), "formula")
    assert {(one.how, one.values, one.lost) for hand in judged for one in hand.decisions} == {(NO_VALUES, None, None)}
    leduc = written(tmp_path / "l.log", "STATE:0:rc/cc:Ks|Qs/Kh:4|-4:Hero|Bot", game="leduc.limit.2p")
    _, judged = review(leduc, "leduc")
    first, second = judged[0].decisions
    assert first.how == second.how == OTHER_CARDS and 0 < second.probability <= 1
    ring = written(tmp_path / "r.log", *(vectors / "holdem.nolimit.3p.seed0.log").read_text().splitlines()[4:10],
                   game="holdem.nolimit.3p")  # fmt: skip
    _, judged = review(ring, "chart", "P0")
    assert {one.how for hand in judged for one in hand.decisions} == {RING}
    for log in (leduc, ring):
        with pytest.raises(ConfigError, match=r"limpet-fast can judge no hand of .*: "):
            review(log, hero="*")
