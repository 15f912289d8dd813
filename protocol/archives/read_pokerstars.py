"""Read hands in PokerStars' format: the text of one hand becomes a hand record, replayed to the chip.

Positions are the protocol's: 0 posts the small blind and the last one has the button; heads-up, 0 posts the big blind and 1
the small one. Antes that everybody posts count as a part of the blinds, as in our sit-and-goes, unless a raise is smaller than
that allows; other antes, straddles, dead blinds and new players' posts make a game with true antes. Amounts with a currency or
with cents are counted in cents.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain

from limpet.protocol.archives import hand_file
from limpet.protocol.archives.hand_file import BadHand, applied, casino_game, chosen_game, ended, odd_chips, whole_chips
from limpet.protocol.archives.pokerstars_grammar import Chair, HandText, Move, Payout, casino_posts, read_text
from limpet.protocol.archives.write_pokerstars import hand_number, recorded_time
from limpet.protocol.gamedef import NO_STACK_LIMIT, GameDef
from limpet.protocol.handhistory import is_casino, street_base, uncalled
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.settlement import values_text
from limpet.protocol.state import Action, State, raise_to

_uncalled = lru_cache(1 << 16)(uncalled)


def read_hand(text: str, game: GameDef | None = None) -> tuple[HandRecord, str, float | None]:
    """Return the hand of a text, the name of its table, and its time in seconds since 1970. Raises `BadHand`.

    `game` is taken as the hand's definition where it has the same betting, players and blinds, and either the same stacks
    or none; text written from a log of such a game then reads back as it was.
    """
    facts = read_text(text)
    hand = _record(facts, game)
    return hand, facts.table, recorded_time(hand.hand, facts.number, facts.time)


def _record(facts: HandText, game: GameDef | None) -> HandRecord:
    """Return the hand in a game of the ACPC's where that can hold it, else in one with true antes. Raises `BadHand`."""
    if game is None or not is_casino(game):
        with suppress(BadHand):
            return _Replay(facts, game).record()
    return _Replay(facts, game, is_exact=True).record()


def net_chips(
    state: State, holes: Sequence[Hole], names: Sequence[str], payout: Payout, unit: int, runs: Sequence[Hole] = ()
) -> tuple[float, ...]:
    """Return the net chips per position from what a text says was collected. An amount of 1 has `unit` chips.

    Raises `BadHand` where that contradicts the betting and the cards by more than the rake and the odd chips of split pots.

    runs: boards of further runs, see `HandRecord`.
    """
    most, back = _uncalled(state.spent)
    if whole_chips(payout.uncalled, unit) != back or (back and names[most] != payout.uncalled_to):
        to = payout.uncalled_to or "nobody"
        raise BadHand(f"{payout.uncalled:g} is returned to {to}, but {back} was not called")
    assert payout.total is not None
    total, rake = payout.total * unit, payout.rake * unit
    called = state.pot - back
    if abs(total - called) > 1e-6:
        raise BadHand(f"the total pot is {payout.total:g}, but {called} chips were called")
    collected = [0.0] * len(names)
    for name, chips in payout.collected.items():
        if name not in names:
            raise BadHand("a player collects chips who was not dealt in")
        collected[names.index(name)] = chips * unit
    if abs(sum(collected) + rake - total) > 0.01:
        raise BadHand(f"{sum(collected):g} and a rake of {rake:g} were collected from a pot of {total:g}")
    values = [got - spent for got, spent in zip(collected, state.paid, strict=True)]
    values[most] += back
    if not all(map(float.is_integer, values)):
        values = [float(round(value)) if abs(value - round(value)) < 1e-6 else value for value in values]
    net = tuple(values)
    # Without a showdown, the only player left collects all that there is.
    if state.showdown or any(chips and state.has_folded(position) for position, chips in enumerate(collected)):
        right = hand_file.right_values(state, holes, runs)
        # Sites split pots in cents, which are chips here.
        if right is not None and right != net and not hand_file.are_paid(net, right, odd_chips(state, runs), rake):
            raise BadHand(
                f"the payoffs {values_text(net)} contradict the betting and cards, which pay {values_text(right)}"
            )
    return net


