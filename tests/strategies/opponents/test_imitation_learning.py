"""Models learnt from few and from many hands: rows, fallbacks, priors, and hands that were never shown."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import CALL, FOLD, State
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_number
from limpet.strategies.opponents.imitation import (
    THESIS,
    Model,
    ModelOptions,
    Unlearnable,
    learn,
    own_lines,
    posterior,
)
from limpet.strategies.opponents.imitation_file import Card, checksums, read_card, read_model, write_model
from limpet.strategies.players.formula import Chart
from tests.strategies.opponents.made_hands import HERE, HUNL, SIX, cards, hand, hands_of, state_of


@pytest.fixture(scope="module")
def chart_hands() -> list[HandRecord]:
    return hands_of(Chart(HUNL, Chart.Options(), HERE), 400)


@pytest.fixture(scope="module")
def chart_model(chart_hands: list[HandRecord]) -> Model:
    return learn(chart_hands).model


LINES = [
    "",
    "r300",
    "c",
    "cr300",
    "r300r900",
    "r300c/",
    "r300c/r400",
    "r300c/cr20000",
    "r300c/cc/cr500",
    "cc/cc/cc/r200",
]


@pytest.mark.parametrize("betting", LINES)
def test_rows_are_legal_and_sum_to_one_for_every_hand(chart_model: Model, betting: str) -> None:
    state = state_of(betting, "2c7dTh3s9c")
    rows = chart_model.rows(state)
    assert all(state.is_legal(action) for action in rows.actions)
    assert list(rows.actions) == sorted(rows.actions, key=lambda action: ("fcr".index(action.kind), action.size))
    live = ~hand_space().blocked(state.board)
    dense = rows.dense(~live)
    assert dense.sum(axis=0)[live] == pytest.approx(1, abs=1e-5)
    assert (dense >= 0).all() and (dense[:, ~live] == 0).all()


@pytest.mark.parametrize("players", [2, 3, 6])
def test_seats_and_depths_that_were_never_seen_are_played(chart_model: Model, players: int) -> None:
    game = load_game({2: "holdem.nolimit.2p.reverse_blinds", 3: "holdem.nolimit.3p", 6: "holdem.nolimit.6p"}[players])
    for state in State.start(game).called_down((0, 5, 10, 15, 20)):
        rows = chart_model.rows(state)
        assert all(state.is_legal(action) for action in rows.actions)


def test_the_chart_is_learnt_from_its_hands(chart_model: Model) -> None:
    """Heads-up the chart raises its eight groups from the button and folds the rest, whatever it saw so far."""
    rows = chart_model.rows(State.start(HUNL))
    deuces, trash, aces = (rows.column(hand_space().index(pair)) for pair in ((0, 1), (0, 21), (48, 49)))
    assert trash[rows.actions.index(FOLD)] > 0.8
    assert aces[2:].sum() > 0.9 and deuces[2:].sum() > 0.6


def test_the_thesis_counts_alone_decide(chart_hands: list[HandRecord]) -> None:
    model = learn(chart_hands, {"ann"}, THESIS).model
    node = model.tree.find(State.start(HUNL))
    assert node is not None
    smoothed = THESIS.grid.smooth(node.counts)
    cell = int(THESIS.grid.cell_of_class[class_number("T9s")])
    rows = model.rows(State.start(HUNL))
    assert rows.column(hand_space().index((29, 33))) == pytest.approx(smoothed[:, cell] / smoothed[:, cell].sum())


def test_an_empty_node_falls_back_on_the_situation(chart_hands: list[HandRecord]) -> None:
    """In a line that nobody ever took, the thesis's model plays the frequencies by situation."""
    model = learn(chart_hands, None, THESIS).model
    state = state_of("r300r900r2700r8100r20000")
    assert model.tree.find(state) is None
    kinds = model.kinds(state)
    assert kinds.sum(axis=0) == pytest.approx(1)
    assert kinds == pytest.approx(model.by_situation(state), abs=1e-6)


def test_a_prior_is_kept_where_nothing_was_seen_and_left_where_much_was() -> None:
    """One who always calls, learnt over players who always fold."""
    tight = [hand("f" if n % 2 else "r200f", "", "", number=n) for n in range(60)]
    tight = [each._replace(holes=((0, 21), (4, 25))) for each in tight]
    prior = learn(tight, None).model
    loose = [hand("cc/cc/cc/cc", "Kh5s", "Qd8s", names="cal sam", number=n) for n in range(60)]
    model = learn(loose, {"sam"}, prior=prior).model
    start, facing = State.start(HUNL), state_of("r200")
    at = int(model.cells(start)[hand_space().index(cards("Qd8s"))])
    assert model.kinds(start)[1, at] > 0.7
    assert prior.kinds(start)[1, at] < 0.3
    assert model.kinds(facing) == pytest.approx(prior.kinds(facing), abs=1e-5), "nobody faced a raise here"


