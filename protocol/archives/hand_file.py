"""Hands as a reader of any format offers them: their places, what was skipped and why, and payoffs that were checked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain, takewhile
from operator import sub
from pathlib import Path
from typing import Any, NamedTuple, Self

from limpet.protocol.cards import cards_text
from limpet.protocol.errors import IllegalAction, ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import Unsupported, all_pots, contested_pot, first_behind, is_idle
from limpet.protocol.matchlog import Entry, HandRecord, Header
from limpet.protocol.messages import Hole
from limpet.protocol.ranking import Ranking
from limpet.protocol.settlement import settle, values_text, vanished_text
from limpet.protocol.situation import LIMIT_RAISES, holdem
from limpet.protocol.state import CALL, Action, State

# --- Hands of an archive that were not read, with the reason of each.


class Skip(NamedTuple):
    """A hand that was skipped. `line` is the line of the file, from 1."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class BadHand(ProtocolError):
    """A hand that cannot be read. `line` is the line of the hand's own text, from 0, that shows it."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


# --- Checks that the payoffs in a file agree with the betting and the cards.

ROUNDING = 1e-5
"""Chips by which payoffs may differ because they are written with six decimals."""


def right_values(state: State, holes: Sequence[Hole], runs: Sequence[Hole] = ()) -> tuple[float, ...] | None:
    """Return the net chips that betting and cards pay, None where cards of a showdown are unknown.

    Each board of a hand that was run several times pays its equal part of every pot.

    holes: private cards by position, after all draws; empty where they are unknown.
    runs: boards beside that of `state`, see `HandRecord`.
    """
    if state.showdown and not all(hole or state.has_folded(position) for position, hole in enumerate(holes)):
        return None
    if not runs:
        return settle(state, holes)
    paid = [settle(state._replace(board=board), holes) for board in (state.board, *runs)]
    return tuple(sum(values) / len(paid) for values in zip(*paid, strict=True))


def shown_positions(hand: HandRecord, reader: str) -> list[int]:
    """Return the positions that show their cards. Raises `Unsupported` where some are unknown, which `reader` needs."""
    live = [position for position in range(len(hand.holes)) if not hand.state.has_folded(position)]
    if not all(hand.hands[position] for position in live):
        raise Unsupported(
            f"hand {hand.hand}: the log does not say what was shown, and {reader} needs it; leave the hand out"
        )
    return live


def shared_board(hand: HandRecord) -> Hole:
    """Return the cards of the board that all runs of a hand share: those that lay there at the last bet."""
    places = zip(*hand.boards, strict=True)
    return tuple(cards[0] for cards in takewhile(lambda cards: len(set(cards)) == 1, places))


def odd_chips(state: State, runs: Sequence[Hole] = ()) -> int:
    """Return the most chips that a payoff may differ by, because whole chips of a split pot go to one of its winners."""
    halves = 2 if state.game.ranking is Ranking.HIGH_LOW else 1
    return len(all_pots(state)) * (1 + 2 * len(runs)) * halves if state.showdown else 0


def are_paid(values: Sequence[float], right: Sequence[float], odd: float, rake: float) -> bool:
    """Return whether payoffs are the right ones, but for odd chips either way and a rake that anybody may lack."""
    return all(-odd - rake <= value - other <= odd for value, other in zip(values, right, strict=True))


MOST_RAKE = 0.2
"""Largest share of a pot that is taken for a room's rake and fees."""


def contradiction(hand: HandRecord, most_rake: float = 0) -> str | None:
    """Return a message if the payoffs contradict the betting and the cards, None if they agree as far as cards are known.

    The winners may lack a rake of the share `most_rake` of the pot, by which nobody gains.
    """
    state, values = hand.state, hand.values
    right = right_values(state, hand.hands, hand.runs)
    if right == values:
        return None
    spare, lost = odd_chips(state, hand.runs) + ROUNDING, -sum(values)
    rake = lost if 0 < lost <= most_rake * contested_pot(state) else 0
    if right is not None and not are_paid(values, right, spare, rake):
        return f"the payoffs {values_text(values)} contradict the betting and cards, which pay {values_text(right)}"
    if abs(lost - rake) > ROUNDING * len(values):
        return f"the payoffs {values_text(values)} do not add up to 0"
    paid = state.paid
    if any(value < -chips - ROUNDING for value, chips in zip(values, paid, strict=True)):
        return f"the payoffs {values_text(values)} take more than {'|'.join(map(str, paid))}, which were bet"
    return None