class _Replay:
    """Applies the rules to a hand's text."""

    def __init__(self, hand: HandText, game: GameDef | None, is_exact: bool = False) -> None:
        """Prepare a hand. With `is_exact` its antes are true ones, and its smallest bet is the text's big blind."""
        self.hand = hand
        self.unit = 100 if hand.money else 1
        self.chips = partial(whole_chips, unit=self.unit)
        seats = self._seats()
        self.names = tuple(seat.name for seat in seats)
        if len(set(self.names)) != len(self.names):
            raise BadHand("two players have the same name")
        self.stack = tuple(self.chips(seat.stack) for seat in seats)
        low, high = hand.stakes
        self.big = self.chips(low if hand.limit else high)
        """The big blind of the stakes, which a short stack may not have posted whole."""
        self.is_short = False
        """Whether no blind is as large as the stakes say, so that a casino asks for more than the largest."""
        self.ante: tuple[int, ...] = (0,) * len(self.names)
        """Chips of each blind that are an ante; none where antes are true."""
        if is_exact:
            self.game = self._exact_definition(game)
        else:
            self.ante, self.blind = self._blinds()
            self.game = self._definition(game)

    def _seats(self) -> list[Chair]:
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
        """Return the antes and the blinds of each position. Raises `BadHand` for posts that only true antes can say."""
        players = len(self.names)
        blind_positions = {"small blind": 0 if players > 2 else 1, "big blind": 1 if players > 2 else 0}
        ante, blind = [0] * players, [0] * players
        for post in self.hand.posts:
            position = self.names.index(post.name)
            if post.kind == "ante":
                ante[position] += self.chips(post.chips)
            elif blind_positions.get(post.kind) == position and not blind[position]:
                blind[position] = self.chips(post.chips)
            else:
                raise BadHand("a post is neither an ante nor the position's blind")
        lacking = any(not blind[at] and ante[at] < self.stack[at] for at in blind_positions.values())
        if lacking or hand_file.without_ante(ante, self.stack) is not None:
            raise BadHand("a blind or an ante is not posted")
        at = blind_positions["big blind"]
        if blind[at] < self.big and ante[at] + blind[at] == self.stack[at]:
            raise BadHand("the big blind is short, and the hand still counts by the whole one")
        return tuple(ante), tuple(blind)

    def _definition(self, named_game: GameDef | None) -> GameDef:
        hand = self.hand
        blind = tuple(ante + post for ante, post in zip(self.ante, self.blind, strict=True))
        if any(post > stack for post, stack in zip(blind, self.stack, strict=True)) or blind == self.stack:
            raise BadHand("the blinds leave nobody a decision")
        low, high = map(self.chips, hand.stakes)
        game = hand_file.known_holdem(
            self.stack, blind, (low, low, high, high) if hand.limit else (), ante=max(self.ante)
        )
        return chosen_game(game, named_game, self.stack, (NO_STACK_LIMIT,) * len(blind))

    def _exact_definition(self, named_game: GameDef | None) -> GameDef:
        hand = self.hand
        low, high = map(self.chips, hand.stakes)
        dead, live = casino_posts(hand.posts, self.names, self.chips, self.big)
        self.is_short = max(map(abs, live)) < self.big
        if len(live) == 2 and not live[1] and dead[1] < self.stack[1]:
            raise BadHand("nobody posts the small blind")
        game = casino_game(self.stack, dead, live, (low, low, high, high) if hand.limit else (), self.big)
        return chosen_game(game, named_game, game.stack)

    def record(self) -> HandRecord:
        hand = self.hand
        state = State.start(self.game)
        for move in hand.moves:
            try:
                state = self._apply(state, move)
            except BadHand as error:
                is_price = move.kind in "cr" and state.actor >= 0 and move.name == self.names[state.actor]
                if not (self.is_short and is_price and state.round == 0):
                    raise
                reason = f"the big blind is short, and {self.big} is to call all the same, which no game here can say"
                raise BadHand(reason, error.line) from error
        holes = tuple(hand.holes.get(name, ()) for name in self.names)
        board, *runs = hand.boards
        state = ended(state, board, chain.from_iterable(holes), runs)
        values = net_chips(state, holes, self.names, hand, self.unit, runs)
        if hand.number >= 2**63:
            raise BadHand(f"the hand's number {hand.number} is too large")
        return HandRecord(hand_number(hand.number, hand.table), state, holes, values, self.names, runs=tuple(runs))

    def _apply(self, state: State, move: Move) -> State:
        if state.finished or move.round != state.round:
            raise BadHand(f"{move.name} acts after the street or the hand is over: '{state.betting}'", move.line)
        actor = state.actor
        if move.name != self.names[actor]:
            raise BadHand(f"{move.name} acts, but it is {self.names[actor]}'s turn", move.line)
        base = street_base(state, self.ante[actor])
        action = Action(move.kind)
        if move.kind == "r" and self.game.no_limit:
            action = raise_to(base + self.chips(move.to))
        after = applied(state, action, move.line)
        paid = after.spent[actor] - state.spent[actor]
        level = after.spent[actor] - state.max_spent if move.kind == "r" else paid
        if move.kind != "f" and self.chips(move.chips) != level:
            raise BadHand(f"{move.name} puts in {move.chips:g}, but {level} would be right", move.line)
        if move.kind == "r" and self.chips(move.to) != after.spent[actor] - base:
            raise BadHand(f"{move.name} raises to {move.to:g}, not to {after.spent[actor] - base}", move.line)
        return after
