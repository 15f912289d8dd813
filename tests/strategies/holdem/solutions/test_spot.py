"""Spots: roots that agree with real hands, published tree sizes, and every mistake named with its line."""

import gc
import random
from pathlib import Path

import numpy as np
import pytest

from limpet.configs.fitting import Misfit
from limpet.configs.loading import ConfigError, load_game, shipped_names
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.settlement import settle_ranks
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.holdem.solutions.lines import ANY_CARD, action_names, find_action
from limpet.strategies.holdem.solutions.spot import Spot, load_spot, spot_root
from tests.oracles.tree_sizes import street_counts

BOARD = parse_cards("KsTh7s4d2c")
GOOD = "board: KsTh7s4d\npot: 10\nstack: 20\n"


# --- the root


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_a_root_is_the_state_of_a_real_hand(cards: int) -> None:
    hand = State.start(load_game("holdem.nolimit.2p.reverse_blinds")).apply(raise_to(300)).apply(CALL)
    for _ in range(cards - 3):
        hand = hand.apply(CALL).apply(CALL)
    hand = hand.with_board(BOARD)
    root = spot_root(BOARD[:cards], 600, 19700)
    assert root == hand
    assert root._replace(parent=None, action=None)[:] == hand._replace(parent=None, action=None)[:]
    assert GameDef.parse(str(root.game)) == root.game


def test_other_pots_are_other_states() -> None:
    assert spot_root(BOARD, 20, 190, 2) != spot_root(BOARD, 40, 180, 2)
    assert spot_root(BOARD, 200, 400).betting == "cc/cc/cc/"


def test_half_the_pot_counts_as_each_players() -> None:
    folded = spot_root(BOARD, 100, 150, 2).apply(raise_to(100)).apply(FOLD)
    assert settle_ranks(folded.spent, folded.folded, ()) == (50.0, -50.0)


def test_stacks_may_differ() -> None:
    root = spot_root(BOARD, 100, (150, 400), 2)
    assert root.game.stack == (200, 450)
    # All in for less: the rest of the larger stack is not at stake.
    called = root.apply(CALL).apply(raise_to(450)).apply(CALL)
    assert called.showdown and settle_ranks(called.spent, 0, (1, 2)) == (-200.0, 200.0)


@pytest.mark.parametrize(
    ("board", "pot", "stack", "big_blind", "part"),
    [
        (BOARD[:2], 10, 10, 1, "has 2 cards"),
        ((1, 1, 2), 10, 10, 1, "3, 4 or 5 different ones"),
        ((1, 2, 52), 10, 10, 1, "3, 4 or 5 different ones"),
        (BOARD, 11, 10, 1, "use an even number"),
        (BOARD, 10, 0, 1, "at least 1"),
        (BOARD, 10, (5, 0), 1, "at least 1"),
        (BOARD, 10, 10, 16, "use 1 to 15 chips"),
    ],
)
def test_impossible_roots_are_refused(
    board: tuple[int, ...], pot: int, stack: int | tuple[int, int], big_blind: int, part: str
) -> None:
    with pytest.raises(ValueError, match=part):
        spot_root(board, pot, stack, big_blind)


# --- the spots that ship


@pytest.mark.parametrize(
    ("name", "counts"),
    [  # decisions; terminals, called all-ins included; ways to the next street
        ("r1", (12, 21, 0)),
        ("r2", (60, 117, 0)),
        ("r3", (92, 181, 0)),
        ("t1", (12, 16, 5)),
        ("t2", (60, 88, 29)),
        ("f1", (10, 10, 7)),
        ("f2", (10, 10, 7)),
        ("f3", (10, 10, 7)),
    ],
)
def test_first_streets_have_the_published_size(name: str, counts: tuple[int, int, int]) -> None:
    street = street_counts(load_spot(name).tree)[0]
    assert (street.decisions, street.leaf, street.dealer) == counts


def test_the_ranges_of_f1_have_the_published_size() -> None:
    assert np.count_nonzero(load_spot("f1").weights, axis=1).tolist() == [174, 259]
    assert np.count_nonzero(load_spot("f2").weights, axis=1).tolist() == [1176, 1176]


def test_what_is_read_survives_a_garbage_collection() -> None:
    """One way of writing the struct made the decoder leave broken memory behind."""
    for name in shipped_names("spots"):
        load_spot(name)
    gc.collect()


