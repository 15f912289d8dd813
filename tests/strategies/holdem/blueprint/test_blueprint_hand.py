"""Games of other stacks than a strategy's: who plays them, and that whoever does always acts legally."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import Depth, named_for
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.players.blueprint import Blueprint
from tests.strategies.base.strategy_files import MANY, random_strategy

LEDUC = "leduc.nolimit.2p"


def with_stacks(name: str, stacks: str) -> GameDef:
    lines = str(load_game(name)).splitlines()
    return GameDef.parse("\n".join(f"stack = {stacks}" if line.startswith("stack") else line for line in lines))


def blueprint(folder: Path, game: GameDef, depths: list[dict[str, object]]) -> Blueprint:
    random_strategy(folder / "one", LEDUC, 1, MANY)
    options = {"strategy": "./one", "depths": depths}
    return Blueprint(game, msgspec.convert(options, Blueprint.Options), folder)


def test_the_first_range_that_fits_is_taken() -> None:
    depths = [Depth(2, 20, "short"), Depth(20, 50, ("zero", "one"))]
    game = "holdem.nolimit.2p.reverse_blinds"
    assert named_for(with_stacks(game, "2000 2000"), depths) == ("short",)
    assert named_for(with_stacks(game, "90000 2100"), depths) == ("zero", "one")
    for stacks in ("5001 5001", "90000 199"):
        with pytest.raises(ValueError, match="in none of the 'depths' \\(2 to 20, 20 to 50\\)"):
            named_for(with_stacks(game, stacks), depths)


def test_without_a_range_other_stacks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="say with 'depths' who plays them"):
        blueprint(tmp_path, with_stacks(LEDUC, "700 700"), [])


def test_other_rules_are_refused_at_any_depth(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="another game"):
        blueprint(tmp_path, load_game("leduc.limit.2p"), [{"from": 1, "to": 1e9, "strategy": "./one"}])


@pytest.mark.parametrize("stacks", ["300 300", "700 700", "5000 5000", "450 2000", "2000 450"])
def test_every_state_has_a_legal_answer(tmp_path: Path, stacks: str) -> None:
    game = with_stacks(LEDUC, stacks)
    player = blueprint(tmp_path, game, [{"from": 1, "to": 100, "strategy": "./one"}])
    rng = np.random.default_rng(1)
    for hand_number in range(60):
        hands = [player.start_hand(HandKey(1, hand_number, position)) for position in range(2)]
        board = (game.deck[int(rng.integers(len(game.deck)))],)
        state = State.start(game)
        while not state.finished:
            rows = hands[state.actor].rows(state)
            assert all(state.is_legal(action) for action in rows.actions)
            np.testing.assert_allclose(rows.probabilities.sum(axis=0), 1, atol=1e-5)
            state = state.apply(rows.actions[int(rng.integers(len(rows.actions)))]).with_board(board)


@pytest.mark.parametrize("name", ["blueprint", "limpet", "limpet-fast", "limpet-competition"])
@pytest.mark.parametrize("stacks", ["200 200", "40000 40000", "150 20000"])
def test_bots_that_ship_play_from_2_to_400_big_blinds(name: str, stacks: str) -> None:
    game = with_stacks("holdem.nolimit.2p.reverse_blinds", stacks)
    rows = load_bot(name, game).build().start_hand(HandKey(1, 0, 1)).rows(State.start(game))
    assert len(rows.actions) > 1


# --- The answer for one hand is that of all hands, by a shorter way


@pytest.mark.parametrize("name", ["hunl-200bb", "hulh", "leduc"])
def test_one_bucket_is_that_of_the_vector(name: str) -> None:
    file = StrategyFile.open(shipped_strategies() / name)
    random = np.random.default_rng(1)
    sizes = file.game.board_sizes
    for round_, cards in [*enumerate(sizes)] * 3:
        board = tuple(random.permutation(sorted(file.game.deck))[:cards].tolist())
        vector = file.cards.bucket_vector(round_, board)
        for hand in random.permutation(np.flatnonzero(vector >= 0))[:40].tolist():
            assert file.cards.bucket(round_, board, hand) == vector[hand]
        if cards:
            with pytest.raises(ValueError, match="holds a card of the board"):
                file.cards.bucket(round_, board, int(np.flatnonzero(vector < 0)[0]))


def test_a_blueprint_answers_for_one_hand() -> None:
    strategy = load_bot("blueprint").build()
    board = (0, 13, 27, 41, 50)
    hands = np.flatnonzero(~hand_space().blocked(board))[::150].tolist()
    for state in State.start(strategy.game).called_down(board):
        hand = strategy.start_hand(HandKey(1, 2, state.actor))
        rows = hand.rows(state)
        for index in hands:
            actions, column = hand.column(state, index)
            assert actions == rows.actions
            assert np.array_equal(column, rows.column(index))
            alone = hand.rows_for(state, index)
            assert rows.missed is not None and alone.missed is not None
            assert alone.missed[alone.class_of(index)] == rows.missed[rows.class_of(index)]
