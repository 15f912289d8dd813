"""Bet menus: each kind of size against its definition, and every mistake named."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.configs.loading import ConfigError, load_game, load_yaml
from limpet.protocol.cards import parse_cards
from limpet.protocol.handhistory import street_base
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu, ByStreet, Depths, Size, geometric_fraction
from limpet.strategies.holdem.solutions.spot import spot_root

HOLDEM = load_game("holdem.nolimit.2p.reverse_blinds")
FLOP, TURN, RIVER = (parse_cards("KsTh7s4d2c"[: 2 * n]) for n in (3, 4, 5))


def only(*depths: tuple[Size, ...]) -> BetMenu:
    """A menu of these sizes on every street, and nothing that is not listed."""
    return BetMenu(sizes=(depths,), all_in_spr="never", all_in_share=1.0)


def test_a_pot_fraction_is_of_the_pot_after_calling() -> None:
    state = spot_root(FLOP, 1000, 10000)
    menu = only((0.5,))
    assert menu.raises(state) == (500 + 500,)
    # Facing 500: the pot is 2,000 after calling.
    assert menu.raises(state.apply(raise_to(1000))) == (1000 + 1000,)


def test_chips_of_a_fraction_are_cut_but_not_by_floating_point() -> None:
    assert 0.29 * 100 < 29
    assert only((0.29,)).raises(spot_root(FLOP, 100, 1000, big_blind=2)) == (50 + 29,)
    assert only((0.33,)).raises(spot_root(FLOP, 20, 1000, big_blind=2)) == (10 + 6,)


def test_min_is_the_smallest_legal_raise_and_smaller_sizes_become_it() -> None:
    state = spot_root(FLOP, 1000, 10000, big_blind=100)
    assert only(("min", 0.01, 0.1)).raises(state) == (600,)
    bet = state.apply(raise_to(900))
    assert only(("min",)).raises(bet) == (1300,)


def test_a_multiple_is_of_the_bet_on_this_street() -> None:
    state = spot_root(TURN, 1000, 10000).apply(raise_to(500 + 400))
    assert only((0.5,), ("2.5x",)).raises(state) == (500 + 1000,)
    assert only((0.5,), ("2.5x",)).raises(state.apply(raise_to(1500))) == (500 + 2500,)
    # The same inside a real hand, where earlier streets were bet too.
    hand = State.start(HOLDEM).apply(raise_to(300)).apply(CALL).apply(raise_to(700))
    assert street_base(hand) == 300
    assert only((0.5,), ("3x",)).raises(hand) == (300 + 1200,)


def test_before_the_flop_a_multiple_is_of_the_big_blind() -> None:
    menu = BetMenu(sizes=ByStreet(preflop=(("2.5x",), ("3x",)), flop=((0.5,),)), all_in_spr="never")
    start = State.start(HOLDEM)
    assert menu.raises(start) == (250,)
    assert menu.raises(start.apply(raise_to(250))) == (750,)


def test_a_multiple_of_no_bet_is_refused() -> None:
    with pytest.raises(ValueError, match="'2x' is a multiple of the bet faced, but nobody has bet"):
        build_tree(spot_root(FLOP, 1000, 10000), only(("2x",)))
    for sizes in (ByStreet(flop=(("2x",),)), (((0.5,),), (("2x",),))):
        with pytest.raises(ValueError, match="'2x' is a multiple of the bet faced, but the first list"):
            BetMenu(sizes=sizes)


@pytest.mark.parametrize(("board", "streets"), [(FLOP, 3), (TURN, 2), (RIVER, 1)])
def test_geometric_bets_over_the_streets_left_end_all_in(board: tuple[int, ...], streets: int) -> None:
    state = spot_root(board, 1000, 13000)
    menu = only(("e",))
    fraction = geometric_fraction(1000, 13000, streets)
    for street in range(streets):
        (target,) = menu.raises(state)
        assert target - state.max_spent == pytest.approx(fraction * state.pot, abs=streets)
        state = state.apply(raise_to(target)).apply(CALL)
        assert state.finished == (street == streets - 1)
    assert state.spent == state.game.stack


@given(pot=st.integers(1, 5000), left=st.integers(100, 100_000), bets=st.integers(1, 4))
def test_geometric_bets_of_one_street_end_all_in(pot: int, left: int, bets: int) -> None:
    fraction = geometric_fraction(2 * pot, left, bets)
    now, behind = 2.0 * pot, float(left)
    for _ in range(bets):
        behind -= fraction * now
        now += 2 * fraction * now
    assert behind == pytest.approx(0, abs=1e-6 * left)
    state = spot_root(FLOP, 2 * pot, left, big_blind=1)
    (target,) = only((f"{bets}e",)).raises(state)
    assert target - pot == pytest.approx(fraction * 2 * pot, abs=1)


def test_all_in_follows_the_threshold() -> None:
    state = spot_root(FLOP, 1000, 3000)
    sizes: tuple[Depths, ...] = (((0.5,),),)
    top = state.game.stack[0]
    assert BetMenu(sizes).raises(state) == (1000, top)
    assert BetMenu(sizes, all_in_spr=3).raises(state) == (1000, top)
    assert BetMenu(sizes, all_in_spr=2.9).raises(state) == (1000,)
    assert BetMenu(sizes, all_in_spr="never").raises(state) == (1000,)
    # Where nothing fits, all-in stands for it, unless never.
    assert BetMenu((((5.0,),),), all_in_spr=0).raises(state) == (top,)
    assert BetMenu((((5.0,),),), all_in_spr="never").raises(state) == ()
    assert BetMenu((((5.0, "all-in"),),), all_in_spr="never").raises(state) == (top,)


def test_shares_drop_large_bets() -> None:
    state = spot_root(FLOP, 1000, 2000)
    sizes: tuple[Depths, ...] = (((0.5, 1.0, 1.5),),)
    assert BetMenu(sizes, all_in_spr="never", all_in_share=0.5).raises(state) == (1000, 1500)
    assert BetMenu(sizes, all_in_spr="never", all_in_share=1.0).raises(state) == (1000, 1500, 2000)
    assert BetMenu(sizes, all_in_spr="never", all_in_share=1.0, stack_share=0.6).raises(state) == (1000, 1500)
    assert BetMenu(sizes, all_in_spr="never", all_in_share=1.0, stack_share=0.4).raises(state) == (1000,)


@pytest.mark.parametrize(
    ("cap", "most"), [(0, (0, 0)), (1, (1, 1)), (3, (3, 3)), ((9, 9, 2, 1), (2, 1)), ((2,), (2, 2))]
)
def test_the_cap_bounds_raises_of_a_street(cap: int | tuple[int, ...], most: tuple[int, int]) -> None:
    menu = BetMenu(((("min",),),), all_in_spr="never", all_in_share=1.0, raise_cap=cap)
    tree = build_tree(spot_root(TURN, 1000, 20000), menu)
    raises = [0] * tree.num_nodes
    for node in range(1, tree.num_nodes):
        above = int(tree.parent[node])
        edge = tree.edge_child.tolist().index(node)
        begins = tree.player[node] >= 0 and tree.round[node] > tree.round[above]
        raises[node] = 0 if begins else raises[above] + int(tree.edge_kind[edge] == 2)
    seen = [max(raises[n] for n in tree.decisions if tree.round[n] == round_) for round_ in (2, 3)]
    assert tuple(seen) == most


def test_positions_may_have_menus_of_their_own() -> None:
    menu = BetMenu((((0.5,),),), in_position=(((1.0,),),), all_in_spr="never")
    state = spot_root(FLOP, 1000, 20000)
    assert menu.raises(state) == (1000,)
    assert menu.raises(state.apply(CALL)) == (1500,)
    # Before the flop the button acts first and is in position all the same.
    assert menu.raises(State.start(HOLDEM)) == (300,)


def test_a_bet_into_the_raiser_of_the_street_before_has_sizes_of_its_own() -> None:
    menu = BetMenu(ByStreet(flop=((0.5,), (1.0,))), donk=ByStreet(turn=((0.25,),), river=((),)), all_in_spr="never")
    flop = spot_root(FLOP, 1000, 20000)
    assert menu.raises(flop) == (1000,)  # nobody is known to have raised before the flop
    called = flop.apply(CALL).apply(raise_to(1000)).apply(CALL).with_board(TURN)  # 2000 in the pot, 1000 of each
    assert menu.raises(called) == (1500,)
    assert menu.raises(called.apply(CALL)) == (2000,)  # the raiser has the usual sizes,
    assert menu.raises(called.apply(raise_to(1500))) == (1500 + 3000,)  # and so has a raise of such a bet
    assert menu.raises(flop.apply(CALL).apply(CALL).with_board(TURN)) == (1000,)
    assert menu.raises(flop.apply(raise_to(1000)).apply(CALL).with_board(TURN)) == (2000,)  # the bettor raised last
    checked = called.apply(CALL)
    assert menu.raises(checked.apply(CALL).with_board(RIVER)) == (2000,)  # of the flop's raise nothing is left
    river = checked.apply(raise_to(2000)).apply(CALL).with_board(RIVER)
    assert menu.raises(river) == msgspec.structs.replace(menu, all_in_spr=None).raises(river) == ()


def test_of_three_players_those_who_act_before_the_raiser_bet_into_him() -> None:
    game = load_game("holdem.nolimit.3p")
    menu = BetMenu((((0.5,),),), donk=(((0.25,),),), all_in_spr="never")
    state = State.start(game)
    raiser = state.actor
    state = state.apply(raise_to(3 * game.big_blind)).apply(CALL).apply(CALL).with_board(FLOP)
    before = 0
    while state.actor != raiser:
        assert menu.raises(state) == (state.max_spent + state.pot // 4,)
        state, before = state.apply(CALL), before + 1
    assert before > 0 and menu.raises(state) == (state.max_spent + state.pot // 2,)


def test_streets_may_be_named() -> None:
    by_name = BetMenu(ByStreet(flop=((0.25,),), river=((0.75,),)), all_in_spr="never")
    for board, fraction in ((FLOP, 0.25), (TURN, 0.25), (RIVER, 0.75)):
        assert by_name.raises(spot_root(board, 1000, 20000)) == (500 + int(fraction * 1000),)
    assert by_name.raises(State.start(HOLDEM)) == (200,)  # the flop's, as nothing comes before it
    assert BetMenu(ByStreet(turn=((0.5,),))) != BetMenu((((0.5,),),))


def test_nobody_bets_more_than_the_other_can_match() -> None:
    state = spot_root(FLOP, 1000, (20000, 3000))
    assert BetMenu((((0.5, 5.0),),), all_in_share=1.0).raises(state) == (1000, 3500)
    tree = build_tree(state, BetMenu((((0.5, 1.0),),)))
    assert tree.spent.max() == 3500
    assert build_tree(spot_root(FLOP, 1000, 3000), BetMenu((((0.5, 1.0),),))).num_nodes == tree.num_nodes


class Holder(msgspec.Struct, forbid_unknown_fields=True):
    menu: BetMenu


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("sizes: [[[0.5, 50]]]", "50 is not a pot fraction from 0 to 20; half the pot is 0.5"),
        ("sizes: [[[0]]]", "0 is not a pot fraction"),
        ("sizes: [[[2y]]]", "'2y' is not a bet size; write a pot fraction such as 0.5"),
        ("sizes: [[[0e]]]", "'0e' is not a bet size"),
        ("sizes: {flop: [[x]]}", "'x' is not a bet size"),
        ("sizes: []", "no sizes are given"),
        ("sizes: [[]]", "a round has no list of sizes"),
        ("sizes: {}", "no street is given"),
        ("sizes: {trun: [[0.5]]}", "did you mean 'turn'?"),
        ("{sizes: [[[0.5]]], in_position: [[[1], [3y]]]}", "'3y' is not a bet size"),
        ("{sizes: [[[0.5]]], donk: [[[0.3], [1]]]}", "donk has sizes of raises; give one list a street"),
        ("{sizes: [[[0.5]]], donk: [[[2.5x]]]}", "'2.5x' is a multiple of the bet faced"),
        ("{sizes: [[[0.5]]], raise_cap: []}", "raise_cap is empty"),
        ("{sizes: [[[0.5]]], all_in_spr: nevr}", "nevr"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "menu.yaml"
    path.write_text(f"menu:\n  {text}\n")
    with pytest.raises(ConfigError, match=r"menu.yaml:[12]: menu") as caught:
        load_yaml(path, Holder)
    assert part in str(caught.value)


@given(st.text(alphabet="0123456789.xemin-al ", max_size=8))
def test_words_are_sizes_or_refused(word: str) -> None:
    try:
        menu = BetMenu((((0.5,), (word,)),))
    except ValueError as error:
        assert "is not a bet size" in str(error)
    else:
        raises = menu.raises(spot_root(FLOP, 1000, 20000).apply(raise_to(1000)))
        assert raises and all(1500 <= target <= 20500 for target in raises)


def test_a_menu_comes_back_from_its_own_text() -> None:
    menus = [
        BetMenu((((0.5, "min", "all-in"), ("2.5x", "e")),), "never", raise_cap=(1, 2), stack_share=0.5),
        BetMenu(ByStreet(turn=((0.5,), ())), 0.0, 1.0, in_position=(((1.0,),),), donk=(((0.3,),),), raise_cap=3),
    ]
    for menu in menus:
        assert msgspec.convert(msgspec.to_builtins(menu), BetMenu) == menu
        assert hash(menu) == hash(msgspec.convert(msgspec.to_builtins(menu), BetMenu))