@pytest.mark.parametrize("name", shipped_names("spots"))
def test_spots_that_ship_can_be_solved(name: str) -> None:
    spot = load_spot(name)
    assert spot.tree.root == spot.root and spot.tree.player[0] == 0
    assert len(spot.locked) == len(spot.locks)
    assert spot.minimiser.name == spot.algorithm


def test_the_clairvoyant_bets_and_the_other_only_calls() -> None:
    tree = load_spot("clairvoyance").tree
    assert [action_names(tree, int(node)) for node in tree.decisions] == [
        ("check", "all-in"),
        ("check",),
        ("fold", "call"),
    ]


def counted(pot: int, behind: int, fractions: tuple[float, ...]) -> tuple[int, int]:
    """(decisions, terminals) of a river where both players always have these bets and all-in; the plain twin."""

    def after(own: int, other: int, raised: int, checked: bool) -> tuple[int, int]:
        """The player to act has put in `own`, the other `other`, of which the last raise was `raised`."""
        decisions, terminals = 1, 1 + (other > own)
        if other == own and not checked:
            below = after(other, own, raised, True)
            decisions, terminals = decisions + below[0], below[1]
        targets = {behind} if other < behind else set()
        for fraction in fractions:
            target = max(other + int(fraction * (pot + 2 * other)), other + max(raised, 1))
            if target < behind:
                targets.add(target)
        for target in targets:
            below = after(other, target, target - other, True)
            decisions, terminals = decisions + below[0], terminals + below[1]
        return decisions, terminals

    return after(0, 0, 0, False)


def test_rivers_are_as_large_as_counted_by_hand() -> None:
    rng = random.Random(3)
    assert counted(100, 150, (0.5, 1.0)) == (12, 21)
    for _ in range(20):
        half, behind = rng.randrange(1, 60), rng.randrange(2, 200)
        fractions = tuple(rng.choice((0.25, 0.5, 0.75, 1.0, 2.0)) for _ in range(rng.randrange(1, 4)))
        root = spot_root(BOARD, 2 * half, behind, big_blind=1)
        street = street_counts(build_tree(root, BetMenu(((fractions,),), all_in_share=1.0)))[0]
        assert (street.decisions, street.leaf) == counted(2 * half, behind, fractions)


# --- the file


def write(folder: Path, text: str) -> Path:
    path = folder / "spot.yaml"
    path.write_text(text)
    return path


def test_money_is_turned_into_chips(tmp_path: Path) -> None:
    spot = load_spot(write(tmp_path, "board: Ks Th 7s\npot: 5.5\nstack: [47.25, 60]\n"))
    assert (spot.root.spent, spot.root.game.stack) == ((275, 275), (5000, 6275))
    fine = load_spot(write(tmp_path, "board: KsTh7s\npot: 5.55\nstack: 47.25\nchip: 0.005\n"))
    assert fine.root.pot == 1110 and fine.root.game.big_blind == 200
    dollars = load_spot(write(tmp_path, "board: KsTh7s\npot: 30\nstack: 500\nbig_blind: 5\n"))
    assert dollars.root.pot == 600 and dollars.chip_size == 0.05


