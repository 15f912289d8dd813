"""Which subgames are solved by which plan, and menus that no bot could build, which are refused when the bot is made."""

from dataclasses import replace
from math import inf, nextafter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.configs.fitting import Misfit
from limpet.configs.loading import load_game
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.abstraction.menu import BetMenu, stack_to_pot
from limpet.strategies.holdem.resolving.plans import DepthMenu, ResolvingPlan, SubgameRules, check_plans

GAME = load_game("holdem.nolimit.2p.reverse_blinds")
WIDE = BetMenu(sizes=(((0.33, 0.5, 0.75, 1.0, 1.5),),))
NARROW = DepthMenu(BetMenu(sizes=(((1.0,), ()),)))


def test_a_menu_that_makes_too_large_a_tree_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limpet.strategies.solvers.vector.memory.MOST_NODES", 20_000)
    check_plans(GAME, {"turn": ResolvingPlan(menus=(NARROW,))}, has_bank=False)
    check_plans(GAME, {"turn": ResolvingPlan(menus=(DepthMenu(WIDE, spr=2), NARROW))}, has_bank=False)
    with pytest.raises(Misfit, match="in an unraised pot the menu makes a betting tree of") as first:
        check_plans(GAME, {"turn": ResolvingPlan(menus=(DepthMenu(WIDE, spr=40), NARROW))}, has_bank=False)
    with pytest.raises(Misfit, match="in an unraised pot .* of more than 2,000,000 nodes; use") as second:
        check_plans(GAME, {"turn": ResolvingPlan(menus=(NARROW, DepthMenu(WIDE, spr=2)))}, has_bank=False)
    assert first.value.keys == ("streets", "turn", "menus", 0) and second.value.keys == ("streets", "turn", "menus", 1)


# --- Streets that are solved up to a depth alone


def line(stack: int, bets: tuple[float, ...]) -> list[State]:
    """Return a hand's states up to the river's end: on each street one bet of a share of the stack left, and a call."""
    state = State.start(replace(GAME, stack=(stack, stack)))
    states = [state]
    for round_, share in enumerate(bets):
        bounds = state.raise_bounds()
        if bounds is not None and share:
            low, high = bounds
            states.append(state := state.apply(raise_to(low + int(share * (high - low)))))
        while not state.finished and state.round == round_:
            states.append(state := state.apply(CALL))
    return [state for state in states if not state.finished]


LINES = st.builds(line, st.integers(300, 40_000), st.tuples(*[st.sampled_from((0.0, 0.01, 0.1, 0.4))] * 4))
BOUNDS = st.sampled_from((None, 0.3, 1, 2.5, 4, 8, 13, 40))


def rules(**streets: float | None) -> SubgameRules:
    """Return rules that solve streets, each up to the depth given."""
    plans = {street: ResolvingPlan(menus=(NARROW,), most_spr=most_spr) for street, most_spr in streets.items()}
    return SubgameRules(streets=plans)  # type: ignore[arg-type]


@given(LINES, st.sampled_from((1, 2, 3)))
def test_a_street_is_solved_up_to_the_depth_at_its_beginning(states: list[State], round_: int) -> None:
    """With the bound at, above and below that depth; states after bets, which are less deep, follow the beginning."""
    street = [state for state in states if state.round == round_]
    if not street:
        return
    name, spr = ("", "flop", "turn", "river")[round_], stack_to_pot(street[0])
    for most_spr, is_solved in ((spr, True), (nextafter(spr, inf), True), (nextafter(spr, 0), False), (None, True)):
        bounded = rules(**{name: most_spr})
        for state in states:
            solved = bounded.plan(state) is not None
            assert solved == (is_solved and state.round >= round_), (state.betting, most_spr)


