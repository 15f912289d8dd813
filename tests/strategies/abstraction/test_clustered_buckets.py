"""Clustered buckets: tables equal to what is worked out live, caches, recall, and what a strategy file keeps."""

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.strategies.abstraction import card_tables, clustered_buckets, street_buckets, street_fitting
from limpet.strategies.abstraction.card_tables import TableDeals, compare_tables, has_tables, table_name, table_vector
from limpet.strategies.abstraction.cards import (
    CardConfig,
    Clustered,
    EarthMover,
    Lossless,
    Nested,
    OpponentClusters,
    PotentialAware,
    Strength,
    StrengthPercentile,
)
from limpet.strategies.abstraction.clustered_buckets import ClusteredBuckets, load_or_build, street_name
from limpet.strategies.abstraction.clustering import Clusters
from limpet.strategies.abstraction.holdem_buckets import CardTables, bucket_tables
from limpet.strategies.abstraction.street_buckets import (
    NO_BUCKET,
    FlopTable,
    Nearest,
    Percentiles,
    feature_kind,
    hand_features,
)
from limpet.strategies.cards.equity import strength_moments
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import (
    FLOP_HANDS,
    CanonicalBoards,
    canonical_boards,
    flop_numbers,
    hand_permutation,
    permute_cards,
    preflop_class,
    preflop_classes,
)
from limpet.strategies.holdem.blueprint.strategy_file import open_abstraction

SOME = {3: 1755, 4: 40, 5: 160}
SMALL = Clustered(EarthMover(20), EarthMover(30), OpponentClusters(25), sample=6_000)
OTHER = msgspec.structs.replace(SMALL, seed=1)
TURN = (4, 17, 30, 47)
RIVER = (4, 17, 30, 47, 9)


def few_boards(n: int) -> CanonicalBoards:
    """All flops, but only the first turns and rivers."""
    every = canonical_boards(n)
    return CanonicalBoards(n, every.boards[: SOME[n]], every.orbit[: SOME[n]], every.keys)


numbers_of = cache(flop_numbers)
"""Of each flop asked once: those of all flops take half a second."""


def quick_flops(method: Any, board: tuple[int, ...], groups: Any) -> npt.NDArray[Any]:
    """Real features, but for a sham on the flops, which would take most of a minute: the class of the hand."""
    if len(board) > 3:
        return hand_features(method, board, groups)
    return np.repeat(preflop_classes()[:, None], method.points, axis=1)


def quick_groups(seed: int) -> npt.NDArray[np.uint8]:
    """Eight groups of the starting hands by number alone."""
    return ((np.arange(169) + seed) % 8).astype(np.uint8)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clustered_buckets, "canonical_boards", few_boards)
    monkeypatch.setattr(street_fitting, "canonical_boards", few_boards)
    monkeypatch.setattr(street_fitting, "hand_features", quick_flops)
    monkeypatch.setattr(street_fitting, "preflop_groups", quick_groups)
    monkeypatch.setattr(street_fitting, "flop_numbers", numbers_of)
    monkeypatch.setattr(street_buckets, "flop_numbers", numbers_of)