def test_defaults_and_weights(tmp_path: Path) -> None:
    spot = load_spot(write(tmp_path, GOOD + "ranges: ['AA:0.5, KK', random]\n"))
    assert (spot.algorithm, spot.iterations, spot.merge, spot.storage) == ("dcfr", 1000, "isomorphic", "float32")
    assert spot.weights[0].sum() == 6 * 0.5 + 3 and spot.weights[1].sum() == 48 * 47 / 2
    assert len(spot.tree.actions(0)) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pot: 10\nstack: 20\n", ":1: board: missing; add 'board: ...'"),
        ("board: KsTh\npot: 10\nstack: 20\n", ":1: board: 'KsTh' is no board; write 3, 4 or 5"),
        ("board: KsKs7h\npot: 10\nstack: 20\n", ":1: board: 'KsKs7h' is no board"),
        ("board: KsTh7x\npot: 10\nstack: 20\n", ":1: board: 'KsTh7x': '7x' is not a card"),
        ("board: KsTh7s\npot: 0\nstack: 20\n", ":2: pot: 0 does not fit"),
        ("board: KsTh7s\npot: 10.001\nstack: 20\n", ":2: pot: 10.001 is not a whole number of chips of 0.01"),
        ("board: KsTh7s\npot: 10.01\nstack: 20\n", "odd number of chips of 0.01, and half of it is each player's; write"),
        ("board: KsTh7s\npot: 10\nstack: [1, 2, 3]\n", ":3: stack: 3 stacks are given"),
        (GOOD + "big_blind: 30\n", ":4: big_blind: 30 is more than the 25 of a player's half pot and stack"),
        (GOOD + "ranges: [random, AAx]\n", ":4: ranges.1: range 'AAx'"),
        (GOOD + "ranges:\n  - random\n  - KsTh\n", ":6: ranges.1: no hand of 'KsTh' is possible on KsTh7s4d"),
        (GOOD + "ranges: [AhAd, AhQc]\n", ":4: ranges: every hand of one range holds a card of every hand of the other"),
        (GOOD + "menu: {sizes: [[[2x]]]}\n", ":4: menu: the menu's size '2x' is a multiple of the bet faced"),
        (GOOD + "algorithm: cfr++\n", ":4: algorithm: 'cfr++' is none of cfr,"),
        (GOOD + "parameters: {c: 1}\n", ":4: parameters.c: dcfr has no such parameter; it has alpha, beta, gamma"),
        (GOOD + "parameters: {alpha: big}\n", ":4: parameters.alpha: 'big' does not fit; expected a number"),
        (GOOD + "algorithm: cgh\nparameters:\n  constant: 0\n  gamma: 2\n", ":7: parameters.gamma: cgh has no such"),
        (GOOD + "groups: {distance: suit}\n", ":4: groups.distance: 'suit' is none of rank, strength, opponent_view"),
        (GOOD + "groups: {distance: rank, identity: same}\n", ":4: groups.identity: 'same' is none of global,"),
        (GOOD + "groups: {distance: rank}\nlocks: [{play: {check: 1}}]\n", ":4: groups: a lock may tell hands of a group"),
        (GOOD + "treads: 1\n", ":4: treads: unknown key; did you mean 'threads'?"),
        (GOOD + "locks:\n- play: {bet: 1}\n", ":5: locks.0: 'bet' is no action here; there are check, bet 5, bet 10, all-in"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_spot(write(tmp_path, text))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("board: KsTh7s4d\npot: .inf\nstack: 20\n", ":2: pot: inf"),
        ("board: KsTh7s4d\npot: 10\nstack: .inf\n", ":3: stack: inf"),
        ("board: KsTh7s4d\npot: 10\nstack: [20, .inf]\n", ":3: stack"),
        ("board: KsTh7s4d\npot: 10\nstack: .nan\n", ":3: stack: nan"),
        ("board: KsTh7s4d\npot: 1.0e+300\nstack: 20\n", ":2: pot: 1e+300 is more than 536,870,911 chips of 0.01; write"),
        (GOOD + "chip: 1.0e-300\n", ":1: big_blind: 1 is more than 536,870,911 chips of 1e-300; write less, or set a larger 'chip'"),
        (GOOD + "chip: 2\n", ":4: chip: 2 is more than the big blind of 1; lower it"),
        (GOOD + "chip: .inf\n", ":4: chip: inf"),
        (GOOD + "big_blind: 5.0e-324\n", ":4: big_blind: 4.94066e-324 is more than 536,870,911 chips of 0; write"),
        (GOOD + "big_blind: .inf\n", ":4: big_blind: inf"),
        (GOOD + "menu: {sizes: [[[.inf]]]}\n", ":4: menu: inf is not a pot fraction"),
        (GOOD + "menu: {sizes: [[[0.5]]], all_in_spr: .nan}\n", ":4: menu: all_in_spr is nan; write a number from 0 on"),
        (GOOD + "menu: {sizes: [[[0.5]]], all_in_share: .inf}\n", ":4: menu: all_in_share is inf"),
        (GOOD + "menu: {sizes: [[[0.5]]], stack_share: -1}\n", ":4: menu: stack_share is -1"),
        (GOOD + "menu: {sizes: [[[0.5]]], raise_cap: -1}\n", ":4: menu: raise_cap is -1; write a number of raises"),
        (GOOD + "menu: {sizes: [[[0.5]]], raise_cap: [1, -1]}\n", ":4: menu: raise_cap is -1"),
        (GOOD + f"menu: {{sizes: [[[0.5], [{'9' * 400}x]]]}}\n", "is not a bet size; write a pot fraction such as 0.5"),
        (GOOD + f"menu: {{sizes: [[[{'9' * 5000}e]]]}}\n", "is not a bet size; write a pot fraction such as 0.5"),
        (GOOD + "locks: [{play: {check: .inf}}]\n", ":4: locks.0"),
        (GOOD + "ranges: ['AA:inf', random]\n", ":4: ranges.0: range 'AA:inf'"),
    ],
)  # fmt: skip
def test_numbers_that_nobody_can_bet_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_spot(write(tmp_path, text))
    assert f"spot.yaml{message}" in str(caught.value) or not message.startswith(":") and message in str(caught.value)