SHOWN_BAD = 5
"""Number of skipped hands that are reported in full."""


def no_hands(*files: str | Path, skipped: Sequence[str] = ()) -> str:
    """Return the error message for files that hold no hand, or where `skipped` has messages, none that can be read."""
    if skipped:
        return f"{skipped[0]}; no hand can be read"
    return f"{', '.join(map(str, files))}: no hands; a log's hand is a line 'STATE:hand:betting:cards:…'"


class HandPlace(NamedTuple):
    """The place of a hand, or of another entry, in its file: number of the first line, and the text without the last line end.

    `time` is in seconds since 1970, None where the file has no time.
    """

    number: int
    text: str
    entry: Entry
    time: float | None = None


class HandFile:
    """A file of hands. Iterating over `hands` reads it from the beginning, and the counters count that reading.

    A subclass reads one format. It yields from `_read`, and calls `_complain` for hands that cannot be read.
    """

    format: str
    """Name of the format."""
    reads_right_payoffs = False
    """True for a format whose reader refuses hands with payoffs that contradict the betting and the cards."""

    def __init__(
        self,
        path: Path,
        game: GameDef | None = None,
        skip_bad: bool | None = None,
        *,
        aliases: Mapping[str, str] = {},
        skipped: list[Skip] | None = None,
    ) -> None:
        """Prepare the reading of a file.

        Args:
            path: the file, plain or packed.
            game: game that replaces the one that the file names.
            skip_bad: count hands that cannot be read; otherwise they raise.
            aliases: new names of players by the names in the file, which may hold ``*`` and ``?``.
            skipped: list to which a `Skip` is appended for every hand that is skipped, beside the counters here.
        """
        self.path = path
        self.skip_bad = skip_bad
        self.header: Header | None = None
        """Last header read, None in formats without one."""
        self.match = path.name.partition(".")[0]
        """Name of the match or table of the last hand read; the file's own name where the file has none."""
        self.bad = 0
        """Number of hands that were skipped."""
        self.complaints: list[str] = []
        """Messages about the first skipped hands."""
        self.torn: str | None = None
        """Message about a last hand that was cut off and left out."""
        self.most_shown = SHOWN_BAD
        """Number of skipped hands, and of contradictory ones, that `remarks` tells in full."""
        self.raked = 0
        """Number of hands whose winners get less than the pots hold, as where a room takes a rake."""
        self.vanishing = 0
        """Number of hands whose payoffs follow the rules and yet do not add up to 0."""
        self.vanished = 0.0
        """Chips that nobody gets in those hands."""
        self.contradictory = 0
        """Number of hands whose payoffs contradict the betting and the cards."""
        self.contradictions: list[str] = []
        """Messages about the first contradictory hands."""
        self.check_payoffs = False
        """True to compare the payoffs of each hand with its betting and cards."""
        self.bytes_read = 0
        """Bytes read of the file on disk, so that progress can be shown for packed files too."""
        self._parts: Iterable[Any] | None = None
        self._named_game = game
        self._skipped = skipped
        self._aliases = aliases
        self._renamed: dict[tuple[str, ...], tuple[str, ...]] = {}

    def with_parts(self, parts: Iterable[Any]) -> Self:
        """Return this file, which now holds only some of its parts: a log's lines, or lines and texts of hands."""
        self._parts = parts
        return self

    def _count_bytes(self, read: int) -> None:
        self.bytes_read = read

    def _read(self) -> Iterator[tuple[HandPlace, HandRecord]]:
        raise NotImplementedError

    def behind(self, line: int) -> Self:
        """Return this file without the hands that begin at a line or before, whose texts are not looked at."""
        raise NotImplementedError

    def hands(self) -> Iterator[tuple[HandPlace, HandRecord]]:
        """Yield the hands. Raises `ProtocolError` for an unreadable file, and for a bad hand unless they are skipped."""
        for line, hand in self._read():
            yield line, self._finished(line, hand)

    def outlines(self) -> Iterator[tuple[HandPlace, HandRecord]]:
        """Yield the hands as `hands` does, but faster where states may be in a game with other stacks, but for the first hand.

        The `HandPlace` of such a hand has no time.
        """
        return self.hands()

    def remarks(self) -> Iterator[str]:
        """Yield messages about the first skipped and the first contradictory hands, and about their numbers where there are more."""
        yield from self.complaints
        if self.bad > len(self.complaints):
            yield f"{self.path}: {self.bad:,} hands in all were skipped"
        yield from self.contradictions
        if self.contradictory > len(self.contradictions):
            yield f"{self.path}: {self.contradictory:,} hands in all have payoffs that cannot be"
        if self.raked:
            yield f"{self.path}: {self.raked:,} hands pay less than was bet, which is taken for rake"
        if self.vanishing:
            yield f"{self.path}: {vanished_text(self.vanished, self.vanishing)}"
        if self.torn:
            yield self.torn

    def chosen(self, hand: int | None, line: int | None = None) -> Iterator[tuple[HandPlace, HandRecord]]:
        """Yield all hands, those numbered `hand`, or the one at a line. Raises `ProtocolError` if there is none."""
        none = True
        for located in self.hands() if hand is None else self.find(hand):
            if line is None or located[0].number == line:
                none = False
                yield located
        if none and line is not None:
            which = "no hand" if hand is None else f"no hand {hand}"
            raise ProtocolError(
                f"{self.path}: {which} begins at line {line}; name a hand's first line, or its number with --hand"
            )
        if none and hand is not None:
            raise ProtocolError(
                f"{self.path}: there is no hand {hand}; `limpet hands summary` tells how many hands there are"
            )

    def find(self, hand: int) -> Iterator[tuple[HandPlace, HandRecord]]:
        """Yield the hands numbered `hand`, of which a file may hold several."""
        return ((line, record) for line, record in self.hands() if record.hand == hand)

    def _finished(self, line: HandPlace, hand: HandRecord) -> HandRecord:
        """Return a hand under its players' new names, after its payoffs are checked."""
        if self.check_payoffs and not self.reads_right_payoffs:
            if message := contradiction(hand, MOST_RAKE):
                self.contradictory += 1
                if len(self.contradictions) < self.most_shown:
                    self.contradictions.append(f"{self.path}:{line.number}: {message}")
            elif (lost := -sum(hand.values)) > ROUNDING * len(hand.values):
                if hand.state.max_spent < max(hand.state.spent):  # a short stack's raise has lowered a limit bet
                    self.vanishing += 1
                    self.vanished += lost
                else:
                    self.raked += 1
        return hand._replace(names=self._names(hand.names)) if self._aliases else hand

    def _names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        if names not in self._renamed:
            self._renamed[names] = tuple(renamed(name, self._aliases) for name in names)
        return self._renamed[names]

    def _complain(self, line: int, reason: str, remedy: str = "") -> None:
        """Count a hand that cannot be read, or raise `ProtocolError`."""
        skip = Skip(self.path, line, reason)
        if not self.skip_bad:
            raise ProtocolError(f"{skip}{remedy}")
        self.bad += 1
        if len(self.complaints) < self.most_shown:
            self.complaints.append(str(skip))
        if self._skipped is not None:
            self._skipped.append(skip)


