"""Where two strategies differ, against sums over all deals in plain recursion; and looks at single places."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.protocol.state import State
from limpet.strategies.cards.boards import all_boards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint import difference as module
from limpet.strategies.holdem.blueprint.difference import difference
from limpet.strategies.holdem.blueprint.look import find_line, look
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from tests.strategies.base.strategy_files import MANY, POT, deals, random_strategy


def plain(one: StrategyFile, two: StrategyFile) -> dict[str, tuple[float, float]]:
    """Reach and reach times distance of every betting that both trees have, deal by deal."""
    game = one.game
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    every = [(board, deal) for board in all_boards(game) for deal in deals(game, board)]
    for board, deal in every:

        def walk(state: State, a: int, b: int, likely: float, board: tuple[int, ...] = board,
                 hands: tuple[int, ...] = deal) -> None:  # fmt: skip
            if state.finished:
                return
            hand = hands[state.actor]
            rows = []
            for file, node in ((one, a), (two, b)):
                bucket = file.cards.bucket_vector(state.round, board[: game.board_sizes[state.round]])[hand]
                rows.append(dict(zip(file.tree.actions(node), file.node_rows(node)[bucket].tolist(), strict=True)))
            apart = sum(abs(rows[0].get(x, 0.0) - rows[1].get(x, 0.0)) for x in {*rows[0], *rows[1]}) / 2
            sums[state.betting][0] += likely / len(every)
            sums[state.betting][1] += likely * apart / len(every)
            for index, (action, share) in enumerate(rows[0].items()):
                if action in rows[1]:
                    other = two.tree.child(b, list(rows[1]).index(action))
                    walk(state.apply(action), one.tree.child(a, index), other, likely * share)

        walk(State.start(game), 0, 0, 1.0)
    return {betting: (reach, apart) for betting, (reach, apart) in sums.items()}


@pytest.mark.parametrize("menus", [(POT, POT), (MANY, POT), (POT, MANY)])
def test_distances_are_sums_over_deals(
    menus: tuple[object, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "NEGLIGIBLE", 0.0)
    one, two = (random_strategy(tmp_path / str(i), "leduc.nolimit.2p", i, menu) for i, menu in enumerate(menus))  # type: ignore[arg-type]
    found = difference(one, two, 1, 1)
    expected = plain(one, two)
    assert found.exact
    assert {node.betting for node in found.nodes} <= set(expected)
    for node in found.nodes:
        assert node.reach == pytest.approx(expected[node.betting][0], rel=1e-4, abs=1e-7)
        assert node.reach * node.distance == pytest.approx(expected[node.betting][1], rel=1e-4, abs=1e-7)
        assert sum(node.first) == pytest.approx(1, abs=1e-4)
        assert sum(node.second) == pytest.approx(1, abs=1e-4)
    for round_, street in enumerate(found.streets):
        of_round = [both for betting, both in expected.items() if betting.count("/") == round_]
        assert street.shared == pytest.approx(sum(reach for reach, _ in of_round), rel=1e-3)
        assert street.apart == pytest.approx(sum(apart for _, apart in of_round), rel=1e-3)
        assert street.shared <= street.reach * 1.000001
        assert (street.shared < 0.999 * street.reach) == (menus[0] is MANY and menus[1] is POT)
    contributions = [node.reach * node.distance for node in found.nodes]
    assert contributions == sorted(contributions, reverse=True)


def test_a_strategy_does_not_differ_from_itself(tmp_path: Path) -> None:
    file = random_strategy(tmp_path / "x", "leduc.limit.2p", 1)
    found = difference(file, file, 1, 1)
    assert [street.distance for street in found.streets] == [0, 0]
    assert found.streets[0].shared == found.streets[0].reach > 1


def test_two_games_are_not_compared(tmp_path: Path) -> None:
    one, two = (random_strategy(tmp_path / name, f"{name}.limit.2p", 1) for name in ("kuhn", "leduc"))
    with pytest.raises(ValueError, match="another game"):
        difference(one, two, 1, 1)


def test_a_look_multiplies_the_rows_on_the_way(tmp_path: Path) -> None:
    file = random_strategy(tmp_path / "x", "leduc.limit.2p", 1)
    found = look(file, "rc/r", (file.game.deck[2],))
    space = hand_space(tuple(sorted(file.game.deck)), 1)
    path = find_line(file.tree, "rcr")
    assert [action for _, action in path] == [1, 1, 1, -1]
    assert found.position == 1
    assert found.betting == "rcr"
    for hand in range(space.size):
        reach = [1.0, 1.0]
        for node, action in path[:-1]:
            round_ = int(file.tree.round[node])
            bucket = file.cards.bucket_vector(round_, found.board[:round_])[hand]
            row = file.node_rows(node)[bucket]
            reach[int(file.tree.player[node])] *= float(row[action])
        if file.game.deck[2] in space.cards(hand):
            reach = [0.0, 0.0]
        assert found.reach[:, hand] == pytest.approx(reach, abs=1e-6)
    assert found.rows.sum(axis=0) == pytest.approx(np.where(space.blocked(found.board), 0.0, 1.0), abs=1e-6)
    others = found.reach[0].sum() - found.reach[0]
    expected = found.reach[1] * others
    assert found.weights == pytest.approx(expected / expected.sum(), abs=1e-6)
    assert found.frequencies.sum() == pytest.approx(1)
    assert found.comes_up


def test_a_look_where_the_other_player_never_gets(tmp_path: Path) -> None:
    found = look(random_strategy(tmp_path / "x", "leduc.limit.2p", 1), "rr")
    reach = found.reach.copy()
    reach[1 - found.position] = 0
    alone = replace(found, reach=reach)
    assert not alone.comes_up
    assert alone.weights == pytest.approx(reach[found.position] / reach[found.position].sum())
    assert alone.frequencies.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("line", "board", "message"),
    [
        ("x", "", "character 1: write f, c and r"),
        ("r700", "", "after 'nothing' the tree has no 'r700'; there are f, c, r200, r300, r500, r20000"),
        ("r300c", "", "cards on the board there: 3, given: 0"),
        ("f", "", "the hand is over there"),
        ("fc", "", "after 'f' the tree has no 'c'; the hand is over there"),
        ("r300c", "KsKsKs", "each once"),
    ],
)
def test_places_that_are_not_there(line: str, board: str, message: str) -> None:
    from limpet.protocol.cards import card_id

    file = StrategyFile.open(shipped_strategies() / "hunl-200bb")
    cards = tuple(card_id(board[i : i + 2]) or 0 for i in range(0, len(board), 2))
    with pytest.raises(ValueError, match=message):
        look(file, line, cards)


def test_a_flop_of_holdem_leaves_blocked_hands_out() -> None:
    file = StrategyFile.open(shipped_strategies() / "hunl-200bb")
    found = look(file, "r300c/c", (0, 17, 34, 51))
    assert found.board == (0, 17, 34)
    blocked = hand_space().blocked(found.board)
    assert (found.rows[:, blocked] == 0).all()
    assert found.rows[:, ~blocked].sum(axis=0) == pytest.approx(np.ones(1176), abs=1e-5)
    assert found.weights.sum() == pytest.approx(1)
    assert (found.weights[blocked] == 0).all()
