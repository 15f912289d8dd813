"""The tree of histories (Kebrle 2016, sections 6.1 to 6.3), and its arrays."""

import numpy as np
import pytest

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.opponents.imitation import THESIS, learn
from limpet.strategies.opponents.imitation_file import tree_from_arrays, tree_to_arrays
from limpet.strategies.opponents.raise_sizes import RAISE, raise_chips
from limpet.strategies.opponents.situations import raise_size
from tests.strategies.opponents.made_hands import HUNL, SIX, hand, state_of


def short(stacks: tuple[int, int], blinds: tuple[int, int] = (20, 10)) -> GameDef:
    from dataclasses import replace

    return replace(HUNL, stack=stacks, blind=blinds)


def test_6_1_2_amounts_are_divided_by_the_smaller_stack() -> None:
    """A blind of 20 of 500 is 0.04. Chips added and totals are both kept (appendix E, hand 1: 1,500 chips)."""
    start = State.start(short((1500, 500)))
    assert start.spent[0] / 500 == 0.04
    sizes = [raise_size(start, 60, unit) for unit in ("added", "to", "multiple", "pot")]
    assert sizes == pytest.approx([0.1, 0.12, 3.0, 1.0]), "40 over the call, into a pot of 40 after it"
    covers = State.start(short((500, 1500)))
    assert raise_size(covers, 1500, "added") == pytest.approx(0.98), "0.979 in figure 6.2"
    assert raise_size(covers, 1500, "to") == 1


@pytest.mark.parametrize("unit", ["added", "to", "multiple", "pot"])
def test_sizes_go_back_to_chips(unit: str) -> None:
    state = state_of("r300")
    for chips in (900, 1234, 20000):
        assert raise_chips(state, unit, [raise_size(state, chips, unit)]) == [chips]
    assert raise_chips(state, unit, [0.0]) == [500], "too small ones are the smallest raise"
    assert raise_chips(state_of("r20000"), unit, [1.0]) == []


ROUNDING = 5e-4

HANDS = [
    *[hand("r200c/cc/cc/cc", "", "AsAh", number=n) for n in range(3)],
    hand("r600f", "", "KsKh"),
    hand("r20000f", "", "AcKc"),
    hand("r600c/cc/cc/cc", "", ""),
    hand("cr400c/cc/cc/cc", "7s2h", "QsJs"),
    hand("f", "", "7d2c"),
]
"""Heads-up hands in which bob has the button and acts first."""


def test_6_2_histories_are_gathered_by_the_prefix_of_mapped_actions() -> None:
    model = learn(HANDS, {"bob"}, THESIS).model
    root = model.tree.find(State.start(HUNL))
    assert root is not None and root.histories == 8
    assert root.taken.tolist() == [1, 1, 3, 2, 1], "fold, call, and raises near three centroids"
    assert root.counts.sum(axis=1).tolist() == [1, 1, 3, 1, 1], "one hand that raised to 600 was not shown"
    assert root.sizes == pytest.approx([0.0075, 0.0275, 0.9975])
    limped = model.tree.find(state_of("cr500"))
    assert limped is not None and limped.taken.tolist() == [0, 1], "500 is near the only raise, 400"
    assert model.tree.find(state_of("r250r900")) is None, "nobody ever raised bob's raise"


def test_6_3_a_live_raise_goes_to_the_nearest_centroid() -> None:
    """Raise 0.076, raise 0.168, fold is read as 0.062, 0.151, fold."""
    model = learn([*HANDS, hand("r700c/cc/cc/cc", "9s9h")], {"ann"}, THESIS).model
    seen = model.tree.find(state_of("r240"))
    assert seen is not None and seen is model.tree.find(state_of("r200"))
    far = model.tree.find(state_of("r20000"))
    assert far is model.tree.find(state_of("r15000")) and far is not model.tree.find(state_of("r8000"))


def test_table_6_1_the_root_of_3_032_histories() -> None:
    """The thesis's hands were never published; made-up ones with its counts and mean sizes give back its table.

    At 25 big blinds a call adds 0.02 of the stack. The text counts 3,052 nodes, its own table 3,032.
    """
    game = short((500, 500))
    root = {"f": 821, "cc": 559, "r40f": 688, "r42f": 688, "r62f": 118, "r66f": 119, "r499f": 20, "r500f": 19}
    made = [each for line, count in root.items() for each in [hand(line, "", "Qd6c", game=game)] * count]
    node = learn(made, {"bob"}, THESIS).model.tree.find(State.start(game))
    assert node is not None and node.histories == 3032
    assert node.taken.tolist() == [821, 559, 1376, 237, 39]
    assert node.sizes == pytest.approx([0.062, 0.108, 0.979], abs=ROUNDING)
    assert 10 / game.stack[0] == 0.02


def test_a_seat_plays_in_the_tree_of_its_number_of_players() -> None:
    six = hand("fffr250ff", "", "", "", "", "", "AsKs", names="a b c d e f", game=SIX)
    model = learn([*HANDS, six], None, THESIS).model
    assert sorted(model.tree.roots) == [2, 6]
    node = model.tree.find(state_of("fff", game=SIX))
    assert node is not None and node.taken.tolist() == [0, 0, 1] and len(node.sizes) == 1


def test_arrays_keep_the_tree() -> None:
    roots = learn(HANDS, None, THESIS).model.tree.roots
    arrays = tree_to_arrays(roots)
    again = tree_from_arrays(arrays, THESIS.grid.size)
    assert {name: array.tolist() for name, array in tree_to_arrays(again).items()} == {
        name: array.tolist() for name, array in arrays.items()
    }
    assert again[2].children[RAISE + 1].taken.tolist() == roots[2].children[RAISE + 1].taken.tolist()
    for name in ("tree.parent", "tree.taken", "tree.count"):
        with pytest.raises(ValueError, match="tree"):
            tree_from_arrays(arrays | {name: np.full_like(arrays[name], 99)[1:]}, THESIS.grid.size)
