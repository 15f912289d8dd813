"""Local best response (Lisý & Bowling 2017): a player who knows the opponent's strategy, though not the cards.

It keeps the opponent's exact range by Bayes and takes the action that would be best if nobody bet again afterwards. What
it wins bounds from below how exploitable the opponent is. A loss says nothing.
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

MANY = tuple(0.05 * 1.15**k for k in range(55))
"""The pot fractions of the 56 bets of Lisý & Bowling; the last is all-in."""

_NAMED: dict[str, tuple[RaiseSize, ...]] = {"fc": (), "fcpa": (1.0, "max"), "many": (*MANY, "max")}


Sizes = Literal["fc", "fcpa", "many"]
Start = Literal["preflop", "flop", "turn", "river"]


class LocalBestResponse(Strategy):
    """Plays the local best response to another bot, heads-up."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a local best response.

        opponent: the config of the bot it plays against: a name that ships, or a file relative to this config. It must
            be the bot that sits opposite, with its seed: translation coins are then known to fall as they do. It may
            search while it plays: it is then asked here what it thinks at the table. With a clock it thinks something
            else each time, and the range is nearly right; what is won from it is a bound all the same.
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
        """The raises it thinks about, ascending."""
        found = {sized_raise(state, size) for size in self.sizes}
        return tuple(sorted((action for action in found if action is not None), key=lambda action: action.size))


class LocalBestResponseHand(HandStrategy):
    """Answers for one hand; keeps the opponent's range after every action."""

    def __init__(self, player: LocalBestResponse, position: int, opponent: HandStrategy) -> None:
        """opponent: in the other position, to be asked what he does."""
        self._player = player
        self._position = position
        self._opponent = opponent
        self._space = game_hands(player.game)
        self._ranges: dict[tuple[str, tuple[int, ...]], NDArray[np.float64]] = {}

    def fork(self) -> "LocalBestResponseHand":
        other = LocalBestResponseHand(self._player, self._position, self._opponent.fork())
        other._ranges = dict(self._ranges)
        return other

    def slow(self, state: State) -> bool:
        """Equities take milliseconds after the flop, and the opponent may think."""
        return state.round >= self._player.first_round

    def rows(self, state: State) -> Rows:
        if state.round < self._player.first_round:
            return Rows((CALL,), np.ones((1, 1), np.float32), np.zeros(self._space.size, np.int16))
        actions, values = self.values(state)
        rows = np.zeros(values.shape, np.float32)
        rows[values.argmax(axis=0), np.arange(self._space.size)] = 1.0
        return Rows(actions, rows)

    def values(self, state: State) -> tuple[tuple[Action, ...], NDArray[np.float64]]:
        """What each action is worth to each hand in chips ``[action, hand]``, measured from folding, if all later
        bets were checks: U of Lisý & Bowling 2017, Algorithm 1."""
        weights = self.opponents_range(state)
        pot, asked = state.pot, state.to_call
        wins = range_equity(state.game, state.board, weights)
        actions = [FOLD] if state.can_fold else []
        values = [np.zeros(self._space.size)] if state.can_fold else []
        actions.append(CALL)
        values.append(wins * pot - (1 - wins) * asked)
        met = self._space.apart(weights)
        for action in self._player.raises(state):
            after = state.apply(action)
            more = after.max_spent - state.max_spent
            folds = self._likelihood(self._opponent.fork(), after, FOLD)  # it may never come
            fold = np.divide(self._space.apart(weights * folds), met, out=np.zeros(len(met)), where=met > 0)
            wins = range_equity(state.game, state.board, weights * (1 - folds))
            actions.append(action)
            values.append(fold * pot + (1 - fold) * (wins * (pot + more) - (1 - wins) * (asked + more)))
        return tuple(actions), np.array(values)

    def opponents_range(self, state: State) -> NDArray[np.float64]:
        """How likely each of the opponent's hands is after the public history, up to a factor: float64 ``[hand]``.

        Where his own strategy would never have come here, every hand is as likely as any other.
        """
        key = state.betting, state.board
        found = self._ranges.get(key)
        if found is None:
            live = ~self._space.blocked(state.board)
            found = live.astype(np.float64)
            if state.parent is not None:
                before = state.parent.with_board(state.board)
                weights = self.opponents_range(before)
                if before.actor != self._position:
                    assert state.action is not None
                    weights = weights * self._likelihood(self._opponent, before, state.action)
                if (weights * live).max() > 0:
                    found = live * weights / weights.max()
            self._ranges[key] = found
        return found

    def _likelihood(self, opponent: HandStrategy, state: State, action: Action) -> NDArray[np.float64]:
        """How likely each of the opponent's hands takes an action: float64 ``[hand]``, 0 for one it never takes."""
        if state.finished:  # all-in already: nothing to decide
            return np.zeros(self._space.size)
        rows = opponent.rows(state)
        if action not in rows.actions:
            return np.zeros(self._space.size)
        dense = rows.dense(self._space.blocked(state.board))
        return np.asarray(dense[rows.actions.index(action)], np.float64)