class TestHandsNotShown:
    def folding(self, shown: bool, count: int = 600) -> list[HandRecord]:
        """Hands of one who folds the worse half; folded ones are shown or not."""
        chart = hands_of(Chart(HUNL, Chart.Options(), HERE), count, seed=5)
        if shown:
            return chart
        return [each if each.state.showdown else each._replace(holes=((), ())) for each in chart]

    @pytest.mark.slow
    def test_the_share_that_was_seen_is_told(self) -> None:
        seen, some = learn(self.folding(True)), learn(self.folding(False))
        assert seen.seen_share == 1
        assert 0 < some.seen_share < 0.9 and some.decisions == seen.decisions

    @pytest.mark.slow
    def test_ignoring_them_folds_too_seldom_and_bayes_less_so(self) -> None:
        start = State.start(HUNL)

        def folds(found: Model) -> float:
            kinds = found.kinds(start)[0][found.cells(start)]
            return float(kinds.mean())

        right = folds(learn(self.folding(True)).model)
        ignored = folds(learn(self.folding(False)).model)
        estimated = folds(learn(self.folding(False), options=ModelOptions(unseen="bayes")).model)
        assert ignored < right - 0.2
        assert estimated == pytest.approx(right, abs=0.06)

    def test_a_bot_may_say_first_what_hands_were_when_none_was_shown(self) -> None:
        hidden = [each._replace(holes=((), ())) for each in self.folding(True, 300)]
        chart = Chart(HUNL, Chart.Options(), HERE)
        found = learn(hidden, None, ModelOptions(unseen="bayes", postflop=False), unseen_by=chart.rows)
        assert found.seen_share == 0
        rows = found.model.rows(State.start(HUNL))
        trash, aces = (rows.column(hand_space().index(pair)) for pair in ((0, 21), (48, 49)))
        assert trash[rows.actions.index(FOLD)] > 0.8
        assert aces[rows.actions.index(FOLD)] < 0.2

    def test_a_range_is_what_all_actions_leave(self, chart_model: Model) -> None:
        (line,), _ = own_lines([hand("r300c/", "", "", board="2c7dTh")], frozenset({"bob"}))
        held = posterior(line, chart_model.rows)
        assert held.sum() == pytest.approx(1)
        assert held[hand_space().index((48, 49))] > 2 * held[hand_space().index((1, 6))]


def test_what_cannot_be_learnt_is_said() -> None:
    with pytest.raises(Unlearnable, match="no decision of zoe"):
        learn([hand("f")], {"zoe"})
    with pytest.raises(Unlearnable, match="no-limit hold'em"):
        leduc = load_game("leduc.limit.2p")
        learn([HandRecord(0, State.start(leduc).apply(CALL), ((), ()), (0.0, 0.0), ("a", "b"))])
    with pytest.raises(Unlearnable, match="other cells"):
        learn([hand("f", "", "AsAh")], options=THESIS, prior=learn([hand("f", "", "AsAh")]).model)


class TestFolder:
    def test_a_model_read_again_plays_alike(self, chart_model: Model, tmp_path: Path) -> None:
        specific = learn([hand("r300c/cc/cc/cc", "KsQs", "AsAh")], {"bob"}, prior=chart_model).model
        write_model(tmp_path, specific, Card(["bob"], 1, 4, 1.0, specific.options, scores={"all": {"decisions": 1}}))
        again = read_model(tmp_path)
        for betting in LINES:
            state = state_of(betting, "2c7dTh3s9c")
            before, after = specific.rows(state), again.rows(state)
            assert before.actions == after.actions
            assert np.array_equal(before.probabilities, after.probabilities)
        assert read_card(tmp_path).players == ["bob"] and len(checksums(tmp_path)) == 4
        assert "A model of bob" in (tmp_path / "README.md").read_text()

    def test_damaged_folders_are_refused(self, chart_model: Model, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="no model here"):
            read_model(tmp_path)
        write_model(tmp_path, chart_model, Card([], 1, 1, 1.0, chart_model.options))
        text = (tmp_path / "model.json").read_text()
        (tmp_path / "model.json").write_text(text.replace('"format": 1', '"format": 9'))
        with pytest.raises(ValueError, match="format 9"):
            read_model(tmp_path)
        (tmp_path / "model.json").write_text(text.replace('"preflop"', '"preflap"'))
        with pytest.raises(ValueError, match="do not fit each other"):
            read_model(tmp_path)
        (tmp_path / "model.json").write_text(text.replace('"hands": 1', '"hands": "x"'))
        with pytest.raises(ValueError, match="hands"):
            read_model(tmp_path)
        (tmp_path / "model.json").write_text(text)
        data = bytearray((tmp_path / "model.safetensors").read_bytes())
        data[-1] ^= 1
        (tmp_path / "model.safetensors").write_bytes(data)
        with pytest.raises(ValueError, match="SHA-256"):
            read_model(tmp_path)


def test_six_seats_of_one_table_are_told_apart() -> None:
    """Positions have their own frequencies: the button raises, the others fold."""
    made = [hand("fffr250ff", *["7s2h"] * 5, "AsKs", names="a b c d e f", game=SIX, number=n) for n in range(40)]
    made = [each._replace(holes=tuple((4 * p, 4 * p + 9) for p in range(6))) for each in made]
    model = learn(made, options=msgspec.structs.replace(ModelOptions(), tree_weight=50.0)).model
    under, button = model.kinds(State.start(SIX)), model.kinds(state_of("fff", game=SIX))
    assert under[0].mean() > 0.5 > button[0].mean() and button[2].mean() > 0.5
