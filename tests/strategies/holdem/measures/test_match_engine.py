"""The parts of the compiled match engine against their plain twins."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.configs.loading import load_game
from limpet.protocol.settlement import settle_ranks
from limpet.strategies.abstraction.card_table_kernels import BucketTables
from limpet.strategies.abstraction.cards import StrengthPercentile
from limpet.strategies.abstraction.holdem_buckets import NO_BUCKET, CardTables, StrengthBuckets, bucket_tables
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.sampling import mix, mixed, uniform, unit
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.measures.joint_betting import (
    LOST,
    MEAN,
    OPEN,
    OUTSIDE,
    OVER,
    PLAIN,
    SUM,
    JointBetting,
    whole_betting,
)
from limpet.strategies.holdem.measures.match_engine import (
    DealtBatch,
    LiveBuckets,
    TableBuckets,
    bucket_source,
    builds_from,
    hand_indices,
)
from limpet.strategies.holdem.measures.match_kernels import settle
from tests.strategies.base.strategy_files import MANY, POT, random_strategy

U64 = np.uint64
BETWEEN = BetMenu(sizes=(((0.4, 0.7, 1.5), (0.8,), ()),))


@pytest.mark.parametrize("counters", [(0,), (1, 2, 3), (2**64 - 1, 7), (5, 4_000_000_000, 1, 0, 12)])
def test_randomness_is_that_of_the_agents(counters: tuple[int, ...]) -> None:
    state: Any = U64(0)
    for counter in counters:
        state = mixed(U64(state), U64(counter))
    assert int(state) == mix(*counters)
    if len(counters) == 5:
        assert unit(U64(state)) == uniform(HandKey(*counters[:3]), *counters[3:])


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_settlement(players: int) -> None:
    """Bit for bit, with side pots, ties and folded money."""
    rng = np.random.default_rng(players)
    net = np.empty(players)
    for _ in range(1500):
        spent = rng.integers(0, 6, players) * rng.choice([1, 7])
        ranks = rng.integers(0, 4, players)
        folded = int(rng.integers(0, 2**players - 1)) if rng.random() < 0.7 else 0
        settle(spent, folded, ranks, net)
        assert tuple(net.tolist()) == settle_ranks(tuple(spent.tolist()), folded, tuple(ranks.tolist()))


@pytest.mark.parametrize("k", [1, 2, 4])
def test_hands_are_numbered_all_at_once(k: int) -> None:
    rng = np.random.default_rng(k)
    deck = tuple(range(20, 52)) if k > 2 else tuple(range(3, 52, 3))
    holes = np.array([[rng.choice(deck, k, replace=False) for _ in range(3)] for _ in range(50)], np.int8)
    space = hand_space(deck, k)
    assert hand_indices(space, holes).tolist() == [[space.index(hole) for hole in deal] for deal in holes.tolist()]


def holdem_deals(count: int, players: int = 2) -> DealtBatch:
    rng = np.random.default_rng(count)
    cards = np.array([rng.choice(52, 5 + 2 * players, replace=False) for _ in range(count)], np.int8)
    return DealtBatch(cards[:, 5:].reshape(count, players, 2), np.ascontiguousarray(cards[:, :5]))


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> StrategyFile:
    """A hold'em strategy of buckets by strength."""
    rng = np.random.default_rng(5)
    cuts = [np.sort(rng.integers(0, most, 199)).astype(np.int32) for most in (1_000_000, 40_000, 900)]
    flops = canonical_boards(3).boards
    blocked = (flops[:, None, :, None] == hand_space().holes[None, :, None, :]).any(axis=(2, 3))
    cards = StrengthBuckets(cuts, np.where(blocked, NO_BUCKET, rng.integers(0, 200, blocked.shape)).astype(np.uint8))
    folder, game = tmp_path_factory.mktemp("strategies") / "strength", "holdem.nolimit.2p.reverse_blinds"
    return random_strategy(folder, game, 5, BetMenu(sizes=(((),),)), cards_as=(StrengthPercentile(), cards))


