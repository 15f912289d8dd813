"""What a duplicate match must give whatever is played: nothing to a bot against itself, and the same to both seats."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.dealer.matches.compiled_match import CompiledMatch
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, samples
from limpet.dealer.matches.matchconfig import MatchConfig, resolve
from limpet.dealer.measures.match_luck import ESTIMATORS, DealEvaluator, MatchLuck, read_hands
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import Recomputed
from limpet.strategies.holdem.luck.value_function import EquityValues

HUNL = "holdem.nolimit.2p.reverse_blinds"
COMPILED, HERE = "compiled", "in-process"
ZERO_SUM = ("raw", "all-in equity", "cards only")
"""What one bot wins by these the other loses."""


def bot(folder: Path, name: str, player: str, game: str, seed: int, **options: object) -> str:
    path = folder / f"{name}.yaml"
    path.write_text(
        f"name: {name}\nplayer: {player}\ngame: {game}\nseed: {seed}\noptions: {json.dumps(options)}\n",
        encoding="utf-8",
    )
    return str(path)


def play(folder: Path, how: str, *players: str, hands: int, game: str) -> tuple[MatchResult, NDArray[np.float64]]:
    """A duplicate match, and its mbb/g by deal: float64 ``[player, deal]``."""
    config = MatchConfig(name="m", players=list(players), hands=hands, seed=3, duplicate=True, game=game)
    match = resolve(config, Path("."))
    logs: list[SeatingLog] = []

    def keep(seen: Sequence[SeatingLog]) -> None:
        logs[:] = seen

    compiled = how == COMPILED
    result = (
        CompiledMatch(match, folder).play(keep) if compiled else run_match(match, folder, "in-process", False, keep)
    )
    return result, np.array([samples(logs, player, match.game.big_blind) for player in (0, 1)])


def luck_of(folder: Path, player: str, config: str, game: str) -> MatchLuck:
    """All estimators, with plain equity as the baseline."""
    known = load_bot(config, load_game(game))
    hands, deals = read_hands(sorted(folder.glob("seating-*.log")), known.game, None)
    rows = {player: Recomputed(known.build(), known.config.seed)}
    taker = DealEvaluator(hands, deals, player, EquityValues(known.game), rows)
    return taker.result(map(taker.evaluate, range(taker.num_deals)))


@pytest.mark.parametrize("how", [COMPILED, HERE])
@pytest.mark.parametrize(
    ("player", "game", "options", "hands"),
    [
        ("blueprint", "leduc.limit.2p", {"strategy": "leduc", "purify": True}, 150),
        pytest.param("blueprint", "leduc.limit.2p", {"strategy": "leduc", "purify": True}, 500, marks=pytest.mark.slow),
        pytest.param("blueprint", HUNL, {"strategy": "hunl-200bb", "purify": True}, 25, marks=pytest.mark.slow),
        ("raise", HUNL, {"size": "max"}, 60),
    ],
)
def test_a_deterministic_bot_wins_nothing_from_itself(
    player: str, game: str, options: dict[str, object], hands: int, how: str, tmp_path: Path
) -> None:
    """Not in the mean: on every single deal. Seeds differ, because nothing is drawn."""
    both = [bot(tmp_path, name, player, game, seed, **options) for seed, name in enumerate(("a", "b"))]
    result, won = play(tmp_path / "out", how, *both, hands=hands, game=game)
    assert not won.any()
    assert [(each.chips, each.interval_95, each.bootstrap_95) for each in result.players] == [(0, (0, 0), (0, 0))] * 2
    seating = [SeatingLog(tmp_path / "out" / f"seating-{number}.log", ["a", "b"], hands) for number in (1, 2)]
    for log in seating:
        log.update()
    assert np.abs(seating[0].values).sum() > 0  # it is the other seating that takes it away again
    if how == HERE:
        luck = luck_of(tmp_path / "out", "a", both[0], game)
        for name in ZERO_SUM:
            np.testing.assert_allclose(luck.samples(name), 0, atol=1e-6)
        corrected = luck.samples("AIVAT")  # hands that were not held have a share in it: 0 in the mean only
        assert abs(corrected.mean()) < 4 * corrected.std(ddof=1) / len(corrected) ** 0.5


def test_a_bot_that_draws_wins_and_loses_against_itself(tmp_path: Path) -> None:
    both = [
        bot(tmp_path, name, "blueprint", "leduc.limit.2p", seed, strategy="leduc") for seed, name in enumerate("ab")
    ]
    _, won = play(tmp_path / "out", COMPILED, *both, hands=200, game="leduc.limit.2p")
    assert won.any()


@pytest.mark.parametrize(
    ("how", "first", "second", "game", "hands"),
    [
        (COMPILED, "leduc", "call", "leduc.limit.2p", 2000),
        (HERE, "leduc", "random", "leduc.limit.2p", 60),
        pytest.param(COMPILED, "blueprint", "raise", HUNL, 50, marks=pytest.mark.slow),
        pytest.param(HERE, "formula", "random", HUNL, 6, marks=pytest.mark.slow),
    ],
)
def test_whoever_is_named_first_wins_the_same(
    how: str, first: str, second: str, game: str, hands: int, tmp_path: Path
) -> None:
    """Seats swapped: on each deal each bot wins what it won before, and loses what the other wins."""
    _, won = play(tmp_path / "one", how, first, second, hands=hands, game=game)
    _, swapped = play(tmp_path / "two", how, second, first, hands=hands, game=game)
    assert won.any()
    np.testing.assert_array_equal(swapped[0], -won[0])
    np.testing.assert_array_equal(swapped, won[::-1])
    if how == HERE:
        luck, same = (luck_of(tmp_path / folder, first, first, game) for folder in ("one", "two"))
        for name in ESTIMATORS:
            np.testing.assert_allclose(luck.samples(name), same.samples(name), atol=1e-9)
        others = luck_of(tmp_path / "one", second, second, game)
        for name in ZERO_SUM:
            np.testing.assert_allclose(others.samples(name), -luck.samples(name), atol=1e-6)
