"""Whole hands of heads-up hold'em by full ranges, along some lines of betting, and what samples of them measure.

Within a street all betting that both really play is summed up. What ends there counts exactly. Lines that go on to another
street are drawn in proportion to the chips in their pots, and each gets one deal of the next cards. What a line is worth if
it is checked down is known beforehand, and counted for all of them; a line that was drawn adds what play wins beyond that,
divided by how often it is drawn. So the mean is the true one, and neither hole cards nor all-ins nor chances are luck.
"""

from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import Literal, NamedTuple, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.menu import stack_to_pot
from limpet.strategies.base.sampling import uniform
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.measures.full_ranges import RARE, chances_ahead, equities, reach_after
from limpet.strategies.players.lbr import Equities, LocalBestResponse, LocalBestResponseHand
from limpet.strategies.players.resolve import Resolve

FAINT = 0.02
"""Lines with a smaller share of their street's pots than this are drawn in proportion, too."""
PAIRS = 1326 * 1225
"""Number of pairs of hands that share no card."""
HOLE_CARDS = 4
POTS = ("limped", "raised", "3-bet", "4-bet")
"""Kinds of pots by raises before the flop; the last has more, too."""
DEPTHS = ((40.0, "over 40"), (13.0, "13 to 40"), (4.0, "4 to 13"), (1.0, "1 to 4"), (0.0, "under 1"))
"""Kinds of depth, in pots behind, from the least of each."""
OVER = "over"
"""Depth of a hand that ended before the street at whose beginning depth is measured."""

Vector = NDArray[np.float64]
Reach = NDArray[np.float64]


class BettingLine(NamedTuple):
    """A line of betting, and who may be there.

    Attributes:
        state: the state that it leads to.
        players: answers of both positions.
        reach: float64 ``[2, 1326]``: probability that a position with each hand plays the line; 0 for hands that the board
            blocks.
        weight: number of lines that it stands for.
        kind: see `Kind`.
    """

    state: State
    players: tuple[HandStrategy, HandStrategy]
    reach: Reach
    weight: float
    kind: "Kind"

    @property
    def pot(self) -> float:
        """Return the big blinds in the pot, times the probability of the line and the weight."""
        pairs = float(hand_space().compatible(self.reach[0]) @ self.reach[1])
        return self.weight * pairs * self.state.pot / (PAIRS * self.state.game.big_blind)


class Kind(NamedTuple):
    """A kind of spot: one of `POTS`, and one of `DEPTHS` or `OVER`."""

    pot: str
    depth: str


def first_line(start: State, players: tuple[HandStrategy, HandStrategy], reach: Reach | None = None) -> BettingLine:
    """Return the line with which a sample begins that stands for all pairs of hands there, see `LinePlay.play`."""
    held = np.ones((2, 1326)) if reach is None else reach
    weight = PAIRS / float(hand_space().compatible(held[0]) @ held[1])
    return BettingLine(start, players, held, weight, Kind(POTS[0], OVER))


def depth_index(state: State) -> int:
    """Return the index of the kind of depth (`DEPTHS`) that a state has."""
    behind = max(0.0, stack_to_pot(state))  # a larger stack may have raised by more than the other has
    return next(index for index, (least, _) in enumerate(DEPTHS) if behind >= least)


