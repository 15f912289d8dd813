"""Local best response (Lisý & Bowling 2017): a player who knows the opponent's strategy, though not the cards.

It keeps the opponent's exact range by Bayes' rule and takes the action that would be best if nobody bet again afterwards.
Its winnings are a lower bound of the opponent's exploitability. A loss says nothing.
"""

from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.botconfig import bot_beside
from limpet.strategies.base.records import silenced
from limpet.strategies.base.strategy import HandKey, HandStrategy, RaiseSize, Rows, Strategy, same_for_all, sized_raises
from limpet.strategies.cards.equity import range_equity
from limpet.strategies.cards.handspace import game_hands, require_all_cards, require_no_antes
from limpet.strategies.opponents.opponent_model import FollowedRange, best_rows, exact_likelihood

Vector = NDArray[np.float64]
Equities = Callable[[tuple[int, ...], Vector], Vector]
"""Returns P(win) + P(tie) / 2 of every hand against some ranges, ``[range, hand]``, on a board.

`range_equity` takes 25 ms for each range on a flop of hold'em.
"""

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

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if game.num_players != 2:
            raise ValueError(f"a local best response has one opponent; this game has {game.num_players} players")
        require_all_cards(game)
        require_no_antes(game)
        if game.num_draws:
            raise ValueError(
                "a local best response follows ranges over boards; it cannot play a game with draws; choose another opponent"
            )
        sizes = options.sizes
        self.sizes: tuple[RaiseSize, ...] = _NAMED[sizes] if isinstance(sizes, str) else (*sizes, "max")
        self.first_round = STREETS.index(options.start)
        self.bot = bot_beside(options.opponent, game, folder)
        self.opponent = silenced(self.bot.build())

    @property
    def learns(self) -> bool:
        return self.opponent.learns

    def for_match(self) -> "LocalBestResponse":
        player = copy(self)
        player.opponent = self.opponent.for_match()
        return player

    def observe(self, hand: MatchState) -> None:
        """Tell the opponent's strategy, so that it is known as it is now."""
        self.opponent.observe(hand._replace(position=1 - hand.position))

    def start_hand(self, key: HandKey) -> "LocalBestResponseHand":
        other = HandKey(self.bot.config.seed, key.hand, 1 - key.position)
        return LocalBestResponseHand(self, key.position, self.opponent.start_hand(other))

    def checksums(self) -> tuple[str, ...]:
        return (self.bot.fingerprint(self.opponent),)

    def describe(self) -> dict[str, str]:
        return {"opponent": str(self.bot.path)}

    def warm_up(self) -> None:
        self.opponent.warm_up()
        for size in self.game.board_sizes:
            range_equity(self.game, self.game.deck[:size], np.ones(game_hands(self.game).size))


class LocalBestResponseHand(HandStrategy):
    """Answers for one hand. The opponent's range is kept for every state asked about."""

    def __init__(
        self, player: LocalBestResponse, position: int, opponent: HandStrategy, equities: Equities | None = None
    ) -> None:
        """opponent: answers of the strategy in the other position for the same hand; equities: None for `range_equity`."""
        self._player = player
        self._space = game_hands(player.game)
        self._equities = equities or (
            lambda board, weights: np.array([range_equity(player.game, board, row) for row in weights])
        )
        self.opponents_range = FollowedRange(1 - position, opponent, exact_likelihood)

    def fork(self) -> "LocalBestResponseHand":
        other = copy(self)
        other.opponents_range = self.opponents_range.fork(self.opponents_range.hand.fork())
        return other

    def slow(self, state: State) -> bool:
        """Return whether best responses are played: equities take milliseconds, and the opponent's strategy may search."""
        return state.round >= self._player.first_round

    def rows(self, state: State) -> Rows:
        if state.round < self._player.first_round:
            return same_for_all({CALL: 1.0}, game_hands(state.game).size)
        actions, values = self.values(state)
        return Rows(actions, best_rows(values))

    def values(self, state: State) -> tuple[tuple[Action, ...], Vector]:
        """Return the actions and each one's value to each hand, float64 ``[action, hand]``, in chips more than folding.

        The actions are to fold where that is legal, to call, and the player's raises. Nobody bets again after them: U of
        Lisý & Bowling 2017, Algorithm 1.
        """
        weights = self.opponents_range.at(state)
        pot, to_call = state.pot, state.to_call
        raises = sized_raises(state, self._player.sizes)
        after = [state.apply(action) for action in raises]
        folds = np.array([self._folds(raised) for raised in after]).reshape(len(after), self._space.size)
        checked, *called = self._equities(state.board, np.vstack([weights, weights * (1 - folds)]))
        values = [np.zeros(self._space.size)] if state.can_fold else []
        values.append(checked * pot - (1 - checked) * to_call)
        total = self._space.compatible(weights)
        for raised, folding, wins in zip(after, folds, called, strict=True):
            more = raised.max_spent - state.max_spent
            folded = self._space.compatible(weights * folding)
            fold = np.divide(folded, total, out=np.zeros(len(total)), where=total > 0)
            values.append(fold * pot + (1 - fold) * (wins * (pot + more) - (1 - wins) * (to_call + more)))
        return ((FOLD,) if state.can_fold else ()) + (CALL, *raises), np.array(values)

    def _folds(self, state: State) -> Vector:
        """Return float64 ``[hand]``: the probability that each of the opponent's hands folds in `state`."""
        if state.finished:  # both players are all-in
            return np.zeros(self._space.size)
        rows = self.opponents_range.hand.fork().rows(state)  # the raise before it may never be made
        return exact_likelihood(rows, state, FOLD)
