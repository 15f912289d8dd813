"""Six players at no limit need nothing but a config: it trains, its file opens, and six bots play hands with it."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import find_config
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.strategies.abstraction import card_tables
from limpet.strategies.abstraction.card_table_kernels import BucketTables
from limpet.strategies.abstraction.holdem_buckets import NO_BUCKET, CardTables, StrengthBuckets
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards, preflop_classes
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.solvers.sampled.mccfr import BATCH

DIGESTS = {"flop": "f" * 64, "turn": "7" * 64, "river": "a" * 64}


def one_bucket_a_street(*_arguments: object) -> CardTables:
    """The strength buckets of [1, 1, 1], which need no work."""
    flops, turns, rivers = (canonical_boards(cards) for cards in (3, 4, 5))
    flop, turn, river = (_read_only(np.zeros((boards.count, 1326), np.uint8)) for boards in (flops, turns, rivers))
    keys = [boards.keys for boards in (flops, turns, rivers)]
    holes = hand_space().holes
    blocked = (flops.boards[:, None, :, None] == holes[None, :, None, :]).any(axis=(2, 3))
    buckets = StrengthBuckets([np.empty(0, np.int32)] * 3, np.where(blocked, NO_BUCKET, 0).astype(np.uint8))
    return CardTables(buckets, BucketTables(preflop_classes(), flop, turn, river, *keys), DIGESTS)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


@pytest.fixture
def six(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Training]:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path))
    monkeypatch.setattr(card_tables, "load_or_build_strengths", one_bucket_a_street)

    def load(text: str) -> Training:
        (tmp_path / "six.yaml").write_text(text)
        return Training.load(str(tmp_path / "six.yaml"))

    return load


def test_the_shipped_config_trains_and_plays(six: Callable[[str], Training], tmp_path: Path) -> None:
    text = find_config("training", "holdem-nolimit-6p").read_text()
    changes = {"[20, 20, 20]": "[1, 1, 1]", "10_000_000": str(8 * BATCH), "threads: 2": "threads: 1"}
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    training = six(text)
    training.prepare()
    assert training.tree.game.num_players == 6
    assert training.run()
    manifest = training.write()
    assert manifest.iterations == 8 * BATCH
    assert manifest.tables == DIGESTS
    (tmp_path / "bot.yaml").write_text(
        "name: six\nplayer: blueprint\ngame: holdem.nolimit.6p\noptions: {strategy: holdem-nolimit-6p}\n"
    )
    strategy = load_bot(str(tmp_path / "bot.yaml")).build()
    assert isinstance(strategy, Blueprint)
    assert not strategy.file.stored.flags.writeable
    agents = [Agent(strategy, seed) for seed in range(5)]
    (tmp_path / "raise.yaml").write_text("name: raise\nplayer: raise\ngame: holdem.nolimit.6p\noptions: {size: 0.5}\n")
    raiser = load_bot(str(tmp_path / "raise.yaml")).build()
    folded = 0
    for hand in play_hands(strategy.game, [*agents, Agent(raiser, 9)], islice(Deals(strategy.game, 7), 60)):
        assert sum(hand.values) == 0
        folded += "f" in hand.state.betting
    assert folded > 0
    assert sum(agent.decisions for agent in agents) > 200
    # The raiser bets after the flop, which this tree has not: such hands leave it.
    assert strategy.report()["off_tree"] > 0
    strategy = load_bot(str(tmp_path / "bot.yaml")).build()
    for hand in play_hands(
        strategy.game, [Agent(strategy, seed) for seed in range(6)], islice(Deals(strategy.game, 8), 60)
    ):
        assert sum(hand.values) == 0
    assert strategy.report()["off_tree"] == 0
