"""Compiled tournaments are those of agents, hand for hand; cards are the dealer's."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.dealer.contests.sit_and_go import SitAndGo, require_any_stacks, resolve
from limpet.dealer.contests.sng_inprocess import CompiledTournaments, card_seed, deal, level_table, play_tournament
from limpet.dealer.contests.sng_kernels import share_pots
from limpet.dealer.contests.sng_rules import Level, Structure, net_chips
from limpet.dealer.table.deals import Deals
from limpet.protocol.situation import holdem

ANTES = """
name: antes
start_stack: 90
levels:
  - {hands: 4, small_blind: 3, big_blind: 7, ante: 1}
  - {hands: 4, small_blind: 10, big_blind: 21, ante: 2}
payouts: [5, 3, 2]
"""


@pytest.mark.parametrize("players", [2, 3, 10])
def test_cards_are_those_of_the_dealer(players: int) -> None:
    game = holdem((100,) * players, (1, 2, *[0] * players)[:players])
    for number in range(20):
        seed = card_seed(5, number, 3)
        assert deal(seed, players) == next(Deals(game, seed))


def sng_of(players: str, structure: str | None, seed: int = 3, tournaments: int = 30) -> SitAndGo:
    return resolve(players.split(), structure, tournaments, seed, duplicate=True)


@pytest.mark.parametrize(
    "players",
    [
        "jam-any call",
        "jam call jam-any",
        "call call fold",
        "fold fold fold fold",
        "jam jam jam-any call fold jam",
        "jam-any jam-any call jam call fold jam fold call jam",
    ],
)
@pytest.mark.parametrize("structure", [None, "antes.yaml"])
def test_compiled_tournaments_are_those_of_agents(
    players: str, structure: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "antes.yaml").write_text(ANTES if len(players.split()) > 2 else ANTES.replace(", 2]", "]"))
    sng = sng_of(players, structure and f"./{structure}")
    bots = require_any_stacks(sng, True)
    fast = CompiledTournaments.of(sng, bots)
    assert fast is not None
    for number in range(6):
        for seating in range(2):
            *_, last = play_tournament(sng, bots, number, seating)
            assert fast.play(number, seating) == last.line


def test_players_with_other_actions_are_not_compiled() -> None:
    for name in ("formula", "raise", "random", "chart"):
        sng = sng_of(f"call {name}", None)
        assert CompiledTournaments.of(sng, require_any_stacks(sng, True)) is None


def test_levels_of_the_kernel_are_those_of_the_structure() -> None:
    structure = Structure("t", 100, [Level(3, 5, 10), Level(2, 10, 20, 2)], [1])
    table = level_table(structure, 300).tolist()
    at = 0
    for hands, *blinds in table:
        for hand in range(at, at + hands):
            assert list(structure.blinds(hand, 300)[1:]) == blinds
        at += hands
    assert list(structure.blinds(at + 100, 300)[1:]) == table[-1][1:]


@given(st.integers(2, 6), st.data())
def test_pots_are_shared_as_by_the_rules(players: int, data: st.DataObject) -> None:
    numbers = st.lists(st.integers(0, 30), min_size=players, max_size=players)
    spent, ranks = data.draw(numbers), data.draw(numbers)
    folded = data.draw(st.integers(0, (1 << players) - 2))
    most = max(chips for p, chips in enumerate(spent) if not folded >> p & 1)
    spent = [min(chips, most) for chips in spent]  # nobody folds with more than can be called
    ranks = [rank % 4 for rank in ranks]
    won = np.empty(players, np.int64)
    shown = [-1 if folded >> p & 1 else rank for p, rank in enumerate(ranks)]
    share_pots(np.array(spent), np.array(shown), won)
    assert won.tolist() == list(net_chips(spent, folded, ranks))