def tables_for(file: StrategyFile, dealt: DealtBatch) -> BucketTables:
    """Whole tables of which only the boards of some deals are filled in; the rest is never touched."""
    arrays: list[Any] = []
    for n in (3, 4, 5):
        boards = canonical_boards(n)
        table = np.empty((boards.count, 1326), np.uint8)
        for board in dealt.board[:, :n].tolist():
            row, _ = boards.find(tuple(board))
            vector = file.cards.bucket_vector(n - 2, tuple(boards.boards[row].tolist()))
            table[row] = np.where(vector < 0, NO_BUCKET, vector)
        table.flags.writeable = False
        arrays.append(table)
    return bucket_tables(arrays)


def filled(source: Any, dealt: DealtBatch, rounds: tuple[int, ...], which: list[int]) -> Any:
    buckets = np.full((len(dealt.holes), dealt.holes.shape[1], 4), -1, np.int32)
    for round_ in rounds:
        source.fill(round_, np.array(which), dealt, buckets)
    return buckets


def test_tables_and_boards_give_the_same_buckets(first: StrategyFile) -> None:
    dealt = holdem_deals(12, players=3)
    tables = tables_for(first, dealt)
    which = [0, 2, 3, 5, 7, 11]
    live = filled(LiveBuckets(first.game, first.cards), dealt, (0, 1, 2, 3), which)
    assert (filled(TableBuckets(tables), dealt, (0, 1, 2, 3), which) == live).all()
    assert (live[which] >= 0).all() and (live[[1, 4, 6]] == -1).all()
    # Perfect recall: a bucket is the sequence of those so far, also where earlier rounds were not asked for.
    counts = (169, 200, 200, 200)
    recalled = filled(TableBuckets(tables, counts), dealt, (3,), which)
    expected = ((live[..., 0] * 200 + live[..., 1]) * 200 + live[..., 2]) * 200 + live[..., 3]
    assert (recalled[which, :, 3] == expected[which]).all()


@pytest.mark.parametrize("name", ["hunl-200bb", "hulh"])
def test_hands_that_are_dealt_have_the_buckets_of_one_hand_after_another(name: str) -> None:
    cards, dealt = StrategyFile.open(shipped_strategies() / name).cards, holdem_deals(30, players=3)
    hands = hand_indices(hand_space(), dealt.holes)
    for round_, size in enumerate((0, 3, 4, 5)):
        boards = dealt.board[:, :size]
        found = cards.dealt_buckets(round_, boards, hands).tolist()
        for board, held, buckets in zip(map(tuple, boards.tolist()), hands.tolist(), found, strict=True):
            assert buckets == [cards.bucket_vector(round_, board)[hand] for hand in held]
            assert buckets == [cards.bucket(round_, board, hand) for hand in held]