def renamed(name: str, aliases: Mapping[str, str]) -> str:
    """Return the new name of a player: the alias of that very name, else that of the first pattern that fits.

    >>> renamed("Bot_17", {"Bot_*": "Bot"})
    'Bot'
    """
    if name in aliases:
        return aliases[name]
    return next((new for pattern, new in aliases.items() if fnmatchcase(name, pattern)), name)


# --- Shared by the readers of formats other than the ACPC's: definitions, chips, bets of one street, and the end of a
# hand.

known_holdem = lru_cache(1 << 12)(holdem)
"""`holdem`, whose definitions are remembered, so that hands with equal stacks and blinds share one."""


def whole_chips(amount: float, unit: int) -> int:
    """Return an amount in chips, of which an amount of 1 has `unit`. Raises `BadHand` if they are not whole."""
    chips = round(amount * unit)
    if abs(chips - amount * unit) > 1e-6:
        raise BadHand(f"{amount} is no whole number of chips")
    return chips


def chosen_game(game: GameDef, named: GameDef | None, *stacks: tuple[int, ...]) -> GameDef:
    """Return the game that the caller names where it has the betting, blinds and bets of a hand's game and one of the stacks.

    It then knows how much of each blind is an ante, as the hand's game does, which is returned otherwise.
    """
    if named is None or _rules(named) != _rules(game) or named.stack not in stacks:
        return game
    return named if named.ante == game.ante else replace(named, ante=game.ante)


