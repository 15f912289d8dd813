"""Files of draw strategies: damage and other games are found, and the code that trained one is known."""

import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.artifact import MANIFEST
from limpet.common.folders import find_strategy
from limpet.common.provenance import DRAW_TRAINING, versions
from limpet.configs.loading import load_yaml, yaml_text
from limpet.strategies.base.strategy import discards_of
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.draw.draw_file import (
    NETWORK,
    TENSORS,
    DrawManifest,
    DrawStrategyFile,
    draw_training_repeats,
    merged_masks,
    pack_draws,
    save_draw_strategy,
    unpack_draws,
    verify_draw_strategy,
)
from limpet.strategies.draw.hands import CLASSES, DISCARDS, all_hands
from limpet.strategies.draw.second_round import draw_rows, ordered_hands
from tests.strategies.players.draw_strategies import made_up_strategy


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    made_up_strategy(tmp_path / "made-up")
    return tmp_path / "made-up"


def rewrite(folder: Path, **changes: object) -> None:
    manifest = msgspec.structs.replace(load_yaml(folder / MANIFEST, DrawManifest), **changes)
    (folder / MANIFEST).write_text(yaml_text(msgspec.to_builtins(manifest)))


def test_damage_is_found(folder: Path) -> None:
    file = verify_draw_strategy(folder)
    assert file.rows == file.tables.betting.shape[1] * (6 + 5 + 30) + 180 * 30 * file.manifest.buckets
    path = folder / TENSORS
    second = file.tables.second.copy()
    second[3, :5, 7] = 0
    save_draw_strategy(folder, file.manifest, replace(file.tables, second=second), "a card")
    with pytest.raises(ValueError, match="rows without any action"):
        verify_draw_strategy(folder)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="SHA-256"):
        verify_draw_strategy(folder)


@pytest.mark.parametrize("name", ["draw5", "draw5-thesis"])
def test_damage_to_a_network_that_ships_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    folder = tmp_path / name
    shutil.copytree(find_strategy(name, tmp_path), folder)
    verify_draw_strategy(folder)
    content = bytearray((folder / NETWORK).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / NETWORK).write_bytes(content)
    with pytest.raises(ValueError, match=r"network\.safetensors: SHA-256"):
        verify_draw_strategy(folder)
    (folder / NETWORK).unlink()
    with pytest.raises(ValueError, match=r"network\.safetensors: missing"):
        verify_draw_strategy(folder)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "limpet-draw-strategy/0"}, "this version reads 'limpet-draw-strategy/2'"),
        ({"rules_hash": "0"}, "its game has other rules"),
    ],
)
def test_manifests_that_do_not_fit_are_refused(folder: Path, change: dict[str, str], reason: str) -> None:
    rewrite(folder, **change)
    with pytest.raises(ValueError, match=reason):
        DrawStrategyFile.open(folder)


def test_whether_this_installation_repeats_a_strategy(folder: Path) -> None:
    manifest = load_yaml(folder / MANIFEST, DrawManifest)
    assert draw_training_repeats(manifest)[0] is None
    made = msgspec.structs.replace(manifest, code=DRAW_TRAINING, versions=versions())
    assert draw_training_repeats(made)[0] is True
    repeats, sentence = draw_training_repeats(msgspec.structs.replace(made, algorithm="depth-limited, leaves network"))
    assert repeats is False and "only statistically" in sentence


# --- Draws in 16 bits: what is kept of a strategy, and that a mask means the same cards in every hand of a class


def some_play(seed: int = 1) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    play: NDArray[np.float32] = rng.random((CLASSES, 32), np.float32) ** 8
    play /= play.sum(axis=1, keepdims=True)
    return play


def test_two_masks_are_kept_to_less_than_a_percent() -> None:
    rng = np.random.default_rng(2)
    play = np.zeros((CLASSES, 32), np.float32)
    share = rng.random(CLASSES, np.float32)
    play[:, 31], play[:, 0] = share, 1 - share
    assert np.abs(unpack_draws(pack_draws(play)).dense() - play).max() < 1 / 126


def test_masks_that_keep_the_same_cards_are_one() -> None:
    play, kept = some_play(), all_hands().kept
    merged = merged_masks(play)
    np.testing.assert_allclose(merged.sum(axis=1), 1, rtol=1e-5)
    for mask in (3, 14, 24):
        for smaller in range(mask):
            same = (kept[:, smaller] == kept[:, mask]) & (DISCARDS[smaller] == DISCARDS[mask])
            assert (merged[same, mask] == 0).all()


def test_rows_throw_the_same_canonical_cards_away_in_every_hand() -> None:
    """By enumeration for some hands: what a hand keeps is, up to suits, what its class's hand keeps."""
    codes = pack_draws(some_play())
    rows, play, hands = draw_rows(codes), unpack_draws(codes), all_hands()
    assert rows.discards is not None and rows.classes is not None
    np.testing.assert_allclose(rows.probabilities.sum(axis=0), 1, rtol=1e-6)
    for hand in np.random.default_rng(3).integers(0, hand_space(k=5).size, 200).tolist():
        cards, number = hand_space(k=5).cards(hand), int(hands.class_of[hand])
        column = rows.column(hand)
        wanted: dict[int, float] = {}
        for mask, share in ((play.first[number], 1 - play.share[number]), (play.second[number], play.share[number])):
            wanted[int(hands.kept[number, mask])] = wanted.get(int(hands.kept[number, mask]), 0) + float(share)
        for positions, probability in zip(rows.discards, column, strict=True):
            if probability > 0:
                kept = [card for card in cards if card not in discards_of(cards, positions)]
                ours = [i for i, card in enumerate(cards) if card in kept]
                mask = sum(1 << int(ordered_hands().positions[ordered_hands().of_hand[hand]][i]) for i in ours)
                ranks = sorted(card >> 2 for card in kept)
                assert ranks == sorted(int(hands.cards[number, i]) >> 2 for i in range(5) if mask >> i & 1)
                assert wanted[int(hands.kept[number, mask])] > 0
                suits = [card & 3 for card in kept]
                theirs = [int(hands.cards[number, i]) & 3 for i in range(5) if mask >> i & 1]
                assert len(set(suits)) == len(set(theirs))