def test_tables_are_built_for_many_deals_alone(
    first: StrategyFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from limpet.strategies.abstraction import card_tables

    assert isinstance(first.manifest.cards, StrengthPercentile)
    assert isinstance(bucket_source(first, 99_999, tmp_path), LiveBuckets)
    assert [builds_from(first, deals, tmp_path) for deals in (99_999, 100_000)] == [100_000, 0]
    dealt = holdem_deals(1)
    made = CardTables(first.cards, tables_for(first, dealt))  # type: ignore[arg-type]
    asked: list[Path] = []

    def load_or_build(cache: Path, *rest: Any) -> CardTables:
        asked.append(cache)
        return made

    monkeypatch.setattr(card_tables, "load_or_build_strengths", load_or_build)
    assert isinstance(bucket_source(first, 100_000, tmp_path), TableBuckets)
    (tmp_path / card_tables.table_name(first.manifest.cards.buckets)).mkdir()
    assert isinstance(bucket_source(first, 5, tmp_path), TableBuckets)
    assert builds_from(first, 5, tmp_path) == 0
    assert asked == [tmp_path, tmp_path]
    # Tables that another version of the method made are not those of the file.
    monkeypatch.setattr(type(first.cards), "hash", lambda cards: "0" * 64)
    assert isinstance(bucket_source(first, 100_000, tmp_path), LiveBuckets)
    leduc = StrategyFile.open(shipped_strategies() / "leduc")
    assert isinstance(bucket_source(leduc, 10**9, tmp_path), LiveBuckets)
    assert builds_from(leduc, 5, tmp_path) == 0


def test_clustered_tables_are_built_of_the_buckets_that_the_file_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not of clusters that are looked for again, which takes as long as all the rest."""
    from limpet.strategies.abstraction import clustered_buckets

    file = StrategyFile.open(shipped_strategies() / "hulh")
    assert [builds_from(file, deals, tmp_path) for deals in (399_999, 400_000)] == [400_000, 0]
    known: list[object] = []

    def load_or_build(cache: Path, config: object, threads: int, progress: object, buckets: object) -> Any:
        known.append(buckets)
        return CardTables(file.cards, None)  # type: ignore[arg-type]

    monkeypatch.setattr(clustered_buckets, "load_or_build", load_or_build)
    assert isinstance(bucket_source(file, 399_999, tmp_path), LiveBuckets)
    assert isinstance(bucket_source(file, 400_000, tmp_path), TableBuckets)
    assert known == [file.cards]


def test_whole_betting_goes_on_where_a_seat_has_left_its_tree(tmp_path: Path) -> None:
    """Otherwise it is the betting that is grown node by node."""
    one, two = (
        BlueprintSeat(random_strategy(tmp_path / str(seed), "leduc.nolimit.2p", seed, menu))
        for seed, menu in enumerate((POT, MANY))
    )
    tree = JointBetting(one.file.game, [one, two])
    node = 0
    while node < len(tree.states):
        if tree.arrays().node["kind"][node] == OPEN:
            tree.grow(node)
        node += 1
    arrays, whole = tree.arrays(), whole_betting(one.file.game, (one, two))
    over = arrays.node["kind"] == OVER
    lost, outside = (np.flatnonzero(found.node["kind"] == kind) for found, kind in ((whole, LOST), (arrays, OUTSIDE)))
    assert len(whole.node) > len(arrays.node)
    assert len(lost) >= len(outside) > 0
    assert (whole.node["edges"][lost] == 1).all() and (whole.node["parts"][lost] == 1).all()
    assert set(np.unique(whole.node["kind"])) <= {PLAIN, SUM, MEAN, LOST, OVER}
    stakes = np.sort(whole.spent[whole.node["kind"] == OVER].min(axis=1))
    assert np.isin(arrays.spent[over].min(axis=1), stakes).all()
    played = arrays.node["kind"] < OPEN
    assert (arrays.edge["coins"] > 0).any() and (arrays.node["edges"][played] > 0).all()
    assert (arrays.node["kind"][~over & ~played] == OUTSIDE).all()
    # From each node's edges and coins every other node is come to once.
    children = [c for first, _, coins in arrays.edge.tolist() for c in range(first, first + 2**coins)]
    assert sorted(children) == list(range(1, len(arrays.node)))


def test_coins_are_the_bits_of_the_child(tmp_path: Path) -> None:
    """Each branch of each seat's walk stands at the child whose bits name it."""
    game = tmp_path / "deep.game"
    game.write_text(str(load_game("leduc.nolimit.2p")).replace("1200 1200", "3000 3000"))
    files = [random_strategy(tmp_path / str(seed), str(game), seed, menu) for seed, menu in enumerate((POT, BETWEEN))]
    seats = [BlueprintSeat(file) for file in files]
    tree = JointBetting(files[0].game, seats)
    seen = 0
    node = -1
    while (node := node + 1) < len(tree.states):
        if tree.arrays().node["kind"][node] != OPEN:
            continue
        places = tree._nodes[node]
        tree.grow(node)
        if tree.arrays().node["kind"][node] == OUTSIDE:
            continue
        arrays, state = tree.arrays(), tree.states[node]
        first = arrays.node["edge"][node]
        for edge in range(first, first + arrays.node["edges"][node]):
            child, coin, coins = arrays.edge[edge].tolist()
            after = tree.states[child]
            if after.finished:
                assert coins == 0
                continue
            ways = [seat.follow(of_seat, state, after) for seat, of_seat in zip(seats, places, strict=True)]
            throwers = arrays.coin["position"][coin : coin + coins].tolist()
            assert throwers == [p for p, branches in enumerate(ways) if len(branches) > 1]
            for bits in product((0, 1), repeat=coins):
                expected = [
                    branches[bits[throwers.index(p)] if p in throwers else 0].nodes for p, branches in enumerate(ways)
                ]
                assert list(tree._nodes[child + sum(bit << i for i, bit in enumerate(bits))]) == expected
                seen += coins
    assert seen > 20
