"""Read hands in PokerStars' format: the text of one hand becomes a hand record, replayed to the chip.

Positions are the protocol's: 0 posts the small blind and the last one has the button; heads-up, 0 posts the big blind and 1
the small one. Antes count as a part of the blinds, as in our sit-and-goes. Amounts with a currency or with cents are counted
in cents.
"""

from functools import lru_cache

from limpet.protocol.archives.betting import asked_for_nothing, street_base
from limpet.protocol.archives.payoffs import odd_chips, right_values
from limpet.protocol.archives.pokerstars_grammar import HandText, Move, Seat, read_text
from limpet.protocol.archives.skipped import BadHand, SmallRaise
from limpet.protocol.archives.write_pokerstars import hand_number, told_time
from limpet.protocol.errors import IllegalAction
from limpet.protocol.gamedef import NO_STACK_LIMIT, GameDef
from limpet.protocol.handhistory import uncalled
from limpet.protocol.holdem import holdem
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, raise_to

KNOWN_GAMES = 1 << 12
"""Number of definitions that are remembered, so that hands with equal stacks and blinds share one."""
_game = lru_cache(KNOWN_GAMES)(holdem)


def read_hand(text: str, game: GameDef | None = None) -> tuple[HandRecord, str, float | None]:
    """Return the hand of a text, the name of its table, and its time in seconds since 1970. Raises `BadHand`.

    `game` is taken as the hand's definition where it has the same betting, players and blinds, and either the same stacks
    or none; text written from a log of such a game then reads back as it was.
    """
    told = read_text(text)
    hand = _Replay(told, game).record()
    return hand, told.table, told_time(hand.hand, told.number, told.time)


