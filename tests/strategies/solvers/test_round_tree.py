"""Betting trees of one round: states and chips of the traces in §2 of Tarasiewicz 2018."""

from math import comb

import pytest

from limpet.strategies.solvers.round_tree import NOBODY, round_tree
from tests.oracles.round_twin import letters


def test_section_2_4_first_round_states() -> None:
    tree = round_tree(paid=(0.5, 1.0), first=0, raises=2, shares=(1.0,))
    before = [tree.histories[node] for node in tree.decisions]
    assert [f"p{history}" for history in before] == ["p", "pc", "pp", "pcp", "ppp", "pcpp"]
    ends = {f"p{tree.histories[node]}" for node in tree.terminals}
    assert ends == {"pf", "pcpf", "pcppf", "ppf", "pppf", "pcc", "pcpc", "pcppc", "ppc", "pppc"}


def test_section_2_4_second_round_has_30_decisions_and_57_terminals() -> None:
    tree = round_tree()
    assert (len(tree.decisions), len(tree.terminals)) == (30, 57)
    assert letters(tree, 0) == ("c", "r", "p")
    assert letters(tree, tree.histories.index("cr")) == ("f", "c", "r", "p")


def test_section_2_4_there_are_6_079_133_789_033_760_infosets() -> None:
    first, second = round_tree((0.5, 1.0), first=0, raises=2, shares=(1.0,)), round_tree()
    hands, counts = comb(52, 5), 6
    continuations = int((first.folded[first.terminals] < 0).sum())
    after_the_draw = continuations * hands * counts * len(second.decisions)
    assert hands * (len(first.decisions) + after_the_draw) == 6_079_133_789_033_760


@pytest.mark.parametrize(("free_folds", "states"), [(True, 2.48e27), (False, 2.42e27)])
def test_section_2_4_there_are_2e27_states(free_folds: bool, states: float) -> None:
    """The thesis prints 6.6e26, which its formula does not give: in it C(42, j) stands for the C(42 - k, j) cards left."""
    first, second = round_tree((0.5, 1.0), first=0, raises=2, shares=(1.0,)), round_tree()
    continuations = int((first.folded[first.terminals] == NOBODY).sum())
    before = len(first.player) - continuations + free_folds  # 1: of the big blind after a limp
    after = len(second.player) + 2 * free_folds  # of both players before any bet
    deals = comb(52, 5) * comb(47, 5)
    draws = sum(comb(5, k) * comb(42, k) * comb(5, j) * comb(42 - k, j) for k in range(6) for j in range(6))
    assert (before, after) == ((12, 89) if free_folds else (11, 87))
    assert deals * (before + continuations * draws * after) == pytest.approx(states, rel=3e-3)


def test_section_3_3_toy_has_182_infosets() -> None:
    assert 13 * len(round_tree(paid=(0.5, 1.0), first=0, raises=2).decisions) == 182


def test_section_2_1_chips_of_the_example_hand() -> None:
    # Player 0 is the big blind, who is first to act after the draw.
    first = round_tree(paid=(1.0, 0.5), first=1, raises=2, shares=(1.0,))
    assert first.paid[first.histories.index("ppc")].tolist() == [9, 9]
    second = round_tree(paid=(9.0, 9.0))
    assert [second.paid[second.histories.index(history)].max() for history in ("p", "pr", "prr", "prrc")] == [
        27,
        54,
        108,
        108,
    ]
    assert second.paid[second.histories.index("prrc")].tolist() == [108, 108], "the winner gains 108"


def test_section_2_3_contributions_before_the_last_call() -> None:
    first = round_tree(paid=(1.0, 0.5), first=1, raises=2, shares=(1.0,))
    assert first.paid[first.histories.index("ppc")].max() == 9
    second = round_tree(paid=(9.0, 9.0))
    node = second.histories.index("cprp") if "cprp" in second.histories else second.histories.index("cpr")
    assert second.paid[second.histories.index("cprp")].tolist() == [54, 162]
    assert letters(second, node) == ("f", "c")


def test_largest_contribution_is_243_blinds() -> None:
    assert round_tree(paid=(9.0, 9.0)).paid.max() == 243


def test_steps_lead_from_the_root_to_a_node() -> None:
    tree = round_tree()
    steps = tree.steps(tree.histories.index("crpc"))
    assert [(tree.histories[node], tree.histories[child]) for node, child in steps] == [
        ("", "c"), ("c", "cr"), ("cr", "crp"), ("crp", "crpc")
    ]  # fmt: skip
    assert tree.steps(0) == []
