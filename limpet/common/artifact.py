"""The folder of a trained strategy or a solved spot: tensors, a card for people, and a manifest, which is written last."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from numpy.typing import NDArray

from limpet.common.folders import replace_file
from limpet.common.safetensors import map_tensors
from limpet.common.verified import check_size, verify_once
from limpet.configs.loading import load_yaml, yaml_text
from limpet.protocol.gamedef import GameDef

MANIFEST = "manifest.yaml"
CARD = "README.md"


class StoredManifest(Protocol):
    """The entries of all manifests: name and version of the folder's layout, SHA-256 and bytes of the tensors' file."""

    @property
    def format(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def size(self) -> int: ...


class TrainedManifest(StoredManifest, Protocol):
    """The further entries of all trained strategies: the game's definition, and the hash of its rules without stacks."""

    @property
    def game(self) -> str: ...
    @property
    def rules_hash(self) -> str: ...


M = TypeVar("M", bound=TrainedManifest)


def read_manifest(folder: Path, kind: type[M], layout: str) -> M:
    """Return a strategy's manifest. Raises `ConfigError` where it cannot be read, `ValueError` for another layout."""
    manifest = load_yaml(folder / MANIFEST, kind)
    if manifest.format != layout:
        raise ValueError(
            f"{folder / MANIFEST}: format {manifest.format!r}; this version reads {layout!r}: train it again"
        )
    return manifest


def open_tensors(
    path: Path, manifest: StoredManifest, check: Callable[[Path, str], None] = verify_once
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return a folder's tensors, mapped into memory, and their metadata. Raises `ValueError` for a damaged file.

    check: `verified.verify` reads a file that was verified before as well.
    """
    check_size(path, manifest.size)
    check(path, manifest.sha256)
    return map_tensors(path)


def stored_game(folder: Path, manifest: TrainedManifest) -> GameDef:
    """Return the game that a strategy was trained for. Raises `ValueError` for one with other rules than its hash says."""
    game = GameDef.parse(manifest.game, f"{folder / MANIFEST}: game")
    if game.rules_hash != manifest.rules_hash:
        raise ValueError(f"{folder / MANIFEST}: its game has other rules than those of its rules_hash")
    return game


def card_text(name: str, about: str, facts: Mapping[str, str], *rest: str) -> str:
    """Return a card in Markdown: name, a sentence or two about it, a table of facts, the lines `rest`, and the licence."""
    table = ("| | |", "|-|-|", *(f"| {fact} | {text} |" for fact, text in facts.items()))
    return "\n".join((f"# {name}", "", about, "", *table, *rest, "", "Licence: MIT.", ""))


def finish(folder: Path, manifest: msgspec.Struct, card: str) -> None:
    """Write the card, then the manifest, which makes the folder whole."""
    (folder / CARD).write_text(card, encoding="utf-8")
    write_manifest(folder, manifest)


def write_manifest(folder: Path, manifest: msgspec.Struct) -> None:
    """Write or replace a folder's manifest in one rename."""
    replace_file(folder / MANIFEST, yaml_text(msgspec.to_builtins(manifest)))