class _Replay:
    """Applies the rules to a hand's text."""

    def __init__(self, hand: HandText, game: GameDef | None) -> None:
        self.hand = hand
        self.unit = 100 if hand.money else 1
        seats = self._seats()
        self.names = tuple(seat.name for seat in seats)
        if len(set(self.names)) != len(self.names):
            raise BadHand("two players have the same name")
        self.stack = tuple(self.chips(seat.stack) for seat in seats)
        self.ante, self.blind = self._blinds()
        self.game = self._definition(game)

    def chips(self, amount: float) -> int:
        chips = round(amount * self.unit)
        if abs(chips - amount * self.unit) > 1e-6:
            raise BadHand(f"{amount} is no whole number of chips")
        return chips

    def _seats(self) -> list[Seat]:
        """Return the chairs that were dealt in, in the order of the positions."""
        hand = self.hand
        active = {post.name for post in hand.posts} | {move.name for move in hand.moves}
        seats = sorted(seat for seat in hand.seats if not seat.out or seat.name in active)
        if not 2 <= len(seats) <= 10:
            raise BadHand(f"{len(seats)} players are dealt in; 2 to 10 can play")
        behind = [seat for seat in seats if seat.number > hand.button]
        seats = behind + seats[: len(seats) - len(behind)]
        if len(seats) == 2 and seats[-1].number != hand.button:
            raise BadHand("the button is at an empty seat, and two players are dealt in")
        return seats

    def _blinds(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the antes and the blinds of each position."""
        players = len(self.names)
        places = {"small blind": 0 if players > 2 else 1, "big blind": 1 if players > 2 else 0}
        ante, blind = [0] * players, [0] * players
        for post in self.hand.posts:
            position = self.names.index(post.name)
            if post.kind == "ante":
                ante[position] += self.chips(post.chips)
            elif places.get(post.kind) == position and not blind[position]:
                blind[position] = self.chips(post.chips)
            else:
                raise BadHand(f"{post.name} posts {post.kind} {post.chips:g}, which is not its blind (a dead one?)")
        for kind, position in places.items():
            if not blind[position] and ante[position] < self.stack[position]:
                raise BadHand(f"nobody posts the {kind}")
        if any(chips < max(ante) and chips < stack for chips, stack in zip(ante, self.stack, strict=True)):
            raise BadHand("not every player posts the ante")
        return tuple(ante), tuple(blind)

    def _definition(self, given: GameDef | None) -> GameDef:
        hand = self.hand
        blind = tuple(ante + post for ante, post in zip(self.ante, self.blind, strict=True))
        if any(post > stack for post, stack in zip(blind, self.stack, strict=True)) or blind == self.stack:
            raise BadHand("the blinds leave nobody a decision")
        low, high = map(self.chips, hand.stakes)
        sizes = (low, low, high, high) if hand.limit else ()
        game = _game(self.stack, blind, sizes)
        rules = (game.betting, game.blind, game.raise_size)
        if given is None or (given.betting, given.blind, given.raise_size) != rules:
            return game
        return given if given.stack in (self.stack, (NO_STACK_LIMIT,) * len(blind)) else game

    def record(self) -> HandRecord:
        hand = self.hand
        state = State.start(self.game)
        for move in hand.moves:
            state = self._apply(state, move)
        state = asked_for_nothing(state)
        if not state.finished:
            raise BadHand(f"the hand is not over after '{state.betting}'")
        if len(hand.board) != self.game.board_sizes[state.round]:
            raise BadHand(f"{len(hand.board)} cards are on the board after '{state.betting}'")
        state = state.with_board(hand.board)
        holes = tuple(hand.holes.get(name, ()) for name in self.names)
        cards = [card for hole in holes for card in hole] + list(state.board)
        if len(set(cards)) != len(cards):
            raise BadHand("a card appears twice")
        values = self._values(state, holes)
        if hand.number >= 2**63:
            raise BadHand(f"the hand's number {hand.number} is too large")
        return HandRecord(hand_number(hand.number, hand.table), state, holes, values, self.names)

    def _apply(self, state: State, move: Move) -> State:
        if state.finished or move.round != state.round:
            raise BadHand(f"{move.name} acts after the street or the hand is over: '{state.betting}'", move.line)
        position, actor = self.names.index(move.name) if move.name in self.names else -1, state.actor
        if position != actor:
            raise BadHand(f"{move.name} acts, but it is {self.names[actor]}'s turn", move.line)
        base = street_base(state, self.ante[actor])
        action = self._action(state, move, base)
        try:
            after = state.apply(action)
        except IllegalAction as error:
            # A casino allows a raise that is smaller than the protocol's smallest by no more than an ante.
            if action.kind == "r" and 0 < state.min_raise_to - action.size <= max(self.ante):
                least = f"antes count as blinds here, and the smallest raise is to {state.min_raise_to}"
                raise SmallRaise(f"{move.name} raises to {action.size} in all; {least}", move.line) from error
            raise BadHand(str(error), move.line) from error
        paid = after.spent[actor] - state.spent[actor]
        level = after.spent[actor] - state.max_spent if move.kind == "r" else paid
        if move.kind != "f" and self.chips(move.chips) != level:
            raise BadHand(f"{move.name} puts in {move.chips:g}, but {level} would be right", move.line)
        if move.kind == "r" and self.chips(move.to) != after.spent[actor] - base:
            raise BadHand(f"{move.name} raises to {move.to:g}, not to {after.spent[actor] - base}", move.line)
        return after

    def _action(self, state: State, move: Move, base: int) -> Action:
        if move.kind == "f":
            return FOLD
        if move.kind == "c":
            return CALL
        return raise_to(base + self.chips(move.to)) if self.game.no_limit else RAISE

    def _values(self, state: State, holes: tuple[Hole, ...]) -> tuple[float, ...]:
        """Return the net chips per position from what the text says was collected, checked against betting and cards."""
        hand = self.hand
        most, back = uncalled(state.spent)
        returned = self.chips(hand.uncalled)
        if returned != back or (back and self.names[most] != hand.uncalled_to):
            raise BadHand(f"{hand.uncalled:g} is returned to {hand.uncalled_to or 'nobody'}, but {back} was not called")
        assert hand.total is not None
        total, rake = hand.total * self.unit, hand.rake * self.unit
        if abs(total - (state.pot - back)) > 1e-6:
            raise BadHand(f"the total pot is {hand.total:g}, but {state.pot - back} chips were called")
        if any(name not in self.names for name in hand.collected):
            raise BadHand("a player collects chips who was not dealt in")
        collected = [hand.collected.get(name, 0) * self.unit for name in self.names]
        if abs(sum(collected) + rake - total) > 0.01:
            raise BadHand(f"{sum(collected):g} and a rake of {rake:g} were collected from a pot of {total:g}")
        values = [got - spent for got, spent in zip(collected, state.spent, strict=True)]
        values[most] += back
        whole = tuple(float(round(value)) if abs(value - round(value)) < 1e-6 else value for value in values)
        right, spare = right_values(state, holes), rake + odd_chips(state) * self.unit
        if right and any(abs(value - other) > spare for value, other in zip(whole, right, strict=True)):
            raise BadHand(f"the payoffs {whole} contradict the betting and cards, which pay {right}")
        return whole