@pytest.mark.parametrize(("pot", "stack"), [(float("inf"), 20.0), (10.0, float("nan")), (10.0, (20.0, float("inf")))])
def test_infinite_money_is_refused_in_code_too(pot: float, stack: float | tuple[float, ...]) -> None:
    with pytest.raises(Misfit, match="is more than 536,870,911 chips"):
        Spot(board="KsTh7s", pot=pot, stack=stack).check()


def test_a_spot_made_in_code_is_checked_too() -> None:
    with pytest.raises(Misfit, match="is no board") as caught:
        Spot(board="Ks", pot=1, stack=1).check()
    assert caught.value.keys == ("board",)


# --- names of actions


def test_names_of_actions() -> None:
    tree = build_tree(spot_root(BOARD[:4], 1000, 5000), BetMenu(sizes=(((0.5, 1.0), (1.0,)),)))
    assert action_names(tree, 0, 0.01) == ("check", "bet 5", "bet 10", "all-in")
    bet = tree.child(0, 1)
    assert action_names(tree, bet, 0.01) == ("fold", "call", "raise 25", "all-in")
    river = tree.child(bet, 1)
    assert tree.round[river] == 3
    assert action_names(tree, river, 0.01) == ("check", "bet 10", "bet 20", "all-in")  # chips of this street
    whole = build_tree(load_game("holdem.nolimit.2p.reverse_blinds"), BetMenu(sizes=(((1.0,), ()),)))
    assert action_names(whole, 0, 0.01) == ("fold", "call", "raise 3", "all-in")
    assert action_names(build_tree(load_game("kuhn.limit.2p")), 0) == ("check", "bet")


@pytest.mark.parametrize("name", ["r3", "f1", "flop-single-size", "clairvoyance"])
def test_every_name_finds_its_action(name: str) -> None:
    spot = load_spot(name)
    for node in spot.tree.decisions:
        names = action_names(spot.tree, int(node), spot.chip_size)
        assert len(set(names)) == len(names)
        assert [find_action(spot.tree, int(node), text, spot.chip_size) for text in names] == list(range(len(names)))


def test_other_ways_to_name_an_action() -> None:
    spot = load_spot("t1")
    tree = spot.tree
    assert [find_action(tree, 0, text, 0.01) for text in ("BET 50%", "bet 100 %", "raise to 50", "allin")] == [
        1,
        2,
        1,
        3,
    ]
    facing = tree.child(0, 1)
    for text, place in (("fold", 0), ("Call", 1), ("raise 50%", 2), ("raise 150", 2), ("all in", 2)):
        assert find_action(tree, facing, text, 0.01) == place  # half the pot, to 150, is all there is
    for node, text in ((0, "call"), (0, "bet"), (0, "bet 33%"), (0, "bet 51"), (facing, "check"), (0, "50")):
        with pytest.raises(ValueError, match="is no action here; there are "):
            find_action(tree, node, text, 0.01)


# --- locks


def test_a_lock_is_found_and_filled() -> None:
    spot = load_spot("river-locked")
    (lock,) = spot.locked
    assert spot.tree.player[lock.node] == 1 and lock.node == spot.tree.child(0, 1) and lock.cards == ()
    assert action_names(spot.tree, lock.node) == ("fold", "call", "all-in")
    assert np.allclose(lock.rows.sum(axis=0), 1) and lock.rows.dtype == np.float32
    calls = parse_range("AQ,AJ")
    held = spot.weights[1] > 0
    assert np.array_equal(lock.rows[1][held], calls[held]) and np.array_equal(lock.rows[0][held], 1 - calls[held])


def lock_spot(locks: str, board: str = "KsTh7s4d", ranges: str = "[random, random]") -> str:
    return f"board: {board}\npot: 10\nstack: 20\nranges: {ranges}\nmerge: none\nlocks:\n{locks}"


