"""Models of decision trees: learnt, kept, and played."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.opponents import boosted
from limpet.strategies.opponents.boosted import BoostedModel, learn_trees
from limpet.strategies.opponents.imitation import ModelOptions, Unlearnable
from limpet.strategies.opponents.imitation_file import (
    Card,
    PlayedModel,
    read_card,
    read_model,
    read_prior,
    write_model,
)
from tests.strategies.opponents.made_hands import SIX, cards, hand, state_of

STRONG, WEAK = "AsAh", "7d2c"


def played() -> list[HandRecord]:
    """Ann, the second to act, folds weak hands to a raise and raises strong ones to 900, on the flop to 300; bob always calls."""
    made = []
    for number in range(120):
        strong = number % 2 == 0
        line = "r300r900c/r1200c/cc/cc" if strong else "r300f"
        made.append(hand(line, STRONG if strong else WEAK, "KsQs", board="2h7dTh3s9c", names="ann bob", number=number))
        made.append(hand("r300c/cc/cc/cc", "KcQc", "JsJh", board="2h7dTh3s9c", names="eve bob", number=200 + number))
    return made


@pytest.fixture(scope="module")
def model() -> BoostedModel:
    pytest.importorskip("sklearn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boosted, "ROUNDS", 12)
        patch.setattr(boosted, "SIZE_ROUNDS", 2)
        learnt = learn_trees(played(), ["ann"])
    assert (learnt.hands, learnt.decisions, learnt.seen) == (120, 60 * 4 + 60, 60 * 4 + 60)
    return learnt.model


def test_strong_and_weak_hands_are_told_apart(model: BoostedModel) -> None:
    state = state_of("r300")
    kinds = model.kinds(state)[:, model.cells(state)]
    strong, weak = (kinds[:, hand_space().index(cards(hole))] for hole in (STRONG, WEAK))
    assert strong[2] > 0.5 and weak[0] > 0.5, "raises aces and folds seven-deuce, and eve, who calls, is another player"
    raises = [action.size for action in model.rows(state).actions if action.kind == "r"]
    assert 900 in raises


@pytest.mark.parametrize("betting", ["", "r300", "r300c/", "r300c/c", "r300c/cr20000", "r300c/cc/r600"])
def test_one_hand_is_answered_as_all_are(model: BoostedModel, betting: str) -> None:
    state = state_of(betting, "2c7dTh3s9c")
    rows = model.rows(state)
    dense = rows.dense(hand_space().blocked(state.board))
    assert np.allclose(dense.sum(axis=0), ~hand_space().blocked(state.board), atol=1e-6)
    for hole in ("AsAh", "6s5s"):
        index = hand_space().index(cards(hole))
        own = model.rows_for(state, index)
        assert own.actions == rows.actions and np.array_equal(own.column(index), rows.column(index))
    assert all(state.is_legal(action) for action in rows.actions)


def test_a_folder_keeps_the_trees(model: BoostedModel, tmp_path: Path) -> None:
    card = Card(["ann"], 1, 2, 1.0, ModelOptions())
    write_model(tmp_path, model, card)
    again = read_model(tmp_path)
    assert isinstance(again, BoostedModel) and again.seats == (2,)
    assert np.array_equal(again.learnt_from, model.learnt_from)
    state = state_of("r300c/", "2c7dTh")
    assert np.array_equal(again.rows(state).probabilities, model.rows(state).probabilities)
    with pytest.raises(ValueError, match="is no prior"):
        read_prior(tmp_path)
    other = msgspec.structs.replace(read_card(tmp_path), features=["age"])
    (tmp_path / "model.json").write_bytes(msgspec.json.encode(other))
    with pytest.raises(ValueError, match="other features; learn the model again"):
        read_model(tmp_path)


def test_a_model_plays_tables_that_it_never_saw(model: BoostedModel) -> None:
    strategy = PlayedModel(SIX, model)
    strategy.warm_up()
    assert strategy.rows(State.start(SIX)).probabilities.shape[1] == 169
    assert strategy.slow(state_of("cc/cc/", "2c7dTh3s"))


def test_what_cannot_be_learnt_is_refused() -> None:
    with pytest.raises(Unlearnable, match="no decision of zoe"):
        learn_trees([hand("f")], ["zoe"])
    with pytest.raises(Unlearnable, match="cards are known"):
        learn_trees([hand("f")], ["ann", "bob"])
    leduc = load_game("leduc.limit.2p")
    with pytest.raises(Unlearnable, match="no hand of no-limit hold'em"):
        learn_trees([HandRecord(0, State.start(leduc), ((), ()), (0.0, 0.0), ("a", "b"))])
