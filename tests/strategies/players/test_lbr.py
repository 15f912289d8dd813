"""Local best response against its definition, hand by hand, and against players whose answer is known."""

from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import ConfigError, load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import rank
from limpet.protocol.state import CALL, FOLD, RAISE, State, raise_to
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, HandStrategy, sized_raises
from limpet.strategies.cards.equity import expected_strengths
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.players.lbr import MANY_FRACTIONS, LocalBestResponse
from limpet.strategies.players.simple import Call
from tests.strategies.base.resolve_players import resolver

LEDUC_NAME = "leduc.limit.2p"
LEDUC = load_game(LEDUC_NAME)
HUNL = load_game("holdem.nolimit.2p.reverse_blinds")


def lbr(game: GameDef, folder: Path, opponent: str, **options: object) -> LocalBestResponse:
    typed = LocalBestResponse.Options(opponent=opponent, **options)  # type: ignore[arg-type]
    return LocalBestResponse(game, typed, folder)


def leaf(game: GameDef, mine: int, theirs: int, board: tuple[int, ...], pot: float, asked: float) -> float:
    """What one hand of Leduc wins of `pot`, if it puts `asked` in and all later bets are checks; from folding."""
    rest = [card for card in game.deck if card not in (mine, theirs, *board)]
    boards = [board] if board else [(card,) for card in rest]
    total = 0.0
    for full in boards:
        one, two = rank((mine, *full)), rank((theirs, *full))
        total += pot if one > two else -asked if one < two else (pot - asked) / 2
    return total / len(boards)


@pytest.mark.parametrize("position", [0, 1])
def test_values_against_the_definition_hand_by_hand(tmp_path: Path, position: int) -> None:
    """Every decision of Leduc on one board, against the shipped equilibrium."""
    player = lbr(LEDUC, tmp_path, "leduc")
    opponent = load_bot("leduc").build().start_hand(HandKey(0, 0, 1 - position))
    space = game_hands(LEDUC)
    hand = player.start_hand(HandKey(0, 0, position))
    board = LEDUC.deck[2:3]
    cards = [int(card) for card in space.holes[:, 0]]

    def opponents_weight(state: State, theirs: int) -> float:
        weight = 1.0
        for at in state.path():
            if at.parent is not None and at.parent.actor == 1 - position:
                before = at.parent.with_board(state.board)
                rows = opponent.rows(before)
                assert at.action is not None
                weight *= float(rows.column(space.index((theirs,)))[rows.actions.index(at.action)])
        return weight

    checked = 0
    stack = [State.start(LEDUC)]
    while stack:
        state = stack.pop().with_board(board)
        if state.finished:
            continue
        for action in ([FOLD] if state.can_fold else []) + [CALL, *sized_raises(state, player.sizes)]:
            stack.append(state.apply(action))
        if state.actor != position:
            continue
        actions, values = hand.values(state)
        for mine in cards:
            if mine in state.board:
                continue
            others = [card for card in cards if card != mine and card not in state.board]
            weights = {card: opponents_weight(state, card) for card in others}
            if sum(weights.values()) < 1e-6:
                continue
            for action, value in zip(actions, values[:, space.index((mine,))], strict=True):
                expected = 0.0
                for card, weight in weights.items():
                    after = state.apply(action)
                    if action == FOLD:
                        worth = 0.0
                    elif action == CALL:
                        worth = leaf(LEDUC, mine, card, state.board, state.pot, state.to_call)
                    else:
                        rows = opponent.rows(after)
                        fold = float(rows.column(space.index((card,)))[rows.actions.index(FOLD)])
                        more = after.max_spent - state.max_spent
                        called = leaf(LEDUC, mine, card, state.board, state.pot + more, state.to_call + more)
                        worth = fold * state.pot + (1 - fold) * called
                    expected += weight * worth
                assert value == pytest.approx(expected / sum(weights.values()), abs=1e-5)
                checked += 1
    assert checked > 150


def test_against_folding_it_always_bets(tmp_path: Path) -> None:
    """And so wins the blinds, 750 mbb/g over both seats."""
    player = lbr(HUNL, tmp_path, "fold")
    state = State.start(HUNL)
    rows = player.start_hand(HandKey(0, 0, 1)).rows(state)
    bets = [index for index, action in enumerate(rows.actions) if action.kind == "r"]
    np.testing.assert_array_equal(rows.probabilities[bets].sum(axis=0), 1)


def test_against_calling_it_bets_what_is_ahead(tmp_path: Path) -> None:
    """Nobody folds, so a hand that wins more than half of the time wants all the money in, and others none."""
    player = lbr(HUNL, tmp_path, "call", start="river")
    state = State.start(HUNL)
    for _ in range(6):
        state = state.apply(CALL)
    board = HUNL.deck[10:15]
    state = state.with_board(board)
    rows = player.start_hand(HandKey(0, 0, 0)).rows(state)
    strength = expected_strengths(board)
    live = ~game_hands(HUNL).blocked(board)
    assert rows.actions[-1] == raise_to(20000)
    np.testing.assert_array_equal(rows.probabilities[-1][live & (strength > 0.5001)], 1)
    np.testing.assert_array_equal(rows.probabilities[rows.actions.index(CALL)][live & (strength < 0.4999)], 1)


def test_it_waits_for_its_first_street(tmp_path: Path) -> None:
    player = lbr(HUNL, tmp_path, "call", start="turn")
    rows = player.start_hand(HandKey(0, 0, 1)).rows(State.start(HUNL))
    assert rows.actions == (CALL,)


