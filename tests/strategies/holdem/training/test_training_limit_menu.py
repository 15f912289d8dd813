"""Limit games with fewer raises: the trees such a menu makes, and play against those who raise more often than it has."""

import random
from itertools import islice
from pathlib import Path

import pytest

from limpet.configs.loading import load_game
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu, abstract_actions
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.formula import Formula

LEDUC = load_game("leduc.limit.2p")


def lines(state: State, caps: tuple[int, ...]) -> int:
    """Nodes below a state when no round sees more raises than its cap: plain recursion over texts of betting."""
    if state.finished:
        return 1
    raised = state.betting.split("/")[state.round].count("r")
    total = 1
    for action in (FOLD, CALL, RAISE):
        if state.is_legal(action) and (action != RAISE or raised < caps[min(state.round, len(caps) - 1)]):
            total += lines(state.apply(action), caps)
    return total


@pytest.mark.parametrize("caps", [(0,), (1,), (2, 1, 1, 1), (3, 2, 1, 0), (1, 0)])
@pytest.mark.parametrize("name", ["holdem.limit.2p.reverse_blinds", "leduc.limit.2p", "holdem.limit.3p"])
def test_a_cap_leaves_out_the_raises_beyond_it_and_nothing_else(name: str, caps: tuple[int, ...]) -> None:
    if name == "holdem.limit.3p" and caps == (3, 2, 1, 0):
        caps = (1, 2, 0, 0)  # 2,000 nodes instead of 20,000
    game = load_game(name)
    tree = build_tree(game, BetMenu(raise_cap=caps if len(caps) > 1 else caps[0]))
    assert tree.num_nodes == lines(State.start(game), caps)
    assert not tree.edge_size.any()


def test_without_a_cap_the_tree_is_whole() -> None:
    whole = build_tree(LEDUC)
    for menu in (BetMenu(), BetMenu(raise_cap=2), BetMenu(raise_cap=9)):
        assert build_tree(LEDUC, menu).num_nodes == whole.num_nodes


def test_opponents_may_have_another_cap() -> None:
    menu = BetMenu(raise_cap=0, opponents=BetMenu(raise_cap=1), position=1)
    tree = build_tree(LEDUC, menu)
    raisers = {int(tree.player[node]) for node in tree.decisions for action in tree.actions(node) if action == RAISE}
    assert raisers == {0}


def test_menus_of_the_other_kind_of_game_are_refused() -> None:
    with pytest.raises(ValueError, match="leave 'sizes' out"):
        build_tree(LEDUC, BetMenu(sizes=(((1.0,),),)))
    with pytest.raises(ValueError, match="needs sizes"):
        build_tree(load_game("leduc.nolimit.2p"), BetMenu(raise_cap=2))


class Raiser:
    """Raises whenever it may, at random moments not."""

    def __init__(self, seed: int, always: bool) -> None:
        self.random, self.always = random.Random(seed), always

    def decide(self, match: MatchState) -> Action:
        if match.state.raise_bounds() is not None and (self.always or self.random.random() < 0.6):
            return RAISE
        return FOLD if match.state.can_fold and self.random.random() < 0.1 else CALL

    def observe(self, match: MatchState) -> None:
        pass


CAPPED = """\
name: capped
game: leduc.limit.2p
algorithm: cfr+
iterations: 200
menu: {raise_cap: 1}
"""


def test_beyond_the_cap_the_formula_plays_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path))
    (tmp_path / "capped.yaml").write_text(CAPPED)
    training = Training.load(str(tmp_path / "capped.yaml"))
    training.prepare()
    training.run()
    manifest = training.write()
    assert manifest.menu == BetMenu(raise_cap=1)
    assert manifest.quality["exploitability_chips"] < 0.05  # within its tree
    (tmp_path / "bot.yaml").write_text(
        "name: x\nplayer: blueprint\ngame: leduc.limit.2p\noptions: {strategy: capped}\n"
    )
    strategy = load_bot(str(tmp_path / "bot.yaml")).build()
    assert isinstance(strategy, Blueprint)
    agent = Agent(strategy, 1)
    table = [agent, Raiser(1, always=True)]
    for hand in play_hands(LEDUC, table, islice(Deals(LEDUC, 1), 300)):  # type: ignore[arg-type]
        assert len(hand.values) == 2
    off_tree = strategy.report()["off_tree"]
    assert 0 < off_tree == agent.misses < agent.decisions
    # Where it has left its tree, its rows are those of the formula.
    state = State.start(LEDUC).apply(RAISE).apply(RAISE)
    key = agent.hand_strategy(MatchState(0, 0, state, ((0,), ())))
    formula = Formula(LEDUC, Formula.Options(), tmp_path).rows(state)
    rows = key.rows(state)
    assert rows.actions == formula.actions
    assert (rows.probabilities == formula.probabilities).all()
    assert rows.missed is not None
    assert rows.missed.all()


@pytest.mark.parametrize("always", [True, False])
def test_three_players_against_those_who_raise_without_end(always: bool) -> None:
    """Each action is applied by the rules, which refuse an illegal one; and strong hands are not given up."""
    bot = load_bot("holdem-limit-3p").build()
    assert isinstance(bot, Blueprint)
    agent, game = Agent(bot, 1), bot.game
    table = [agent, Raiser(1, always), Raiser(2, always)]
    hands = list(play_hands(game, table, islice(Deals(game, 1), 60)))  # type: ignore[arg-type]
    assert agent.decisions > 60
    assert 0 < bot.report()["off_tree"] <= agent.misses
    space = game_hands(game)
    for hand in hands:
        for state in hand.state.path():
            if state.parent is not None:
                assert state.parent.is_legal(state.action)  # type: ignore[arg-type]
    aces = space.index((48, 49))
    capped = State.start(game).apply(RAISE).apply(RAISE).apply(RAISE)
    assert abstract_actions(capped, BetMenu(raise_cap=(2, 1, 1, 1))) == (FOLD, CALL)
    rows = agent.hand_strategy(MatchState(capped.actor, 9, capped, ((), (), ()))).rows(capped)
    assert rows.actions[0] == FOLD
    assert rows.column(aces)[0] == 0
    assert rows.column(space.index((0, 21)))[0] == 1  # seven and two