def test_a_lock_may_name_a_card(tmp_path: Path) -> None:
    text = lock_spot("- {after: [check, check, Ah], play: {check: 1}}\n- {after: [check, check], play: {bet 5: 1}}\n")
    named, every = load_spot(write(tmp_path, text)).locked
    ace, deuce = parse_cards("KsTh7s4dAh"), parse_cards("KsTh7s4d2h")
    assert named.node == every.node and every.cards == (ANY_CARD,)
    assert [lock.holds_on(board) for lock in (named, every) for board in (ace, deuce)] == [True, False, True, True]


def test_frequencies_ranges_and_the_rest(tmp_path: Path) -> None:
    text = lock_spot("- play: {bet 5: 'AA:0.25', bet 10: 0.5, check: rest}\n")
    (lock,) = load_spot(write(tmp_path, text)).locked
    aces, kings = (hand_space().index(parse_cards(hand)) for hand in ("AhAd", "KhKd"))
    assert lock.rows[:, aces].tolist() == [0.25, 0.25, 0.5, 0.0]
    assert lock.rows[:, kings].tolist() == [0.5, 0.0, 0.5, 0.0]


def test_only_hands_of_the_range_need_frequencies(tmp_path: Path) -> None:
    text = lock_spot("- play: {bet 5: AA, check: KK}\n", ranges="['AA,KK', random]")
    (lock,) = load_spot(write(tmp_path, text)).locked
    assert lock.rows[:, hand_space().index(parse_cards("QhQd"))].tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("locks", "message"),
    [
        ("- play: {check: 0.5}\n", "locks.0: the frequencies of 2d2c add up to 0.5; make it 1, or write 'rest'"),
        ("- play: {check: 0.7, bet 5: 0.7}\n", "add up to 1.4"),
        ("- play: {check: 0.7, bet 5: 0.7, all-in: rest}\n", "add up to 1.4"),
        ("- play: {check: rest, bet 5: rest}\n", "two actions have 'rest'"),
        ("- play: {check: 2}\n", "check: 2 is no frequency"),
        ("- play: {check: AAA}\n", "range 'AAA'"),
        ("- play: {bet 50%: 0.5, bet 5: 0.5}\n", "'bet 5' is bet 5 once more; name each action once"),
        ("- {after: [check, fold], play: {check: 1}}\n", "after check: 'fold' is no action here"),
        ("- {after: [bet 5, fold], play: {check: 1}}\n", "after bet 5, fold nobody acts"),
        ("- {after: [Ah], play: {check: 1}}\n", "no card is dealt where the line says 'Ah'"),
        ("- {after: [check, check, Ah, Ad], play: {check: 1}}\n", "no card is dealt where the line says 'Ad'"),
        ("- {after: [check, check, check, Ad], play: {check: 1}}\n", "no card is dealt where the line says 'Ad'"),
        ("- {after: [check, check, Ks], play: {check: 1}}\n", "'Ks' is on the board already"),
        ("- play: {check: 1}\n- play: {bet 5: 1}\n", "locks.1: this node is locked above already"),
    ],
)
def test_locks_that_cannot_be_are_named(tmp_path: Path, locks: str, message: str) -> None:
    with pytest.raises(ConfigError, match=r"spot.yaml:[78]: locks\.") as caught:
        load_spot(write(tmp_path, lock_spot(locks)))
    assert message in str(caught.value)


def test_locks_that_tell_suits_apart_need_their_own_cards(tmp_path: Path) -> None:
    board = "KsTs7s4s"  # clubs, diamonds and hearts are alike
    alike = lock_spot("- play: {check: 'AA', bet 5: rest}\n", board)
    apart = lock_spot("- play: {check: 'AhAd', bet 5: rest}\n", board)
    card = lock_spot("- {after: [check, check, Ah], play: {check: 1}}\n", board)
    for text, merge, good in [
        (alike, "isomorphic", True),
        (apart, "isomorphic", False),
        (card, "isomorphic", False),
        (alike, "groups", False),
        (apart, "none", True),
        (card, "none", True),
    ]:
        path = write(tmp_path, text.replace("merge: none", f"merge: {merge}"))
        if good:
            load_spot(path)
        else:
            with pytest.raises(ConfigError, match="this lock tells suits apart"):
                load_spot(path)
