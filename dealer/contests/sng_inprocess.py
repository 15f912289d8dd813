"""Tournaments in this process, by agents or in compiled code: cards, positions and seeds are those of play over TCP."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from limpet.common.workers import by_processes
from limpet.dealer.contests.sit_and_go import HandLine, JournalHand, SitAndGo, TournamentJournal, require_any_stacks
from limpet.dealer.contests.sng_kernels import CALL, FOLD, JAM, WORDS, deal_hand
from limpet.dealer.contests.sng_kernels import play_tournament as play_kernel
from limpet.dealer.contests.sng_rules import Hand, Structure, TournamentState, next_hand, settle, start, won_chips
from limpet.dealer.matches.faults import MatchFailed
from limpet.dealer.matches.inprocess import WrongAnswer, play_hands
from limpet.dealer.table.deals import SECRET, Deal, Deals, secret_of
from limpet.protocol.cards import deck
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import Entrant
from limpet.strategies.base.sampling import mix
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_class
from limpet.strategies.players.simple import Call, Fold, Raise
from limpet.strategies.players.tournament import Jam, in_range

# --- Tournaments in compiled code, for players who only fold, call and move all in: the same hands as in `inprocess`.

DECK = np.array(deck(4, 13), np.int8)
"""``int8 [52]``: the whole deck, in the order in which a dealer takes it up."""
_CLASSES = np.array([[preflop_class(a, b) if a != b else 0 for b in range(52)] for a in range(52)], np.uint8)


def action_table(player: type[Strategy], options: Strategy.Options) -> NDArray[np.int8] | None:
    """Return ``int8 [2, 169]``: a player's action by starting hand class before and after a raise; None if it has others."""
    table = np.empty((2, NUM_CLASSES), np.int8)
    if player is Jam and isinstance(options, Jam.Options):
        table[0] = np.where(in_range(options.jam), JAM, FOLD)
        table[1] = np.where(in_range(options.call), CALL, FOLD)
        return table
    if player is Raise and isinstance(options, Raise.Options) and options.size == "max":
        return np.full_like(table, JAM)
    if player in (Call, Fold):
        return np.full_like(table, CALL if player is Call else FOLD)
    return None


def level_table(structure: Structure, chips: int) -> NDArray[np.int64]:
    """Return ``int64 [level, 4]``: hands, small blind, big blind and ante of each level, with those that double at the end."""
    rows = [(level.hands, level.small_blind, level.big_blind, level.ante) for level in structure.levels]
    hand, last = sum(row[0] for row in rows), rows[-1][0]
    while True:
        blinds = structure.blinds(hand, chips)
        if blinds[1:] == rows[-1][1:]:
            return np.array(rows, np.int64)
        rows.append((last, *blinds[1:]))
        hand += last


class CompiledTournaments:
    """Plays whole tournaments of players with action tables, given by player ``int8 [player, 2, 169]``."""

    def __init__(self, sng: SitAndGo, tables: NDArray[np.int8]) -> None:
        self._sng = sng
        self._tables = tables
        self._levels = level_table(sng.structure, sng.structure.start_stack * len(sng.players))
        self._orders = [np.array(order, np.int64) for order in sng.seatings]

    @staticmethod
    def of(sng: SitAndGo, bots: Sequence[Entrant]) -> "CompiledTournaments | None":
        """Return tournaments of these bots, None where one of them has other actions than fold, call and all-in."""
        tables = [table for bot in bots if (table := action_table(bot.player, bot.options)) is not None]
        return CompiledTournaments(sng, np.array(tables)) if len(tables) == len(bots) else None

    def play(self, number: int, seating: int) -> HandLine:
        """Play a tournament, and return the line of its last hand."""
        structure, players = self._sng.structure, len(self._sng.players)
        after = self.finish(number, self._orders[seating], (structure.start_stack,) * players)
        return HandLine.of(number, seating, structure.blinds(after.hand - 1, sum(after.stacks)).level, after)

    def finish(self, number: int, order: NDArray[np.int64], start: Sequence[int]) -> TournamentState:
        """Play a tournament to its end from `start`, the chips per seat. `order` is ``int64 [seat]``: player at each seat."""
        stacks, gone = np.array(start, np.int64), np.empty((len(start), 2), np.int64)
        hands, big = play_kernel(
            self._sng.seed, number, self._tables, order, stacks, self._levels, _CLASSES, DECK, gone
        )
        groups: dict[tuple[int, int], list[int]] = {}
        for seat, (hand, chips) in enumerate(gone.tolist()):
            if hand >= 0:
                groups.setdefault((hand, chips), []).append(seat)
        return TournamentState(hands, tuple(stacks.tolist()), big, tuple(tuple(groups[key]) for key in sorted(groups)))


Report = Callable[[int], None]
"""Function that is called with the number of tournaments, over all seatings, that are over."""

CHUNK = 10
"""Number of tournaments that a worker process plays before it returns their hands."""
COMPILED_CHUNK = 1000
"""Number of tournaments that compiled code plays before the journal is written."""

_WORDS = np.empty(WORDS, np.uint64)