class LinePlay:
    """One sample of what a position wins, fixed by its key."""

    def __init__(self, key: HandKey, follow: Sequence[float], first_round: int = 0) -> None:
        """Prepare a sample for the position of `key`, whose seed and hand fix what is drawn.

        follow: one line is drawn for so many big blinds in the pots that come to flop, turn and river. first_round: the round at
        whose beginning the depth of a spot is measured; that of the flop where it is the first.
        """
        self._position, self._draws = key.position, key._replace(position=0)  # both positions draw alike
        self._follow = follow
        self._depth_round = max(1, first_round)
        self.won: dict[Kind, float] = {}
        """Big blinds, by kind."""
        self.street_wins = [0.0] * 4
        """Big blinds that play on each round wins beyond checking down from its beginning; those of the first, all of them."""
        self.street_shares = [0.0] * 4
        """Share of hands that come to each round."""

    def play(self, start: State, players: tuple[HandStrategy, HandStrategy], reach: Reach | None = None) -> float:
        """Return the big blinds that the position wins from the beginning of a street on, in the mean over pairs of hands.

        reach: float64 ``[2, 1326]``: probability of the way there for each hand of both; by default everybody is there.
        """
        self._street(first_line(start, players, reach))
        return sum(self.won.values())

    def _street(self, root: BettingLine) -> None:
        """Add what the position wins from the beginning of a street on, beyond checking down from there."""
        ends: list[BettingLine] = []
        self._bet(root, root.pot * FAINT, ends)
        for line, chips in zip(ends, self._checked_down(ends), strict=True):
            self._add(line, chips, root.state.round)
        for _, line in self._drawn(root, ends):
            (chips,) = self._checked_down([line])
            self._add(line, -chips, line.state.round)
            self._street(line)

    def _bet(self, line: BettingLine, faint: float, ends: list[BettingLine]) -> None:
        """Append the lines with which a street's betting ends. Those of pots below `faint` are drawn."""
        state = line.state
        if self._is_over(state):
            ends.append(self._named(line))
            return
        rows = line.players[state.actor].rows(state)
        dense = rows.dense(hand_space().blocked(state.board))
        for _, _, after in self._after(line, rows.actions, dense, faint):
            self._bet(after, faint, ends)

    def _after(
        self, line: BettingLine, actions: Sequence[Action], taken: NDArray[np.floating], faint: float
    ) -> Iterator[tuple[int, float, BettingLine]]:
        """Yield the index of each action that is followed, the chance with which its line was drawn, and that line.

        taken: ``[action, 1326]``: the probability with which the actor takes each action with each hand.
        """
        actor = line.state.actor
        for index, (action, row) in enumerate(zip(actions, taken, strict=True)):
            reach = reach_after(line.reach, actor, row)
            if reach[actor].max() <= RARE:
                continue
            first, second = line.players
            after = line._replace(state=line.state.apply(action), players=(first.fork(), second.fork()), reach=reach)
            if (chance := self._chance(after, faint)) > 0:
                yield index, chance, after._replace(weight=after.weight / chance)

    def _is_over(self, state: State) -> bool:
        """Return whether a street's betting is over."""
        return state.finished or len(state.board) < state.game.board_sizes[state.round]

    def _chance(self, line: BettingLine, faint: float) -> float:
        """Return the probability with which a line was drawn: 1 where its pot is not below `faint`, 0 if it was not."""
        state, pot = line.state, line.pot
        chance = 1.0 if pot >= faint else pot / faint
        assert state.parent is not None
        is_drawn = chance == 1 or uniform(self._draws, state.parent.round, crc32(state.betting.encode())) < chance
        return chance if is_drawn else 0.0

    def _drawn(self, root: BettingLine, ends: Sequence[BettingLine]) -> Iterator[tuple[BettingLine, BettingLine]]:
        """Yield lines drawn from those that come to the next street, each with itself at the beginning of that street."""
        lines = [line for line in ends if not line.state.finished]
        if not lines:
            return
        pots = np.array([line.pot for line in lines])
        round_ = root.state.round + 1
        for line, pot in zip(lines, pots, strict=True):
            self.street_shares[round_] += float(pot) * root.state.game.big_blind / line.state.pot
        shares = np.minimum(pots / self._follow[round_ - 1], 1.0 if round_ == 1 else np.inf)  # a sample has one flop
        until = np.cumsum(shares) + uniform(self._draws, round_, crc32(root.state.betting.encode()))
        copies = np.diff(np.floor(until).astype(int), prepend=0)
        cards = self._cards(root.state, round_)
        for line, share, times in zip(lines, shares, copies, strict=True):
            for copy in range(times):
                yield line, self._dealt(line, cards[copy % len(cards)], 1 / float(share))

    def _cards(self, state: State, round_: int) -> list[tuple[int, ...]]:
        """Return deals of the next cards without a card in common: equal ones for all lines of the sample.

        Several deals of a street are for lines that are drawn more than once.
        """
        left = [card for card in state.game.deck if card not in state.board]
        # The last word of the counter: Philox counts up the first, so that streets a step apart would share numbers.
        key, counter = [self._draws.seed, self._draws.hand], [0, 0, 0, round_]
        random = np.random.Generator(np.random.Philox(key=key, counter=counter))
        mixed = [int(card) for card in random.permutation(left)]
        count = state.game.board_sizes[round_] - len(state.board)
        return [tuple(mixed[first : first + count]) for first in range(0, len(mixed) - count + 1, count)]

    def _dealt(self, line: BettingLine, cards: tuple[int, ...], weight: float) -> BettingLine:
        """Return a line with its next cards. It stands for `weight` lines, and for all deals that two hands leave."""
        state = line.state
        left = len(state.game.deck) - len(state.board)
        deals = comb(left, len(cards)) / comb(left - HOLE_CARDS, len(cards))
        dealt, reach = state.with_board((*state.board, *cards)), line.reach * ~hand_space().blocked(cards)
        return line._replace(state=dealt, reach=reach, weight=line.weight * weight * deals)

    def _checked_down(self, lines: Sequence[BettingLine]) -> Iterator[float]:
        """Yield the chips that the position has in each line's state if nobody bets again, summed over all pairs of hands."""
        for line, chips in zip(lines, self._checked_down_values(lines), strict=True):
            yield float(chips @ line.reach[self._position])

    def _checked_down_values(self, lines: Sequence[BettingLine]) -> Iterator[Vector]:
        """Yield the chips of each of the position's hands in each line's state if nobody bets again.

        float64 ``[1326]``, summed over the opponent's hands that share no card with it.
        """
        mine, other = self._position, 1 - self._position
        shown = [line for line in lines if not line.state.folded]
        ahead: dict[int, Vector] = {}
        for board in {line.state.board for line in shown}:
            board_lines = [line for line in shown if line.state.board == board]
            rows = chances_ahead(board, np.array([line.reach[other] for line in board_lines]))
            ahead.update({id(line): row for line, row in zip(board_lines, rows, strict=True)})
        for line in lines:
            state = line.state
            if state.folded:
                chips = state.spent[other] if state.has_folded(other) else -state.spent[mine]
                yield chips * hand_space().compatible(line.reach[other]) * ~hand_space().blocked(state.board)
            else:
                yield ahead[id(line)] * min(state.spent)

    def _add(self, line: BettingLine, chips: float, round_: int) -> None:
        blinds = line.weight * chips / (PAIRS * line.state.game.big_blind)
        self.won[line.kind] = self.won.get(line.kind, 0.0) + blinds
        self.street_wins[round_] += blinds

    def _named(self, line: BettingLine) -> BettingLine:
        """Return a line with its kind, which is known once the street that decides it is over."""
        state, kind = line.state, line.kind
        if line.kind.depth == OVER:
            before_flop = state.betting.partition("/")[0]
            kind = kind._replace(pot=POTS[min(before_flop.count("r"), len(POTS) - 1)])
            if not state.finished and state.round == self._depth_round:
                kind = kind._replace(depth=DEPTHS[depth_index(state)][1])
        return line._replace(kind=kind)


