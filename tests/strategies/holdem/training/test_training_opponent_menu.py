"""Few sizes for oneself, many for the modelled opponent: a tree, a training run and a file for each position."""

from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows, StrategyFile
from limpet.strategies.holdem.measures.real_response import real_response
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.tabular import best_responses, values
from tests.commands import json_of, refused, run

CONFIG = """\
name: two-menus
game: leduc.nolimit.2p
algorithm: cfr+
iterations: 300
menu:
  sizes: [[[1.0], []]]
  opponents: {sizes: [[[0.5, 1.0, 2.0], [1.0], []]]}
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder after one ``limpet train``."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "two-menus.yaml").write_text(CONFIG)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIMPET_DATA", str(folder))
        made = json_of("train", folder / "two-menus.yaml")
        assert [manifest["name"] for manifest in made] == ["two-menus-position0", "two-menus-position1"]
        assert [manifest["menu"]["position"] for manifest in made] == [0, 1]
        assert run("train", folder / "two-menus.yaml", "--resume").stderr.count("is done") == 2
    return folder


def file(trained: Path, position: int) -> StrategyFile:
    return StrategyFile.open(trained / "strategies" / f"two-menus-position{position}")


def test_each_tree_has_few_sizes_for_its_position_and_many_for_the_other(trained: Path) -> None:
    for position in range(2):
        tree = file(trained, position).tree
        most = [0, 0]
        for node in tree.decisions.tolist():
            raises = sum(action.kind == "r" for action in tree.actions(node))
            actor = int(tree.player[node])
            most[actor] = max(most[actor], raises)
        assert most[position] == 2  # the pot and all-in
        assert most[1 - position] == 4


def test_both_positions_are_near_equilibria_of_their_trees(trained: Path) -> None:
    for position in range(2):
        opened = file(trained, position)
        assert opened.position == position
        assert opened.manifest.quality["exploitability_chips"] < 1
        dealt = enumerate_deals(opened.game)
        expected = best_responses(opened.tree, dealt, opened.probabilities())
        found = real_response(opened.tree, opened.cards, PlayedRows(opened).table(), (), 1)
        assert [answer.below.mean for answer in found.positions] == pytest.approx(expected, abs=2e-3)


def test_more_sizes_are_worth_more(trained: Path) -> None:
    """A player who may bet in more ways has at least the value of the tree with fewer bets."""
    game = load_game("leduc.nolimit.2p")
    dealt = enumerate_deals(game)
    value = [float(values(file(trained, p).tree, dealt, file(trained, p).probabilities())[0]) for p in range(2)]
    assert value[0] < value[1]  # position 0 has few sizes in the first tree, many in the second


def test_a_bot_plays_its_position_s_file(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(trained))
    text = "name: x\ngame: leduc.nolimit.2p\nplayer: blueprint\noptions: {{strategy: {}}}\n"
    (tmp_path / "bot.yaml").write_text(text.format("[two-menus-position0, two-menus-position1]"))
    bot = load_bot(str(tmp_path / "bot.yaml")).build()
    assert isinstance(bot, Blueprint)
    bot.warm_up()
    start = State.start(bot.game)
    state = start.apply(CALL)
    rows = bot.start_hand(HandKey(1, 1, 1)).rows(state)
    assert [str(action) for action in rows.actions] == ["c", "r300", "r1200"]
    # All of the modelled opponent's sizes are on the tree: no coin reads them.
    for chips in (200, 300, 500, 1200):
        for hand in range(5):
            (place,) = bot.start_hand(HandKey(1, hand, 1)).nodes(start.apply(raise_to(chips)))
            assert bot.seats[1].file.tree.spent[place.node].tolist() == [chips, 100]
    assert np.array_equal(bot.start_hand(HandKey(1, 1, 0)).rows(start).probabilities, file(trained, 0).node_rows(0).T)


def test_a_file_of_the_other_position_is_refused(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(trained))
    text = "name: x\ngame: leduc.nolimit.2p\nplayer: blueprint\noptions: {{strategy: {}}}\n"
    for strategies in ("two-menus-position0", "[two-menus-position1, two-menus-position0]"):
        (tmp_path / "bot.yaml").write_text(text.format(strategies))
        with pytest.raises(ValueError, match="was trained for position . alone"):
            load_bot(str(tmp_path / "bot.yaml")).build()


@pytest.mark.parametrize("command", [["two-menus-position0", "call"], ["leduc-nolimit", "two-menus-position1"]])
def test_neither_duel_nor_curve_seats_a_file_in_the_other_position(
    command: list[str], trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(trained))
    name, other = command
    for asked in (["duel", name, other], ["curve", name, "--against", other]):
        assert "was trained for position" in refused("strategy", *asked, "--boards", 2)


def test_menus_that_make_no_sense_are_refused() -> None:
    pot = BetMenu(sizes=(((1.0,),),))
    with pytest.raises(ValueError, match="has opponents of its own"):
        BetMenu(sizes=pot.sizes, opponents=BetMenu(sizes=pot.sizes, opponents=pot))
    with pytest.raises(ValueError, match="leave 'position' out"):
        BetMenu(sizes=pot.sizes, position=0)
    with pytest.raises(ValueError, match="one tree for each position"):
        build_tree(load_game("leduc.nolimit.2p"), BetMenu(sizes=pot.sizes, opponents=pot))


def test_without_opponents_there_is_one_run(tmp_path: Path) -> None:
    training = Training.load("kuhn", tmp_path / "x")
    assert training.runs() == [training]
    assert not training.is_done()