@pytest.fixture
def trained(small: None, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A folder of its own with the card tables of SMALL and OTHER, which one process has built for all tests."""
    made = tmp_path_factory.getbasetemp() / "trained-clusters"
    if not made.exists():
        load_or_build(made / "small", SMALL)
        load_or_build(made / "other", OTHER)
    shutil.copytree(made, tmp_path / "trained")
    return tmp_path / "trained"


def plain(config: Clustered = SMALL) -> ClusteredBuckets:
    """Buckets with random centres and a random flop table; no street is built."""
    rng = np.random.default_rng(1)
    streets: list[Any] = [FlopTable(rng.integers(0, 20, FLOP_HANDS).astype(np.uint16), 20)]
    for method in (config.turn, config.river):
        assert isinstance(method, (EarthMover, OpponentClusters))
        dims, dtype, squared = feature_kind(method)
        centres = -np.sort(-rng.integers(0, 256 if dtype is np.uint8 else 1000, (method.buckets, dims)), axis=1)
        centres = centres[np.argsort(centres.sum(axis=1), kind="stable")].astype(dtype)
        groups = None if isinstance(method, EarthMover) else quick_groups(0)
        streets.append(Nearest(method, [Clusters(centres, squared)], None, groups))
    return ClusteredBuckets(config, streets)


def test_build(trained: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    built = load_or_build(tmp_path / "new", SMALL, 2, lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen) and seen[0][1] == seen[-1][1] == seen[-1][0]
    assert built.buckets.counts == (169, 20, 30, 25)
    for n, table in ((3, built.tables.flop), (4, built.tables.turn), (5, built.tables.river)):
        assert table.dtype == np.uint16 and not table.flags.writeable
        for row in (0, 7, 39):
            board = canonical_boards(n).boards[row].tolist()
            assert table[row].tolist() == built.buckets.board_buckets(board).tolist()
            blocked = hand_space().blocked(board)
            assert (table[row][blocked] == NO_BUCKET).all()
            assert table[row][~blocked].max() < built.buckets.num_buckets(n - 2)

    one_thread = load_or_build(trained / "small", SMALL)
    assert one_thread.buckets.hash() == built.buckets.hash()
    assert (one_thread.tables.river == built.tables.river).all()
    other = load_or_build(trained / "other", OTHER)
    assert other.buckets.hash() != built.buckets.hash()

    # What a strategy file keeps gives the same buckets.
    again = ClusteredBuckets.from_tensors(SMALL, built.buckets.to_tensors())
    assert again.hash() == built.buckets.hash()
    for board in (TURN[:3], TURN, RIVER):
        assert (again.board_buckets(board) == built.buckets.board_buckets(board)).all()


@pytest.mark.usefixtures("small")
def test_finished_streets_are_kept_and_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no")

    with monkeypatch.context() as broken:
        broken.setattr(clustered_buckets, "fit_flop", fail)
        with pytest.raises(RuntimeError):
            load_or_build(tmp_path, SMALL)
    assert [folder.name for folder in tmp_path.iterdir()] == [street_name(SMALL, "turn")]
    built = load_or_build(tmp_path, SMALL)
    monkeypatch.setattr(clustered_buckets, "fit_street", fail)
    monkeypatch.setattr(clustered_buckets, "fit_flop", fail)
    assert load_or_build(tmp_path, SMALL).buckets.hash() == built.buckets.hash()
    other = msgspec.structs.replace(SMALL, river=Strength(5))
    with pytest.raises(RuntimeError):  # only the river is new
        load_or_build(tmp_path, other)
    assert len(list(tmp_path.iterdir())) == 3
    perfect = load_or_build(tmp_path, msgspec.structs.replace(SMALL, recall="perfect"))
    assert perfect.buckets.num_buckets(3) == 169 * 20 * 30 * 25


def test_tables_of_known_buckets_need_no_search_for_clusters(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A strategy file has its buckets; the tables are then those that training would have built, bit for bit."""

    def fail(*_: object) -> None:
        raise RuntimeError("no")

    built = load_or_build(trained / "small", SMALL)
    other = load_or_build(trained / "other", OTHER)
    monkeypatch.setattr(clustered_buckets, "fit_street", fail)
    monkeypatch.setattr(clustered_buckets, "fit_flop", fail)
    stored = ClusteredBuckets.from_tensors(SMALL, built.buckets.to_tensors())
    assert not has_tables(SMALL, tmp_path / "new", stored)
    seen: list[tuple[int, int]] = []
    made = load_or_build(tmp_path / "new", SMALL, 2, lambda done, total: seen.append((done, total)), stored)
    assert made.buckets.hash() == built.buckets.hash() and made.digests == built.digests
    for name in built.tables._fields:
        assert np.array_equal(getattr(made.tables, name), getattr(built.tables, name))
    assert seen == sorted(seen) and seen[-1] == (125, 125)
    assert has_tables(SMALL, tmp_path / "new", stored) and not has_tables(SMALL, tmp_path / "new")
    assert compare_tables(SMALL, built.digests, tmp_path / "new", stored)[0] is True
    # Where training has left its tables, those are taken, but not if they are of other buckets.
    assert load_or_build(trained / "small", SMALL, stored=stored).digests == built.digests
    assert len(list((trained / "small").iterdir())) == 3
    strange = ClusteredBuckets.from_tensors(SMALL, other.buckets.to_tensors())
    found = load_or_build(trained / "small", SMALL, stored=strange)
    assert found.buckets.hash() == strange.hash() and found.digests == other.digests
    assert len(list((trained / "small").iterdir())) == 6


def test_damage_is_refused(trained: Path) -> None:
    folder = trained / "small" / street_name(SMALL, "river")
    content = bytearray((folder / "boards.npy").read_bytes())
    content[-2000] ^= 1
    (folder / "boards.npy").write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"river.*boards\.npy: SHA-256 is.*delete the folder"):
        load_or_build(trained / "small", SMALL)
    (folder / "centres.npy").unlink()
    (folder / "boards.npy").write_bytes(b"")
    with pytest.raises(ValueError, match="delete the folder"):
        load_or_build(trained / "small", SMALL)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(ValueError, match="not a whole card table"):
        load_or_build(trained / "small", SMALL)