# --- Samples of what the local best response wins from a bot, and of what a bot wins that solves at the table.

Before = Literal["call", "bot"]
"""What a local best response does before its first street: checks and calls, or plays as the bot would in its place."""

LOOK_UP = (4.0, 6.0, 6.0)
"""Big blinds in the pots for which one line is followed to flop, turn and river, against a bot that looks up its rows."""
THINK = (4.0, 12.0, 8.0)
"""Big blinds as in `LOOK_UP`, against a bot that solves streets during the hand: fewer lines come to them."""


def follow_for(bot: Strategy) -> tuple[float, ...]:
    """Return the big blinds in the pots for which one line is followed to flop, turn and river, against a bot."""
    return THINK if isinstance(bot, Resolve) else LOOK_UP


StartHands = Callable[[HandKey], tuple[HandStrategy, HandStrategy]]
"""Starts a hand: answers of the position of a key, and of the other one."""


class LineSet(NamedTuple):
    """One set.

    Attributes:
        won: big blinds by position.
        kinds: big blinds by kind of spot, mean of both positions.
        come: share of hands that come to flop, turn and river, mean of both positions.
        streets: big blinds by street, see `LinePlay.street_wins`, mean of both positions.
    """

    won: tuple[float, float]
    kinds: dict[Kind, float]
    come: tuple[float, ...]
    streets: tuple[float, ...]