def test_the_sizes(tmp_path: Path) -> None:
    state = State.start(HUNL)
    assert sized_raises(state, lbr(HUNL, tmp_path, "call", sizes="fc").sizes) == ()
    assert sized_raises(state, lbr(HUNL, tmp_path, "call").sizes) == (raise_to(300), raise_to(20000))
    assert sized_raises(state, lbr(HUNL, tmp_path, "call", sizes=(0.5, 2.0)).sizes) == tuple(
        map(raise_to, (200, 500, 20000))
    )
    many = sized_raises(state, lbr(HUNL, tmp_path, "call", sizes="many").sizes)
    assert len(MANY_FRACTIONS) == 55 and many[0] == raise_to(200) and many[-1] == raise_to(20000) and len(many) > 30
    assert sized_raises(State.start(LEDUC), lbr(LEDUC, tmp_path, "leduc", sizes="many").sizes) == (RAISE,)


def test_a_range_no_hand_of_which_would_have_come_here_is_every_hand(tmp_path: Path) -> None:
    player = lbr(HUNL, tmp_path, "fold")
    hand = player.start_hand(HandKey(0, 0, 1))
    state = State.start(HUNL).apply(raise_to(300)).apply(raise_to(900))
    np.testing.assert_array_equal(hand.opponents_range.at(state), 1)


def test_tables_of_three_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has one opponent; this game has 3 players"):
        lbr(load_game("kuhn.limit.3p"), tmp_path, "kuhn3p")


def test_an_unknown_opponent_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nobody"):
        lbr(HUNL, tmp_path, "nobody")


def test_what_a_searching_opponent_is_asked_by_way_of_trial_does_not_change_its_mind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It solves a street when it is first asked there, with the bets of that moment in its tree."""
    river = {"menus": [{"menu": {"sizes": [[[0.5], []]]}}], "iterations": 5}
    opponent = resolver(tmp_path, monkeypatch, streets={"river": river})
    player = lbr(opponent.game, tmp_path, "call", sizes=(0.7,))
    player.opponent = opponent
    seed = player.bot.config.seed
    hand = player.start_hand(HandKey(7, 0, 0))
    state = State.start(opponent.game)
    for _ in range(6):
        state = state.apply(CALL).with_board(HUNL.deck[10:15])
    asked = opponent.start_hand(HandKey(seed, 0, 1))  # whoever sits opposite
    actions, _ = hand.values(state)  # thinks about raises, of which none is made
    assert actions[1:] == (raise_to(240), raise_to(20000)) or len(actions) > 2
    checked = state.apply(CALL).with_board(state.board)
    played = asked.rows(checked)
    weights = hand.opponents_range.at(state) * played.dense(game_hands(HUNL).blocked(state.board))[-1]
    bet = checked.apply(played.actions[-1]).with_board(state.board)
    found = hand.opponents_range.at(bet)
    np.testing.assert_allclose(found, weights / weights.max(), rtol=1e-6)
    # Nor would the hand that was asked by way of trial have said so.
    trial = opponent.start_hand(HandKey(seed, 0, 1))
    trial.rows(state.apply(actions[1]).with_board(state.board))
    other = trial.rows(checked)
    assert other.actions != played.actions or not np.allclose(other.probabilities, played.probabilities)


def test_what_was_asked_by_way_of_trial_is_not_solved_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    river = {"menus": [{"menu": {"sizes": [[[0.5], []]]}}], "iterations": 5}
    opponent = resolver(tmp_path, monkeypatch, streets={"river": river})
    player = lbr(opponent.game, tmp_path, "call", sizes=(0.7,))
    player.opponent = opponent
    hand = player.start_hand(HandKey(7, 0, 0))
    state = State.start(opponent.game)
    for _ in range(6):
        state = state.apply(CALL).with_board(HUNL.deck[10:15])
    hand.values(state)
    assert opponent.resolver.solved == 2  # with 0.7 pots in the tree, and as it is, for all-in
    hand.opponents_range.at(state.apply(raise_to(240)).apply(raise_to(20000)))
    assert opponent.resolver.solved == 2


def test_an_opponents_journal_is_left_alone(tmp_path: Path) -> None:
    """Its rows are those of the bot at the table, not of the one that is asked."""
    config = tmp_path / "thinker.yaml"
    config.write_text(
        "name: thinker\nplayer: resolve\ngame: holdem.nolimit.2p.reverse_blinds\noptions:\n"
        "  blueprint: {strategy: hunl-200bb}\n  rows: out.rows\n  log: out.jsonl\n"
        "  streets: {river: {menus: [{menu: {sizes: [[[1], []]]}}], iterations: 3}}\n"
    )
    player = lbr(HUNL, tmp_path, str(config))
    state = State.start(HUNL)
    for _ in range(6):
        state = state.apply(CALL).with_board(HUNL.deck[10:15])
    player.start_hand(HandKey(0, 0, 0)).rows(state)
    assert not list(tmp_path.glob("out.*"))


def test_the_opponent_is_asked_with_its_own_seed_and_position(tmp_path: Path) -> None:
    """An opponent that draws by its hand's key then answers as it does at the table."""
    (tmp_path / "mixed.yaml").write_text(f"name: mixed\nplayer: random\ngame: {LEDUC_NAME}\nseed: 77\n")
    player = lbr(LEDUC, tmp_path, "mixed.yaml")
    keys: list[HandKey] = []

    class Recording(Call):
        def start_hand(self, key: HandKey) -> HandStrategy:
            keys.append(key)
            return super().start_hand(key)

    player.opponent = Recording(LEDUC, Call.Options(), tmp_path)
    for position in (0, 1):
        player.start_hand(HandKey(5, 12, position))
    assert keys == [HandKey(77, 12, 1), HandKey(77, 12, 0)]