def _rules(game: GameDef) -> tuple[object, ...]:
    return game.betting, game.blind, game.raise_size, game.dead, game.min_bet


def casino_game(
    stacks: Sequence[int], antes: Sequence[int], posts: Sequence[int], bets: tuple[int, ...], min_bet: int, *,
    whole_antes: bool = False,
) -> GameDef:  # fmt: skip
    """Return the game of a hand with true antes, straddles or new players' posts. Raises `BadHand` where nobody has a turn.

    Args:
        stacks: chips per position before all posts.
        antes: dead chips per position. Who has fewer posts what there is, the antes first.
        posts: blinds, straddles and posts per position, those that do not move the turn with a minus sign.
        bets: limit bets of each round, else nothing.
        whole_antes: whether who is short for an ante wins whole antes of the others.
    """
    dead = tuple(map(min, antes, stacks))
    stack = tuple(map(sub, stacks, dead))
    blind = tuple(min(abs(post), behind) for post, behind in zip(posts, stack, strict=True))
    if blind == stack:
        raise BadHand("the blinds and antes put everybody all in")
    signed = [-chips if post < 0 else chips for chips, post in zip(blind, posts, strict=True)]
    game = known_holdem(
        stack, blind, bets, first=first_behind(signed), dead=dead, min_bet=min_bet, whole_antes=whole_antes
    )
    # A straddle is no raise: limit betting has four of them before the flop too.
    return replace(game, max_raises=(max(LIMIT_RAISES),) * len(LIMIT_RAISES)) if bets else game


def without_ante(ante: Sequence[int], stack: Sequence[int]) -> int | None:
    """Return the first position that posts less than the largest ante and has the chips; None if all post alike."""
    pairs = enumerate(zip(ante, stack, strict=True))
    return next((position for position, (chips, have) in pairs if chips < min(max(ante), have)), None)


def applied(state: State, action: Action, line: int = 0) -> State:
    """Return the state after an action at a line of the hand's text. Raises `BadHand`."""
    try:
        return state.apply(action)
    except IllegalAction as error:
        raise BadHand(str(error), line) from error


def ended(state: State, board: Hole, private: Iterable[int], runs: Sequence[Hole] = ()) -> State:
    """Return the last state of a hand, with its board, from the state after its last action.

    Raises `BadHand` for a hand that cannot end so.

    private: all private cards that are known, discards too; runs: boards of further runs, see `HandRecord`.
    """
    shared = state.game.board_sizes[state.parent.round] if state.parent is not None else 0
    while is_idle(state):
        state = state.apply(CALL)
    if not state.finished:
        raise BadHand(f"the hand is not over after '{state.betting}'")
    if len(board) != state.game.board_sizes[state.round]:
        raise BadHand(f"{len(board)} cards are on the board after '{state.betting}'")
    for run in runs:
        if not state.showdown or len(run) != len(board) or run[:shared] != board[:shared]:
            raise BadHand(f"the board {cards_text(run)} is no other run of {cards_text(board)} after the last bet")
    cards = [*private, *board, *chain.from_iterable(run[shared:] for run in runs)]
    if len(set(cards)) != len(cards):
        raise BadHand("a card appears twice")
    return state._replace(board=board) if board else state