@pytest.mark.usefixtures("small")
def test_percentiles_are_nested(tmp_path: Path) -> None:
    config = Clustered(EarthMover(4), Nested(6, 5), Strength(40), sample=6_000)
    built = load_or_build(tmp_path / "nested", config).buckets
    outer = load_or_build(tmp_path / "outer", msgspec.structs.replace(config, turn=Nested(6, 1))).buckets
    assert built.counts == (169, 4, 30, 40) and outer.counts[2] == 6
    board = canonical_boards(4).boards[30].tolist()
    live = ~hand_space().blocked(board)
    fine, coarse = built.board_buckets(board)[live], outer.board_buckets(board)[live]
    assert (fine // 5 == coarse).all() and len(set(fine.tolist())) > 12
    # On a river E[HS²] says nothing new, and buckets follow the strength.
    strengths = strength_moments(RIVER)[:, 0]
    order = np.argsort(strengths[strengths > 0], kind="stable")
    assert (np.diff(built.board_buckets(RIVER)[strengths > 0][order].astype(int)) >= 0).all()


@pytest.mark.usefixtures("small")
def test_clusters_of_boards(tmp_path: Path) -> None:
    config = Clustered(EarthMover(3), EarthMover(5, boards=3), OpponentClusters(6, boards=4), sample=6_000)
    built = load_or_build(tmp_path, config)
    assert built.buckets.counts[2:] == (15, 24)
    for n, table, hands in ((4, built.tables.turn, 5), (5, built.tables.river, 6)):
        boards: list[int] = []
        for row in range(SOME[n]):
            held = {bucket // hands for bucket in table[row].tolist() if bucket != NO_BUCKET}
            assert len(held) == 1  # all hands of a board are in its cluster's buckets
            boards += held
        assert len(set(boards)) == (3 if n == 4 else 4)
    again = ClusteredBuckets.from_tensors(config, built.buckets.to_tensors())
    assert (again.board_buckets(RIVER) == built.buckets.board_buckets(RIVER)).all()


@pytest.mark.parametrize("permutation", [(1, 0, 2, 3), (3, 0, 1, 2)])
def test_suits_have_no_names(permutation: tuple[int, ...]) -> None:
    buckets, move = plain(), hand_permutation(permutation)
    for board in (TURN[:3], TURN, RIVER):
        moved = permute_cards(board, permutation)
        assert (buckets.board_buckets(moved)[move] == buckets.board_buckets(board)).all()


def test_the_royal_board_is_one_bucket() -> None:
    buckets = plain().board_buckets(parse_cards("TsJsQsKsAs"))
    assert len(set(buckets.tolist()) - {NO_BUCKET}) == 1


def test_vectors_and_recall() -> None:
    buckets = plain()
    perfect = ClusteredBuckets(msgspec.structs.replace(SMALL, recall="perfect"), buckets.streets)
    assert [perfect.num_buckets(round_) for round_ in range(4)] == [169, 3380, 101_400, 2_535_000]
    assert (buckets.bucket_vector(0, ()) == preflop_classes()).all()
    hand, river = hand_space().index((20, 21)), (30, 4, 17, 47, 9)
    number = preflop_class(20, 21)
    for n in (3, 4, 5):
        own = buckets.bucket_vector(n - 2, river[:n])
        assert own[hand] == buckets.board_buckets(river[:n])[hand] and own[hand_space().index((4, 5))] == -1
        number = number * buckets.counts[n - 2] + own[hand]
        combined = perfect.bucket_vector(n - 2, river[:n])
        assert combined[hand] == number and combined[hand_space().index((4, 5))] == -1
        assert combined.max() < perfect.num_buckets(n - 2)
    other_turn = (30, 4, 17, 9, 47)  # imperfect recall forgets the order, perfect recall does not
    assert (buckets.bucket_vector(3, other_turn) == buckets.bucket_vector(3, river)).all()
    assert (perfect.bucket_vector(3, other_turn) != perfect.bucket_vector(3, river)).any()
    with pytest.raises(ValueError):
        perfect.bucket_vector(3, river)[0] = 0


def test_too_many_buckets_for_perfect_recall() -> None:
    config = Clustered(river=OpponentClusters(60_000), recall="perfect")
    with pytest.raises(ValueError, match="choose fewer"):
        ClusteredBuckets(config, plain(config).streets)


@pytest.mark.parametrize(
    ("street", "method", "number"),
    [
        ("flop", Nested(300, 300), "90,000"),
        ("turn", EarthMover(700, 100), "70,000"),
        ("river", OpponentClusters(256, 256), "65,536"),
    ],
)
def test_a_street_of_more_buckets_than_its_table_tells_apart_is_refused(street: str, method: Any, number: str) -> None:
    with pytest.raises(ValueError, match=f"the {street} would have {number} buckets, and a street has at most 65,535"):
        Clustered(**{street: method})
    text = msgspec.json.encode({"kind": "clustered", street: method})
    with pytest.raises(msgspec.ValidationError, match=f"the {street} would have {number}"):
        msgspec.json.decode(text, type=Clustered)
    assert Clustered(flop=Nested(257, 255)).flop.most == 65_535


@pytest.mark.parametrize("board", [(1, 2), (1, 1, 2), (0, 1, 52), (1, 2, 3, 4, 5, 6)])
def test_bad_boards(board: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="a board is"):
        plain().board_buckets(board)


def test_bad_arrays() -> None:
    tensors = plain().to_tensors()
    bad: dict[str, Any] = {
        "flop.table": tensors["flop.table"][:-1],
        "flop.count": np.array([19]),
        "turn.centres": tensors["turn.centres"].astype(np.int16),
        "river.centres": tensors["river.centres"][::-1],
        "river.groups": np.full(169, 8, dtype=np.uint8),
    }
    for name, array in bad.items():
        with pytest.raises(ValueError):
            ClusteredBuckets.from_tensors(SMALL, {**tensors, name: array})
        with pytest.raises(ValueError, match=name):
            ClusteredBuckets.from_tensors(SMALL, {key: value for key, value in tensors.items() if key != name})
    for cuts, inner in (([[1]], [[1]]), ([2, 1], [[], [], []]), ([1], [[2, 1], [1, 2]])):
        with pytest.raises(ValueError):
            Percentiles(np.array(cuts), np.array(inner))


def test_opened_by_config() -> None:
    text = (
        b'{"kind": "clustered", "flop": {"method": "emd", "buckets": 20}, "turn": {"method": "emd", "buckets": 30},'
        b' "river": {"method": "ochs", "buckets": 25}, "sample": 6000}'
    )
    config = msgspec.json.decode(text, type=CardConfig)
    assert config == SMALL
    buckets = plain()
    opened = open_abstraction(config, load_game("holdem.nolimit.2p.reverse_blinds", Path()), buckets.to_tensors())
    assert opened.hash() == buckets.hash() and opened.kind == "clustered"
    for bad in (b'{"kind": "clustered", "turn": {"method": "ochs"}}', b'{"kind": "clustered", "flop": {"buckets": 0}}'):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(bad, type=CardConfig)
    older = b'{"kind": "strength-percentile", "buckets": [1, 2, 3]}'
    assert msgspec.json.decode(older, type=CardConfig) == StrengthPercentile((1, 2, 3))


def xorshift_cards(seed: int, deals: int, needed: int) -> list[list[int]]:
    """The cards of `sample_deals`, once more in plain Python."""
    state, dealt = seed | 1, []
    for _ in range(deals):
        cards: list[int] = []
        while len(cards) < needed:
            state ^= state << 13 & 2**64 - 1
            state ^= state >> 7
            state ^= state << 17 & 2**64 - 1
            card = (state >> 32) * 52 >> 32
            if card not in cards:
                cards.append(card)
        dealt.append(cards)
    return dealt


@pytest.mark.parametrize("recall", ["imperfect", "perfect"])
def test_deals(recall: Any) -> None:
    config = msgspec.structs.replace(SMALL, recall=recall)
    buckets = ClusteredBuckets(config, plain().streets)
    dealt = xorshift_cards(77, 25, 9)
    tables: list[Any] = []
    for n in (3, 4, 5):
        boards = canonical_boards(n)
        table = np.zeros((boards.count, 1326), dtype=np.uint16)
        for cards in dealt:
            row, permutation = boards.find(cards[:n])
            table[row, hand_permutation(permutation)] = buckets.board_buckets(cards[:n])
        table.flags.writeable = False
        tables.append(table)
    made = CardTables(buckets, bucket_tables(tables))
    sampler = TableDeals(made, 2)
    assert sampler.num_buckets == tuple(buckets.num_buckets(round_) for round_ in range(4))
    drawn, ranks = sampler.sample(77, 25)
    for deal, cards in enumerate(dealt):
        for player in range(2):
            hand = hand_space().index(cards[5 + 2 * player : 7 + 2 * player])
            for round_, n in enumerate((0, 3, 4, 5)):
                assert drawn[deal, player, round_] == buckets.bucket_vector(round_, tuple(cards[:n]))[hand]
    assert ranks.shape == (25, 2) and (ranks > 0).all()
    vector = table_vector(made)
    for cards in dealt:
        for round_, n in enumerate((0, 3, 4, 5)):
            assert (vector(round_, tuple(cards[:n])) == buckets.bucket_vector(round_, tuple(cards[:n]))).all()


def test_tables_that_training_left_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them must be there, and be those of the very abstraction; nothing is built for a look-up."""
    opened: list[CardConfig] = []

    class Found:
        def __init__(self, name: str) -> None:
            self.name = name
            self.buckets = self

        def __str__(self) -> str:
            return "deals"

        def hash(self) -> str:
            return self.name

    file_cards: Any = Found("its hash")
    other_cards: Any = Found("another")

    def load_or_build(cards: Any, *_: Any, **__: Any) -> Any:
        opened.append(cards)
        return Found("its hash")

    monkeypatch.setattr(card_tables, "load_or_build", load_or_build)
    monkeypatch.setattr(card_tables, "table_vector", lambda tables: f"vector of {tables}")
    strength = StrengthPercentile()
    for cards, names in (
        (SMALL, [street_name(SMALL, street) for street in ("flop", "turn", "river")]),
        (strength, [table_name(strength.buckets)]),
    ):
        for name in names:
            assert card_tables.kept_vector(cards, file_cards, tmp_path) is None and cards not in opened
            (tmp_path / name).mkdir()
        assert card_tables.kept_vector(cards, file_cards, tmp_path) == "vector of deals"  # type: ignore[comparison-overlap]
        assert card_tables.kept_vector(cards, other_cards, tmp_path) is None
    assert card_tables.kept_vector(Lossless(), file_cards, tmp_path) is None


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_full_tables_agree_with_live_vectors(tmp_path: Path) -> None:
    """Every canonical board, few buckets and a small sample: minutes."""
    config = Clustered(PotentialAware(50), EarthMover(60), OpponentClusters(10, boards=5), "perfect", sample=50_000)
    built = load_or_build(tmp_path, config, threads=2)
    live = ClusteredBuckets.from_tensors(config, built.buckets.to_tensors())
    rng = np.random.default_rng(5)
    for _ in range(300):
        board = tuple(rng.permutation(52)[:5].tolist())
        for n, table in zip((3, 4, 5), (built.tables.flop, built.tables.turn, built.tables.river), strict=True):
            row, permutation = canonical_boards(n).find(board[:n])
            assert (table[row][hand_permutation(permutation)] == live.board_buckets(board[:n])).all()
    drawn, _ = TableDeals(built, 2).sample(77, 50)
    for deal, cards in enumerate(xorshift_cards(77, 50, 9)):
        hand = hand_space().index(cards[7:9])
        assert drawn[deal, 1].tolist() == [
            int(live.bucket_vector(round_, tuple(cards[:n]))[hand]) for round_, n in enumerate((0, 3, 4, 5))
        ]
    for n, table in zip((3, 4, 5), (built.tables.flop, built.tables.turn, built.tables.river), strict=True):
        share = np.zeros(65536)
        for row, orbit in enumerate(canonical_boards(n).orbit):
            share += orbit * np.bincount(table[row], minlength=65536)
        used = share[: live.counts[n - 2]]
        assert (used > 0).mean() > 0.9  # no bucket is idle, but for those of boards that never meet
        assert used.sum() + share[NO_BUCKET] == canonical_boards(n).orbit.sum() * 1326
