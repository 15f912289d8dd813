"""A strategy whose checksums were refitted after a change: it is refused in words that name the file, or it can be used.

Damage is found by checksums alone (`test_damaged_strategies`); here they say that all is well. Header, arrays and manifest
are changed at random, from fixed seeds.
"""

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from limpet.common.folders import shipped_strategies
from limpet.common.safetensors import map_tensors
from limpet.configs.fitting import fit
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import ARRAYS
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, StrengthPercentile
from limpet.strategies.abstraction.holdem_buckets import StrengthBuckets
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.equity import FULL_COUNT
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, StrategyFile, open_abstraction, verify_strategy
from tests.strategies.base.strategy_files import MANY, random_strategy

SEEDS = {"lossless": 20, "percentile": 5, "clustered": 5}
"""Number of changes of each kind for each strategy."""

Header = dict[str, Any]
Change = Callable[[random.Random, Header, bytearray, dict[str, Any]], None]
NUMBERS = (-(2**31), -2, -1, 0, 1, 2, 3, 7, 254, 255, 1000, 2**31 - 1)
ODD: tuple[Any, ...] = (None, True, -1, 0, 1, 3, 0.5, 10**30, "", "x", "U8", [], [1], [[]], {}, {"a": 1}, float("nan"))


def percentiles() -> tuple[CardConfig, CardAbstraction]:
    """Three buckets a street, of no particular hands."""
    thresholds = [np.array([FULL_COUNT[n] // 3, FULL_COUNT[n] // 2], np.int32) for n in (3, 4, 5)]
    flop = (np.arange(1755 * 1326) % 3).astype(np.uint8).reshape(1755, 1326)
    return StrengthPercentile((3, 3, 3)), StrengthBuckets(thresholds, flop)


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("originals")
    random_strategy(folder / "lossless", "leduc.nolimit.2p", 1, MANY, bits=8)
    jam = BetMenu(sizes=(((),),), raise_cap=1)
    random_strategy(folder / "percentile", "holdem.nolimit.2p.reverse_blinds", 1, jam, cards_as=percentiles())
    shutil.copytree(shipped_strategies() / "hulh", folder / "clustered")
    return {name: folder / name for name in ("lossless", "percentile", "clustered")}


def other_entry(rng: random.Random, header: Header, data: bytearray, manifest: dict[str, Any]) -> None:
    """A part of the header: an array's name, dtype, shape or offsets, or the metadata."""
    name = rng.choice(sorted(header))
    part = rng.choice([*sorted(header[name]), "", "name", "gone", "more"])
    if part == "gone":
        del header[name]
    elif part == "name":
        header[rng.choice(sorted(header) + ["x", "tree.x", "cards.x"])] = header.pop(name)
    elif part in ("", "more"):
        header[name if not part else "tree.more"] = rng.choice(ODD)
    elif part == "data_offsets" and rng.random() < 0.7:
        offsets = header[name][part]
        offsets[rng.randrange(2)] += rng.choice((-4096, -8, -4, -1, 1, 4, 8, 4096, 2**40))
    elif part == "shape" and rng.random() < 0.7:
        shape = header[name][part]
        header[name][part] = rng.choice(
            ([*shape, 1], [1, *shape], shape[:-1], [-1], [-1, *shape[1:]], shape[::-1], [int(np.prod(shape))], [2, 2])
        )
    elif part == "dtype" and rng.random() < 0.7:
        header[name][part] = rng.choice(("U8", "I8", "U16", "I16", "I32", "I64", "F32", "F64", "BF16", "C64"))
    else:
        header[name][part] = rng.choice(ODD)


def other_numbers(rng: random.Random, header: Header, data: bytearray, manifest: dict[str, Any]) -> None:
    """Some numbers of an array."""
    name = rng.choice([name for name in sorted(header) if name.startswith(("tree.", "cards."))])
    begin, end = header[name]["data_offsets"]
    kinds = {"U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16, "I32": np.int32, "I64": np.int64}
    array = np.frombuffer(data, np.uint8)[begin:end].view(kinds[header[name]["dtype"]])
    if rng.random() < 0.2:
        array[:] = array[::-1].copy()
        return
    for _ in range(rng.choice((1, 1, 2, 20))):
        at = rng.choice((0, len(array) - 1, rng.randrange(len(array))))
        number = rng.choice((*NUMBERS, int(array[at]) + 1, int(array[at]) - 1, len(array)))
        array[at] = np.array(number).astype(array.dtype)


def other_length(rng: random.Random, header: Header, data: bytearray, manifest: dict[str, Any]) -> None:
    """An array with a row more or less, in a file that has room for it."""
    name = rng.choice([name for name in sorted(header) if name != "__metadata__"])
    entry = header[name]
    begin, end = entry["data_offsets"]
    rows = entry["shape"][0]
    size = (end - begin) // rows
    rows = rng.choice((0, 1, rows - 1, rows + 1, 2 * rows))
    entry["shape"][0] = rows
    data += bytes(-len(data) % 8)
    content = bytes(data[begin:end]) + bytes(size)
    entry["data_offsets"] = [len(data), len(data) + rows * size]
    data += (content * 2)[: rows * size]


def other_manifest(rng: random.Random, header: Header, data: bytearray, manifest: dict[str, Any]) -> None:
    """A field of the manifest."""
    name = rng.choice(["game", "menu", "cards", "bits", "bits", *sorted(manifest)])
    if name == "bits":
        manifest[name] = rng.choice((0, 1, 7, 8, 12, 16, 24, 32, 64, 65, -8, 10**18))
    elif name == "game" and rng.random() < 0.8:
        lines = manifest[name].splitlines()
        at = rng.randrange(len(lines))
        digits = "".join(rng.choice("0123456789") if letter.isdigit() else letter for letter in lines[at])
        lines[at] = rng.choice(("", digits, lines[at] + " 7", digits + digits))
        manifest[name] = "\n".join(lines)
    elif name == "menu" and rng.random() < 0.8:
        manifest[name] = rng.choice(
            (
                {"sizes": [[[0.5]]]},
                {"sizes": [[[x / 50 for x in range(1, 200)]]]},
                {"raise_cap": rng.choice((-1, 0, 1, 9))},
                {"sizes": [[[0.5]]], "opponents": {"sizes": [[[1.0]]]}},
                {"sizes": [[[0.5]]], "opponents": {"sizes": [[[1.0]]]}, "position": rng.choice((-1, 0, 1, 7))},
                None,
            )
        )
    elif name == "cards" and rng.random() < 0.8:
        manifest[name] = rng.choice(
            (
                {"kind": "lossless"},
                {"kind": "clustered"},
                {"kind": "strength-percentile"},
                {"kind": "strength-percentile", "buckets": [1, 2, 3]},
                {"kind": "clustered", "recall": "perfect"},
                {"kind": "clustered", "turn": {"method": "percentile"}},
                {"kind": "clustered", "river": {"method": "ochs", "boards": 3}},
            )
        )
    elif rng.random() < 0.3:
        del manifest[name]
    else:
        manifest[name] = rng.choice(ODD)


def read(folder: Path) -> tuple[Header, bytearray, dict[str, Any]]:
    content = (folder / "strategy.safetensors").read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    manifest = yaml.safe_load((folder / "manifest.yaml").read_text())
    return json.loads(content[8:start]), bytearray(content[start:]), manifest


def forge(folder: Path, header: Header, data: bytearray, manifest: dict[str, Any]) -> None:
    """Write a strategy's folder, with all checksums that can be worked out fitting."""
    path = folder / "strategy.safetensors"
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 4096)
    for refit in (False, True):
        path.write_bytes(len(text).to_bytes(8, "little") + text + data)
        try:
            tensors, _ = map_tensors(path)
            digest = hashlib.sha256(path.read_bytes()[: 8 + len(text)])
            for name in ARRAYS:
                digest.update(np.ascontiguousarray(tensors[f"tree.{name}"]).data)
            manifest["index_sha256"] = digest.hexdigest()
            if not refit:
                made = fit(manifest, Manifest)
                game = GameDef.parse(made.game, "")
                cards = open_abstraction(
                    made.cards, game, {key[6:]: array for key, array in tensors.items() if key.startswith("cards.")}
                )
                for key, value in (("rules_hash", game.rules_hash), ("cards_hash", cards.hash())):
                    manifest[key] = header["__metadata__"][key] = value
                text = json.dumps(header).encode()
                text += b" " * (-(len(text) + 8) % 4096)
        except Exception:  # noqa: BLE001, S110 - then there is nothing to refit
            pass
    if "sha256" in manifest and isinstance(manifest["sha256"], str):
        manifest["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    if "size" in manifest and type(manifest["size"]) is int:
        manifest["size"] = path.stat().st_size
    (folder / "manifest.yaml").write_text(yaml.safe_dump(manifest))


def used(file: StrategyFile) -> None:
    """What play and the commands ask of an opened strategy."""
    tree = file.tree
    for node in tree.decisions.tolist()[:200]:
        rows = file.node_rows(node)
        assert np.isfinite(rows).all()
        assert len(tree.actions(node)) == rows.shape[1]
    assert (tree.parent[1:] < np.arange(1, tree.num_nodes)).all()
    seen = {0}
    for node in tree.decisions.tolist():
        for action in range(int(tree.num_actions[node])):
            seen.add(tree.child(node, action))
    assert seen == set(range(tree.num_nodes))
    board = tuple(sorted(file.game.deck)[: file.game.board_sizes[-1]])
    for round_, size in enumerate(file.game.board_sizes):
        vector = file.cards.bucket_vector(round_, board[:size])
        assert vector.max() < file.cards.num_buckets(round_)


@pytest.mark.parametrize("change", [other_entry, other_numbers, other_length, other_manifest])
@pytest.mark.parametrize("kind", ["lossless", "percentile", "clustered"])
def test_a_forged_strategy_is_refused_by_name_or_can_be_used(
    originals: dict[str, Path], kind: str, change: Change, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    folder = tmp_path / "forged"
    folder.mkdir()
    header, data, manifest = read(originals[kind])
    refused, wrong = 0, []
    for seed in range(SEEDS[kind]):
        parts = deepcopy((header, data, manifest))
        change(random.Random(f"{kind} {change.__name__} {seed}"), *parts)
        forge(folder, *parts)
        for check in (StrategyFile.open, verify_strategy):
            try:
                used(check(folder))
            except ValueError as error:
                refused += 1
                if str(folder) not in str(error) or "\n" in str(error):
                    wrong.append(f"seed {seed}, {check.__name__}: not named or not one line: {error}")
            except Exception as error:  # noqa: BLE001 - any other is a fault, and all of them are listed
                wrong.append(f"seed {seed}, {check.__name__}: {error!r}")
    assert not wrong, "\n".join(wrong)
    assert refused
