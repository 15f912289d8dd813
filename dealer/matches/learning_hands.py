"""Hands as learners play them: numbered actions with a mask, observations as numbers, winnings in big blinds.

Cards, seats and payoffs are those of a match with the same seed.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.dealer.table.deals import Deal, Deals
from limpet.dealer.table.score import position_of, seat_of
from limpet.protocol.draws import Hands
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, discard
from limpet.strategies.base.strategy import RaiseSize, raise_within

Numbers = NDArray[np.float32]
RAISES: tuple[RaiseSize, ...] = (0.5, 1.0, "max")
"""Raises of a no-limit game that learners choose from by default: half the pot, the pot, all-in."""
DEALS_AHEAD = 100
"""Number of hands that are dealt at once."""


class LearningHands:
    """Hands of a match one after another, of which each is played by numbers of actions.

    Action 0 folds and 1 checks or calls; 2 and on raise, in a limit game by its one size. In a game with draws the numbers
    behind them throw cards away, one number for each set of places of the sorted hand; the first of these stands pat.

    An observation, float32 from 0 to 1, has these parts one after another, with D cards, P positions and R rounds:

    - ``[D]`` own cards and ``[D]`` the board: 1 for each card, by rank and then by suit
    - ``[P]`` own position, ``[P]`` the actor's: 1 there, and 0 everywhere for the actor of a hand that is over
    - ``[P]`` who has folded
    - ``[R]`` the round: 1 there
    - ``[R, P]`` chips that each position had put in when a round ended, or has now; 0 for later rounds
    - chips to call

    and in a game with draws:

    - ``[D]`` cards that the position has thrown away
    - ``[R, P]`` cards that each position has drawn before a round's betting, as parts of the most that it may draw
    - 1 while cards are drawn

    Chips are parts of the most that a player can lose.

    Attributes:
        state: the hand in play, or just played.
        hand: its number.
        cards: everybody's private cards, as the dealer knows them.
        held: private cards by position now.
        winnings: net big blinds per position; zeros until the hand is over.
    """

    def __init__(self, game: GameDef | str, raises: Sequence[RaiseSize] = RAISES) -> None:
        """Take a game, or one that ships, by name, or of a ``.game`` file. Raises ValueError for raises that are no sizes."""
        self.game = game = load_game(game) if isinstance(game, str) else game
        self.raises = tuple(raises) if game.no_limit else ()
        for size in self.raises:
            if size not in ("min", "max") and not (isinstance(size, int | float) and 0 < size < math.inf):
                raise ValueError(f"a raise of {size!r}: give pot fractions above 0, 'min' or 'max'")
        sets = range(1 << game.num_hole_cards) if game.num_draws else ()
        self._discards = [
            [place for place in range(game.num_hole_cards) if places >> place & 1]
            for places in sets
            if places.bit_count() <= game.max_discard
        ]
        self._first_discard = 2 + (len(self.raises) if game.no_limit else 1)
        self.num_actions = self._first_discard + len(self._discards)
        players, rounds = game.num_players, game.num_rounds
        self._index = {card: number for number, card in enumerate(sorted(game.deck))}
        most = max(game.stack)
        if not game.no_limit:
            most = min(
                most, max(game.blind) + sum(a * b for a, b in zip(game.max_raises, game.raise_size, strict=True))
            )
        self._unit = 1 / most
        cards = len(self._index)
        self._board, self._own = cards, 2 * cards
        self._actor, self._folded = self._own + players, self._own + 2 * players
        self._round = self._folded + players
        self._chips = self._round + rounds
        self._call = self._chips + rounds * players
        self._thrown = self._call + 1
        self._drawn = self._thrown + cards
        self.size = self._drawn + rounds * players + 1 if game.num_draws else self._thrown
        self.state = self._start = State.start(game)
        self._folds = [np.array([mask >> p & 1 for p in range(players)], np.float32) for mask in range(1 << players)]
        self._actions: list[Action | None] | None = None
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Begin the match of a seed: `deal` then deals its hand 0."""
        self._deals = Deals(self.game, seed)
        self._ahead: list[Deal] = []
        """Deals of the next hands, the next one last."""
        self.hand = -1

    def deal(self) -> None:
        """Deal the next hand."""
        self.hand += 1
        self._ahead = self._ahead or self._more_deals()
        self.deal_of_hand = self._ahead.pop()
        self.winnings: tuple[float, ...] = (0.0,) * self.game.num_players
        self._seen = np.zeros(self.size, np.float32)
        """The board, the chips of rounds that are over, and the numbers of drawn cards, in the layout of an observation."""
        self.cards = Hands(self.deal_of_hand.holes, self.deal_of_hand.stub)
        self.held = self.deal_of_hand.holes
        self._discarded: list[list[int]] = [[] for _ in range(self.game.num_players)]
        self._begin_round(self._start, 0)

    def _more_deals(self) -> list[Deal]:
        """Return the next deals in reverse order, many at once where nobody draws cards, because that is quicker."""
        if self.game.num_draws:
            return [next(self._deals)]
        taken = zip(*[cards.tolist() for cards in self._deals.take(DEALS_AHEAD)], strict=True)
        return [Deal(tuple(map(tuple, holes)), tuple(board)) for holes, board in taken][::-1]

    def position(self, seat: int) -> int:
        """Return the position of a seat in this hand; positions move on each hand, as in a match."""
        return position_of(seat, self.hand, self.game.num_players)

    def seat(self, position: int) -> int:
        """Return the seat at a position of this hand."""
        return seat_of(position, self.hand, self.game.num_players)

    @property
    def actions(self) -> list[Action | None]:
        """The action of each number now; None for what is illegal, and for a raise equal to a smaller number's."""
        if self._actions is None:
            self._actions = self._listed()
        return self._actions

    def mask(self, position: int) -> NDArray[np.int8]:
        """Return int8 ``[action]``: 1 where a position has an action, nowhere if it is not its turn."""
        if self.state.actor != position:
            return np.zeros(self.num_actions, np.int8)
        return np.array([action is not None for action in self.actions], np.int8)

    def act(self, number: int) -> None:
        """Take an action by its number; one that is masked checks, calls or stands pat, as for an illegal one at the dealer.

        Raises ValueError for a number outside the space of actions.
        """
        if not 0 <= number < self.num_actions:
            raise ValueError(f"action {number}: the numbers are 0 to {self.num_actions - 1}")
        self.apply(self.actions[number] or self.state.fixed(CALL))

    def apply(self, action: Action) -> None:
        """Take any action, a draw with its discards. Raises `IllegalAction`."""
        before, after = self.state, self.state.apply(action)
        if before.phase is DRAW:
            actor, round_ = before.actor, before.round
            self.cards = self.cards.after(before, action)
            self.held = self.cards.now
            self._discarded[actor] += [self._index[card] for card in action.cards]
            self._seen[self._drawn + round_ * self.game.num_players + actor] = action.size / self.game.max_discard
        if after.round > before.round:
            self._begin_round(after, before.round)
        else:
            self.state = after
            self._actions = None
        if after.actor < 0:
            blind = self.game.big_blind
            self.winnings = tuple([chips / blind for chips in settle(self.state, self.held)])

    def observation(self, position: int) -> Numbers:
        """Return what a position sees; see the class."""
        state, seen = self.state, self._seen.copy()
        for card in self.held[position]:
            seen[self._index[card]] = 1
        seen[self._own + position] = 1
        if state.actor >= 0:
            seen[self._actor + state.actor] = 1
        seen[self._folded : self._round] = self._folds[state.folded]
        seen[self._round + state.round] = 1
        self._put_chips(seen, state.round, state)
        seen[self._call] = max(state.to_call, 0) * self._unit
        if self._discards:
            seen[[self._thrown + card for card in self._discarded[position]]] = 1
            seen[-1] = state.phase is DRAW
        return seen

    def _put_chips(self, seen: Numbers, round_: int, state: State) -> None:
        """Write what all have put in into a round's part of an observation."""
        at = self._chips + round_ * self.game.num_players
        seen[at : at + self.game.num_players] = [chips * self._unit for chips in state.spent]

    def _begin_round(self, state: State, before: int) -> None:
        """Deal the board of a state after round `before`, and enter what was put in up to it."""
        self.state = state.with_board(self.deal_of_hand.board)
        self._actions = None
        for card in self.state.board:
            self._seen[self._board + self._index[card]] = 1
        for over in range(before, state.round):
            self._put_chips(self._seen, over, state)

    def _listed(self) -> list[Action | None]:
        state = self.state
        if state.finished:
            return [None] * self.num_actions
        if state.phase is DRAW:
            hand = sorted(self.held[state.actor])
            thrown = [discard(tuple([hand[place] for place in places])) for places in self._discards]
            return [None] * self._first_discard + thrown
        raises: list[Action | None] = [None] * (self._first_discard - 2)
        if (bounds := state.raise_bounds()) is not None:
            made = [raise_within(state, size, bounds) for size in self.raises] if self.game.no_limit else [RAISE]
            raises = [None if action in made[:number] else action for number, action in enumerate(made)]
        return [FOLD if state.can_fold else None, CALL, *raises, *[None] * len(self._discards)]