@given(LINES, st.sampled_from((1, 2, 3)))
def test_a_street_is_solved_up_to_the_effective_stack_of_the_hand(states: list[State], round_: int) -> None:
    """With the bound at, above and below it, whatever was bet."""
    name, depth = ("", "flop", "turn", "river")[round_], states[0].game.stack[0] / GAME.big_blind
    for most_bb, is_solved in ((depth, True), (depth + 0.01, True), (depth - 0.01, False)):
        plan = ResolvingPlan(menus=(NARROW,), most_bb=most_bb)
        bounded = SubgameRules(streets={name: plan})  # type: ignore[dict-item]
        for state in states:
            assert (bounded.plan(state) is plan) == (is_solved and state.round >= round_)
    spr = stack_to_pot(states[0])
    assert ResolvingPlan(menus=(NARROW,), most_bb=depth, most_spr=spr).solves(states[0])
    assert not ResolvingPlan(menus=(NARROW,), most_bb=depth, most_spr=nextafter(spr, 0)).solves(states[0])


def test_the_shorter_of_uneven_stacks_counts() -> None:
    flop = State.start(replace(GAME, stack=(2000, 40_000))).apply(CALL).apply(CALL)
    for most_bb, is_solved in ((20, True), (19.9, False)):
        assert ResolvingPlan(menus=(NARROW,), most_bb=most_bb).solves(flop) == is_solved


@given(LINES, BOUNDS, BOUNDS, BOUNDS)
def test_streets_that_are_too_deep_are_played_by_what_was_solved_before(
    states: list[State], flop: float | None, turn: float | None, river: float | None
) -> None:
    bounded = rules(flop=flop, turn=turn, river=river)
    begins = {state.round: stack_to_pot(state) for state in reversed(states)}
    for state in states:
        names = ("", "flop", "turn", "river")
        bounds = {1: flop, 2: turn, 3: river}
        shallow = [round_ for round_ in range(1, state.round + 1) if begins[round_] <= (bounds[round_] or inf)]
        expected = bounded.streets[names[max(shallow)]] if shallow else None  # type: ignore[index]
        assert bounded.plan(state) is expected


@given(LINES)
def test_a_hand_never_gets_deeper(states: list[State]) -> None:
    """So a street that is solved at one state's depth is solved wherever it begins after that state."""
    depths = [stack_to_pot(state) for state in states]
    assert depths == sorted(depths, reverse=True)


def test_menus_have_to_fit_up_to_the_depth_that_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limpet.strategies.solvers.vector.memory.MOST_NODES", 20_000)
    bounds: list[tuple[dict[str, Any], bool]] = [({}, False)]
    bounds += [({"most_spr": 2}, True), ({"most_spr": 40}, False), ({"most_bb": 5}, True), ({"most_bb": 81}, False)]
    for bound, fits in bounds:
        plan = ResolvingPlan(menus=(DepthMenu(WIDE),), **bound)
        if fits:
            check_plans(GAME, {"turn": plan}, has_bank=False)
        else:
            with pytest.raises(Misfit, match="in an unraised pot"):
                check_plans(GAME, {"turn": plan}, has_bank=False)


@pytest.mark.parametrize("bound", ["most_spr", "most_bb"])
@pytest.mark.parametrize(("flop", "turn"), [(None, 4), (5, 4), (5, 4.9)])
def test_the_turn_after_a_sampled_flop_has_to_be_solved(bound: str, flop: float | None, turn: float) -> None:
    def plan(**fields: Any) -> ResolvingPlan:
        return ResolvingPlan(**{"menus": (NARROW,), **fields})

    sampled = plan(runouts="sampled", **{bound: flop})
    for most in (turn, None, inf if flop is None else flop):
        plans: Any = {"flop": sampled, "turn": plan(**{bound: most})}
        if most == turn:
            with pytest.raises(Misfit, match="below the flop's.* write no less here than at the flop") as refused:
                check_plans(GAME, plans, has_bank=False)
            assert refused.value.keys == ("streets", "turn", bound)
        else:
            check_plans(GAME, plans, has_bank=False)
    exact = plan(menus=(DepthMenu(BetMenu(sizes=(((),),))),), **{bound: flop})
    check_plans(GAME, {"flop": exact, "turn": plan(**{bound: turn})}, has_bank=False)


@pytest.mark.parametrize("bound", ["most_spr", "most_bb"])
@pytest.mark.parametrize("value", [0, -1, "deep"])
def test_a_depth_that_is_none_is_refused(bound: str, value: Any) -> None:
    with pytest.raises(msgspec.ValidationError, match=bound):
        msgspec.convert({"menus": [], bound: value}, ResolvingPlan)
