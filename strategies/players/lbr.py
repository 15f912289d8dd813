"""Local best response (Lisý & Bowling 2017): a player who knows the opponent's strategy, though not the cards.

It keeps the opponent's exact range by Bayes' rule and takes the action that would be best if nobody bet again afterwards.
Its winnings are a lower bound of the opponent's exploitability. A loss says nothing.
"""

from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.botconfig import load_bot
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.cards.range_equity import range_equity
from limpet.strategies.players.simple import RaiseSize, sized_raise
from limpet.strategies.records.journal import silenced
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.trees.menu import STREETS

MANY_FRACTIONS = tuple(0.05 * 1.15**k for k in range(55))
"""Pot fractions of 55 of the 56 bets of Lisý & Bowling; the last is all-in."""

_NAMED: dict[str, tuple[RaiseSize, ...]] = {"fc": (), "fcpa": (1.0, "max"), "many": (*MANY_FRACTIONS, "max")}


Sizes = Literal["fc", "fcpa", "many"]
Start = Literal["preflop", "flop", "turn", "river"]


class LocalBestResponse(Strategy):
    """Plays the local best response to another bot, heads-up."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a local best response.

        opponent: the config of the bot it plays against: a name that ships, or a file relative to this config. It must
            be the bot that sits opposite, with its seed, so that its random numbers are known. A bot that searches while
            it plays searches here as it does at the table. Against a clock it finds something else each time, and the
            range is only nearly right; the winnings are a bound all the same.
        sizes: its raises: ``fc`` has none, ``fcpa`` the pot and all-in, ``many`` the 56 sizes of the paper from 0.05
            pots on; or a list of pot fractions, to which all-in is added. A limit game has one raise.
        start: the first street on which it does anything but check and call: ``preflop``, ``flop``, ``turn``,
            ``river``; in other games the round, counted from 0 for ``preflop``.
        """

        opponent: str
        sizes: Sizes | tuple[float, ...] = "fcpa"
        start: Start = "preflop"

    def __init__(self, game: GameDef, options: Strategy.Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        assert isinstance(options, LocalBestResponse.Options)
        if game.num_players != 2:
            raise ValueError(f"a local best response has one opponent; this game has {game.num_players} players")
        sizes = options.sizes
        self.sizes: tuple[RaiseSize, ...] = _NAMED[sizes] if isinstance(sizes, str) else (*sizes, "max")
        self.first_round = STREETS.index(options.start)
        beside = folder / options.opponent
        self.bot = load_bot(beside if beside.is_file() else options.opponent, game)
        self.opponent = silenced(self.bot.build())

    def start_hand(self, key: HandKey) -> "LocalBestResponseHand":
        other = HandKey(self.bot.config.seed, key.hand, 1 - key.position)
        return LocalBestResponseHand(self, key.position, self.opponent.start_hand(other))

    def checksums(self) -> tuple[str, ...]:
        return (self.bot.fingerprint(self.opponent),)

    def describe(self) -> dict[str, str]:
        return {"opponent": str(self.bot.path)}

    def warm_up(self) -> None:
        self.opponent.warm_up()
        deck, game = self.game.deck, self.game
        for size in game.board_sizes:
            range_equity(game, deck[:size], np.ones(game_hands(game).size))

    def raises(self, state: State) -> tuple[Action, ...]:
        """Return the raises that are considered in `state`, ascending."""
        raises = {sized_raise(state, size) for size in self.sizes}
        return tuple(sorted((action for action in raises if action is not None), key=lambda action: action.size))


class LocalBestResponseHand(HandStrategy):
    """Answers for one hand. The opponent's range is kept for every state asked about."""

    def __init__(self, player: LocalBestResponse, position: int, opponent: HandStrategy) -> None:
        """opponent: answers of the opponent's strategy for the same hand, in the other position."""
        self._player = player
        self._position = position
        self._opponent = opponent
        self._space = game_hands(player.game)
        self._ranges: dict[State, NDArray[np.float64]] = {}

    def fork(self) -> "LocalBestResponseHand":
        other = LocalBestResponseHand(self._player, self._position, self._opponent.fork())
        other._ranges = dict(self._ranges)
        return other

    def slow(self, state: State) -> bool:
        """Return whether best responses are played: equities take milliseconds, and the opponent's strategy may search."""
        return state.round >= self._player.first_round

    def rows(self, state: State) -> Rows:
        if state.round < self._player.first_round:
            return Rows((CALL,), np.ones((1, 1), np.float32), np.zeros(self._space.size, np.int16))
        actions, values = self.values(state)
        rows = np.zeros(values.shape, np.float32)
        rows[values.argmax(axis=0), np.arange(self._space.size)] = 1.0
        return Rows(actions, rows)

    def values(self, state: State) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
        """Return the actions and each one's value to each hand, float64 ``[action, hand]``, if nobody bet later.

        Values are in chips more than folding gives: U of Lisý & Bowling 2017, Algorithm 1.
        """
        weights = self.opponents_range(state)
        pot, asked = state.pot, state.to_call
        wins = range_equity(state.game, state.board, weights)
        actions = [FOLD] if state.can_fold else []
        values = [np.zeros(self._space.size)] if state.can_fold else []
        actions.append(CALL)
        values.append(wins * pot - (1 - wins) * asked)
        total = self._space.apart(weights)
        for action in self._player.raises(state):
            after = state.apply(action)
            more = after.max_spent - state.max_spent
            folds = self._likelihood(self._opponent.fork(), after, FOLD)  # the raise may never be made
            fold = np.divide(self._space.apart(weights * folds), total, out=np.zeros(len(total)), where=total > 0)
            wins = range_equity(state.game, state.board, weights * (1 - folds))
            actions.append(action)
            values.append(fold * pot + (1 - fold) * (wins * (pot + more) - (1 - wins) * (asked + more)))
        return tuple(actions), np.array(values)

    def opponents_range(self, state: State) -> NDArray[np.float64]:
        """Return float64 ``[hand]``: the opponent's range at `state`, up to a factor.

        If the opponent's strategy would never have come to `state`, all hands are equally likely.
        """
        reach = self._ranges.get(state)
        if reach is None:
            live = ~self._space.blocked(state.board)
            reach = live.astype(np.float64)
            if state.parent is not None:
                before = state.parent.with_board(state.board)
                weights = self.opponents_range(before)
                if before.actor != self._position:
                    assert state.action is not None
                    weights = weights * self._likelihood(self._opponent, before, state.action)
                if (weights * live).max() > 0:
                    reach = live * weights / weights.max()
            self._ranges[state] = reach
        return reach

    def _likelihood(self, opponent: HandStrategy, state: State, action: Action) -> NDArray[np.float64]:
        """Return float64 ``[hand]``: the probability that the opponent takes `action` in `state` with each hand."""
        if state.finished:  # both players are all-in
            return np.zeros(self._space.size)
        rows = opponent.rows(state)
        if action not in rows.actions:
            return np.zeros(self._space.size)
        dense = rows.dense(self._space.blocked(state.board))
        return np.asarray(dense[rows.actions.index(action)], np.float64)
