"""The blueprint at the table: rows come from the file, betting off the tree is translated, nothing illegal is played."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import ConfigError, load_game
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.players.blueprint import Blueprint
from tests.protocol.walks import after


def blueprint(bot: str) -> Blueprint:
    strategy = load_bot(bot).build()
    assert isinstance(strategy, Blueprint)
    return strategy


@pytest.fixture(scope="module")
def hunl() -> Blueprint:
    return blueprint("blueprint")


@pytest.mark.parametrize("bot", ["kuhn", "leduc", "kuhn3p"])
def test_small_games_play_their_file_exactly(bot: str) -> None:
    strategy = blueprint(bot)
    file, game = strategy.file, strategy.game
    table = file.probabilities()
    rng = random.Random(5)
    deck = game.deck
    for _ in range(300):
        board = tuple(rng.sample(deck, sum(game.num_board_cards)))
        state, node = State.start(game), 0
        hand = strategy.start_hand(HandKey(1, 2, 0))
        while not state.finished:
            rows = hand.rows(state)
            assert rows.missed is not None
            assert not rows.missed.any()
            assert rows.classes is not None
            k = len(rows.actions)
            for index, bucket in enumerate(rows.classes.tolist()):
                if bucket >= 0:
                    begin = file.offset[node] + bucket * k
                    assert np.abs(rows.column(index) - table[begin : begin + k]).max() < 1e-6
            chosen = rng.randrange(k)
            state = state.apply(rows.actions[chosen]).with_board(board)
            node = file.tree.child(node, chosen)


def play(strategy: Blueprint, choose: Callable[[random.Random, State], object], hands: int, seed: int) -> Agent:
    """The blueprint against someone else, both seats; checks every row and every action."""
    rng = random.Random(seed)
    agent = Agent(strategy, seed=9)
    game = strategy.game
    space = hand_space(tuple(sorted(game.deck)), game.num_hole_cards)
    for number in range(hands):
        cards = rng.sample(game.deck, 2 * game.num_hole_cards + sum(game.num_board_cards))
        holes = (tuple(cards[:2]), tuple(cards[2:4]))
        board = tuple(cards[4:])
        state = State.start(game)
        while not state.finished:
            position = number % 2
            if state.actor == position:
                match = MatchState(
                    position, number, state, tuple(h if p == position else () for p, h in enumerate(holes))
                )
                rows = agent.hand_strategy(match).rows(state)
                assert list(rows.actions) == sorted(set(rows.actions), key=lambda a: ("fcr".index(a.kind), a.size))
                assert all(state.is_legal(action) for action in rows.actions)
                dense = rows.dense(space.blocked(state.board))
                open_hands = ~space.blocked(state.board)
                np.testing.assert_allclose(dense[:, open_hands].sum(axis=0), 1, rtol=0, atol=1e-5)
                action = agent.decide(match)
            else:
                action = choose(rng, state)  # type: ignore[assignment]
            state = state.apply(action).with_board(board)
    return agent


def anything(rng: random.Random, state: State) -> object:
    bounds = state.raise_bounds()
    if bounds and rng.random() < 0.5:
        return raise_to(rng.choice([bounds[0], bounds[1], rng.randint(*bounds), min(bounds[1], bounds[0] + 37)]))
    return FOLD if state.can_fold and rng.random() < 0.1 else CALL


def test_against_any_betting_it_stays_legal(hunl: Blueprint) -> None:
    agent = play(hunl, anything, hands=60, seed=1)
    assert agent.decisions > 60


def test_min_raise_wars_and_shoves_stay_legal(hunl: Blueprint) -> None:
    def smallest(_rng: random.Random, state: State) -> object:
        bounds = state.raise_bounds()
        return raise_to(bounds[0]) if bounds else CALL

    def largest(_rng: random.Random, state: State) -> object:
        bounds = state.raise_bounds()
        return raise_to(bounds[1]) if bounds else CALL

    play(hunl, smallest, hands=40, seed=2)
    agent = play(hunl, largest, hands=40, seed=3)
    assert agent.misses == 0  # a shove is always on the tree


def test_self_play_never_misses_a_node(hunl: Blueprint) -> None:
    """On its own tree no look-up may leave it; rows that training never reached are the only stand-ins."""
    rng = random.Random(4)
    game = hunl.game
    for number in range(300):
        board = tuple(rng.sample(game.deck, 5))
        state = State.start(game)
        hand = hunl.start_hand(HandKey(1, number, 0))
        while not state.finished:
            assert hand.nodes(state)
            rows = hand.rows(state)
            weights = rows.probabilities.mean(axis=1).tolist()
            state = state.apply(rng.choices(rows.actions, weights)[0]).with_board(board)


def node_of(hand: BlueprintHand, state: State) -> int:
    """The one node that stands for a state."""
    (place,) = hand.nodes(state)
    assert place.weight == 1.0
    return place.node


def node_after(hunl: Blueprint, hand: int, betting: str) -> int:
    return node_of(hunl.start_hand(HandKey(1, hand, 0)), after(hunl.game, betting))


def test_a_bet_between_two_sizes_maps_to_both_with_the_published_frequency(hunl: Blueprint) -> None:
    """r250 is 3/4 of the pot after the call: to the half-pot raise with probability 3/7."""
    half, pot = node_after(hunl, 0, "r200"), node_after(hunl, 0, "r300")
    nodes = [node_after(hunl, hand, "r250") for hand in range(4000)]
    assert set(nodes) == {half, pot}
    assert nodes.count(half) / 4000 == pytest.approx(3 / 7, abs=0.03)


def test_the_coin_is_kept_for_the_hand(hunl: Blueprint) -> None:
    board = (0, 5, 10)
    for number in range(50):
        key = HandKey(1, number, 0)
        first = hunl.start_hand(key)
        early = node_of(first, after(hunl.game, "r250"))
        later = node_of(first, after(hunl.game, "r250c", board))
        alone = node_of(hunl.start_hand(key), after(hunl.game, "r250c", board))
        assert later == alone
        assert later == hunl.file.tree.child(early, 1)


def test_a_shove_is_a_shove(hunl: Blueprint) -> None:
    tree = hunl.file.tree
    node = node_after(hunl, 3, "r20000")
    assert tuple(tree.spent[node]) == (100, 20000)
    node = node_after(hunl, 3, "r300r20000")
    assert tuple(tree.spent[node]) == (20000, 300)


def test_own_raises_keep_their_pot_fraction_in_a_translated_pot(hunl: Blueprint) -> None:
    """After r250 (read as 200 or 300) the pot-size re-raise is 750 in real chips, and is recognised without a coin."""
    for number in range(20):
        hand = hunl.start_hand(HandKey(1, number, 0))
        state = after(hunl.game, "r250")
        rows = hand.rows(state)
        pot = [str(action) for action in rows.actions].index("r750")
        node = node_of(hand, state.apply(raise_to(750)))
        assert node == hunl.file.tree.child(node_of(hand, state), pot)


def test_off_the_tree_it_plays_on_and_says_so(hunl: Blueprint) -> None:
    """A bet read as all-in was called, but the real hand goes on: no row exists for that."""
    board = (0, 5, 10, 20, 30)
    for number in range(200):
        hand = hunl.start_hand(HandKey(1, number, 0))
        state = after(hunl.game, "r15000")
        if hunl.file.tree.spent[node_of(hand, state)].max() == 20000:
            break
    state = state.apply(CALL).with_board(board)
    assert not hand.nodes(state)
    rows = hand.rows(state)
    assert rows.missed is not None
    assert rows.missed.all()
    agent = Agent(hunl, 1)
    agent.decide(MatchState(state.actor, number, state, ((40, 41), (40, 41))))
    assert agent.misses == 1


def test_another_game_or_other_stacks_are_refused(tmp_path: Path) -> None:
    text = str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("stack = 20000 20000", "stack = 10000 10000")
    (tmp_path / "short.game").write_text(text)
    config = "name: x\ngame: {}\nplayer: blueprint\noptions: {{strategy: hunl-200bb}}\n"
    for game, message in (("short.game", "stacks"), ("leduc.nolimit.2p", "another game")):
        (tmp_path / "bot.yaml").write_text(config.format(game))
        with pytest.raises(ConfigError, match=message):
            load_bot(str(tmp_path / "bot.yaml")).build()


def test_an_unknown_strategy_names_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text("name: x\ngame: kuhn.limit.2p\nplayer: blueprint\noptions: {strategy: kuhm}\n")
    with pytest.raises(ConfigError, match="known: .*kuhn"):
        load_bot(str(tmp_path / "bot.yaml")).build()


def test_only_turns_are_slow(hunl: Blueprint) -> None:
    hand = hunl.start_hand(HandKey(1, 1, 1))
    assert isinstance(hand, BlueprintHand)
    state = after(hunl.game, "c")
    assert not hand.slow(state)
    turn = after(hunl.game, "cccc", (0, 5, 10, 20))
    assert turn.round == 2
    assert hand.slow(turn)
