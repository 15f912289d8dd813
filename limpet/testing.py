"""Tests players of one's own: whether their rows keep what `Rows` and `HandStrategy` promise, in many hands of their game."""

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np

from limpet.dealer.table.deals import Deals
from limpet.protocol.cards import cards_text
from limpet.protocol.state import State, action_order
from limpet.strategies.base.agent import SUM_TOLERANCE
from limpet.strategies.base.botconfig import Bot, load_bot
from limpet.strategies.base.strategy import HandKey, Rows, is_action
from limpet.strategies.cards.handspace import game_hands


def check_player(bot: Bot | Any, hands: int = 100, seed: int = 1) -> int:
    """Play hands at random, ask the bot at every decision for all hands, and return the number of decisions.

    Rows must be legal actions in the order fold, call, raises ascending, float32 ``[action, class]`` whose columns sum to 1
    for every hand that the board leaves, and the same again for the same key and history unless the bot thinks by a clock.

    Args:
        bot: what `load_bot` takes, or a bot that is loaded.
        hands: number of hands; the actions of each are drawn alike from those that the bot names and from all legal ones.

    Raises `AssertionError` with the state and what is wrong there, and `ConfigError` for a bot that cannot be built.
    """
    loaded = bot if isinstance(bot, Bot) else load_bot(bot)
    strategy, game, random = loaded.build(), loaded.game, Random(seed)
    strategy.warm_up()
    decisions = 0
    for number, (_, board, _) in zip(range(hands), Deals(game, seed), strict=False):
        keys = [HandKey(seed, number, position) for position in range(game.num_players)]
        playing = [strategy.start_hand(key) for key in keys]
        state = State.start(game).with_board(board)
        while state.actor >= 0:
            asked = playing[state.actor]
            where = f"{loaded.name} after {state.betting!r} on {cards_text(state.board) or 'no board'}"
            try:
                slow, rows = asked.slow(state), asked.rows(state)
            except Exception as error:
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
            _check_rows(state, rows, where)
            if not slow:
                again = _ask_anew(strategy.start_hand(keys[state.actor]), state)
                assert again.actions == rows.actions and np.array_equal(again.probabilities, rows.probabilities), (
                    f"{where}: the same hand asked again has other rows; draw random numbers by the hand's key alone"
                )
            decisions += 1
            named = random.random() < 0.5
            action = random.choice(rows.actions if named else state.legal_actions())
            state = state.apply(action.public).with_board(board)
    return decisions


def _ask_anew(hand: Any, state: State) -> Rows:
    """Return the rows of a hand that is asked, as in play, about each decision of the actor up to `state`."""
    rows: Rows | None = None
    for earlier in (*[past for past in state.path() if past.actor == state.actor and past is not state], state):
        rows = hand.rows(earlier)
    assert rows is not None
    return rows


def _check_rows(state: State, rows: Rows, where: str) -> None:
    """Raise `AssertionError` if rows break what `Rows` promises in a state."""
    assert isinstance(rows, Rows), f"{where}: {type(rows).__name__} is no Rows"
    space, probabilities = game_hands(state.game), rows.probabilities
    strange = [action for action in rows.actions if not is_action(action)]
    assert not strange, f"{where}: {strange} are no actions; those are FOLD, CALL and raises to a whole number of chips"
    assert isinstance(probabilities, np.ndarray), (
        f"{where}: probabilities are a {type(probabilities).__name__}, no array"
    )
    illegal = [str(action) for action in rows.actions if not state.is_legal(action)]
    assert not illegal, f"{where}: {', '.join(illegal)} is not legal"
    if rows.discards is None:
        order = [action_order(action) for action in rows.actions]
        assert all(earlier < later for earlier, later in pairwise(order)), (
            f"{where}: the actions {', '.join(map(str, rows.actions))} must come as fold, call, raises ascending, each once"
        )
    assert probabilities.dtype == np.float32, f"{where}: probabilities are {probabilities.dtype}, not float32"
    classes = np.arange(space.size) if rows.classes is None else np.asarray(rows.classes)
    assert classes.shape == (space.size,), f"{where}: classes of {classes.shape} hands; the game has {space.size:,}"
    wanted = (len(rows.actions), int(classes.max()) + 1)
    assert probabilities.ndim == 2 and probabilities.shape[0] == wanted[0] and probabilities.shape[1] >= wanted[1], (
        f"{where}: probabilities of shape {probabilities.shape}; {wanted[0]} actions and {wanted[1]:,} classes need {wanted}"
    )
    free = ~space.blocked(state.board)
    lost = free & (classes < 0)
    assert not lost.any(), f"{where}: {space.names[int(lost.argmax())]} has no class, and the board leaves it"
    columns = probabilities[:, classes[free]]
    assert np.isfinite(columns).all() and (columns >= 0).all(), f"{where}: a probability is negative, NaN or infinite"
    off = np.abs(columns.sum(axis=0) - 1)
    worst = int(off.argmax())
    assert off[worst] <= SUM_TOLERANCE, (
        f"{where}: {space.names[int(np.flatnonzero(free)[worst])]} sums to {columns[:, worst].sum():g}, not to 1"
    )