def both_positions(
    start_hands: StartHands, seed: int, number: int
) -> Iterator[tuple[HandKey, tuple[HandStrategy, HandStrategy]]]:
    """Yield the keys of a sample in both positions, each with the answers by position."""
    for position in (0, 1):
        key = HandKey(seed, number, position)
        mine, other = start_hands(key)
        yield key, (mine, other) if position == 0 else (other, mine)


def line_set(start_hands: StartHands, strategy: Strategy, seed: int, number: int, first_round: int) -> LineSet:
    """Return a set that is fixed by its seed and number. strategy: the bot, which may solve streets during the hand."""
    plays = []
    for key, players in both_positions(start_hands, seed, number):
        play = LinePlay(key, follow_for(strategy), first_round)
        play.play(State.start(strategy.game), players)
        plays.append(play)
    kinds = {kind: sum(play.won.get(kind, 0.0) for play in plays) / 2 for play in plays for kind in play.won}
    won = sum(plays[0].won.values()), sum(plays[1].won.values())
    come = np.mean([play.street_shares for play in plays], axis=0)[1:].tolist()
    streets = np.mean([play.street_wins for play in plays], axis=0).tolist()
    return LineSet(won, kinds, tuple(come), tuple(streets))


class NewResponse(Protocol):
    """Begins a response's answers for one hand, as `LocalBestResponseHand` does."""

    def __call__(
        self, player: LocalBestResponse, position: int, opponent: HandStrategy, equities: Equities
    ) -> HandStrategy: ...


def lbr_hands(
    player: LocalBestResponse, bot: Strategy, before: Before, response: NewResponse = LocalBestResponseHand
) -> StartHands:
    """Return how hands of a local best response against a bot begin."""

    def start(key: HandKey) -> tuple[HandStrategy, HandStrategy]:
        other = bot.start_hand(key._replace(position=1 - key.position))
        # The response asks a fork of the same hand: subgames are solved once for both.
        mine = response(player, key.position, other.fork(), equities)
        if before == "bot":
            mine = TakesOver(bot.start_hand(key), mine, player.first_round)
        return mine, other

    return start


def gain_hands(player: Resolve, first_round: int) -> StartHands:
    """Return how hands of a player against its blueprint begin; before `first_round` both play the blueprint."""

    def start(key: HandKey) -> tuple[HandStrategy, HandStrategy]:
        blueprint = player.blueprint
        mine = TakesOver(blueprint.start_hand(key), player.start_hand(key), first_round)
        return mine, blueprint.start_hand(key._replace(position=1 - key.position))

    return start


class TakesOver(HandStrategy):
    """Answers of one strategy up to a street, and of another from there on."""

    def __init__(self, before: HandStrategy, after: HandStrategy, round_: int) -> None:
        self._before, self._after, self._round = before, after, round_

    def rows(self, state: State) -> Rows:
        return (self._before if state.round < self._round else self._after).rows(state)

    def fork(self) -> "TakesOver":
        return TakesOver(self._before.fork(), self._after.fork(), self._round)