def card_seed(seed: int, number: int, hand: int) -> int:
    """Return the seed by which a dealer deals one hand of tournament `number`, whoever sits where.

    It has 32 bits, and is a secret where `seed` is one.
    """
    return mix(seed, number, hand) & 0xFFFFFFFF if seed < SECRET else secret_of(seed, number, hand)


def deal(seed: int, players: int) -> Deal:
    """Return the cards of the first hand that a dealer deals by `seed` to so many players."""
    cards = np.empty(2 * players + 5, np.int8)
    deal_hand(seed, DECK, len(cards), _WORDS, cards)
    dealt = cards.tolist()
    holes = tuple((dealt[at], dealt[at + 1]) for at in range(0, 2 * players, 2))
    return Deal(holes, tuple(dealt[2 * players :]))


def dealt_hand(sng: SitAndGo, number: int, standing: TournamentState) -> tuple[Hand, Deal, State | None]:
    """Return the next hand of a tournament, its cards, and its last state where nobody has a decision."""
    hand = next_hand(sng.structure, standing, number)
    seed = card_seed(sng.seed, number, standing.hand)
    cards = deal(seed, len(hand.seats)) if seed < SECRET else next(Deals(hand.game, seed))
    state = start(hand.game)
    return hand, cards, state.with_board(cards.board) if state.finished else None


def finished_hand(
    sng: SitAndGo, seating: int, standing: TournamentState, hand: Hand, state: State, cards: Deal
) -> JournalHand:
    """Settle a hand that came after `standing` and whose final `state` is known."""
    won = won_chips(state, cards.holes)
    line = HandLine.of(hand.situation.number, seating, hand.situation.level, settle(standing, hand, won))
    names = tuple(sng.names[sng.seatings[seating][seat]] for seat in hand.seats)
    return JournalHand(line, f"{hand.game.comments[0]}\n{HandRecord(line.hand, state, cards.holes, won, names)}")


def play_tournament(
    sng: SitAndGo, bots: Sequence[Entrant], number: int, seating: int, standing: TournamentState | None = None
) -> Iterator[JournalHand]:
    """Play a tournament from `standing`, or from its beginning, hand by hand.

    Raises `MatchFailed` for an answer that cannot be played, and `ConfigError` for stacks that a bot does not play.
    """
    order = sng.seatings[seating]
    now = standing or sng.beginning(number)
    while not now.over:
        hand, cards, state = dealt_hand(sng, number, now)
        if state is None:
            agents = [bots[order[seat]].agent(hand.game, hand.situation) for seat in hand.seats]
            try:
                state = next(play_hands(hand.game, agents, [cards])).state
            except WrongAnswer as error:
                where = f"tournament {number}, hand {hand.situation.hand}, seat {hand.seats[error.seat]}"
                raise MatchFailed(f"{where}: {error}") from error
        played = finished_hand(sng, seating, now, hand, state, cards)
        now = played.line.standing
        yield played


def play_here(sng: SitAndGo, bots: Sequence[Entrant], journal: TournamentJournal, jobs: int, report: Report) -> None:
    """Play all tournaments that the journal lacks, by several processes if `jobs` are several. Raises as `play_tournament`."""
    every, ended = product(range(sng.tournaments), range(len(sng.seatings))), journal.ended()
    left = [pair for pair in every if pair not in ended]
    over = sng.tournaments * len(sng.seatings) - len(left)
    report(over)
    for hands in _hands(sng, bots, journal, jobs, left):
        journal.add(hands)
        if finished := sum(hand.line.standing.over for hand in hands):
            over += finished
            report(over)


def _hands(
    sng: SitAndGo, bots: Sequence[Entrant], journal: TournamentJournal, jobs: int, left: Sequence[tuple[int, int]]
) -> Iterator[list[JournalHand]]:
    """Yield the hands of the tournaments and seatings that are `left`; the journal takes each list in one write."""
    fast = None if journal.logged else CompiledTournaments.of(sng, bots)
    if fast is not None:
        for at in range(0, len(left), COMPILED_CHUNK):
            yield [JournalHand(fast.play(*pair)) for pair in left[at : at + COMPILED_CHUNK]]
    elif jobs > 1 and len(left) > CHUNK:
        # A tournament that an earlier run left in the middle is played anew by a process, and to the same end.
        chunks = (left[at : at + CHUNK] for at in range(0, len(left), CHUNK))
        for chunk in by_processes(partial(_play_chunk, sng, journal.logged), chunks, jobs):
            yield [hand for hand in chunk if not journal.holds(hand.line)]
    else:
        for number, seating in left:
            line = journal.last.get((number, seating))
            for hand in play_tournament(sng, bots, number, seating, line.standing if line else None):
                yield [hand]


_bots: list[Entrant] = []


def _play_chunk(sng: SitAndGo, logged: bool, pairs: Sequence[tuple[int, int]]) -> list[JournalHand]:
    """Play whole tournaments in a worker process. Returns their last hands, or all of them if they are `logged`."""
    global _bots
    _bots = _bots or require_any_stacks(sng, in_process=True)
    hands = (hand for pair in pairs for hand in play_tournament(sng, _bots, *pair))
    return [hand for hand in hands if logged or hand.line.standing.over]
