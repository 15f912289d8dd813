"""Write hands in PokerStars' format, which trackers and replayers read.

Chips are play money. Facts that the source does not hold are made up: the time (a second a hand from the start of 2000), and
the hand's number, which is made of the table's name and the hand number so that hands of several matches do not collide.
Where hand numbers begin again, another table begins, whose name is the match's and a number.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise

from limpet.protocol import handhistory
from limpet.protocol.archives.blocks import EASTERN, seconds_of
from limpet.protocol.archives.hand_file import ROUNDING, odd_chips, right_values, shared_board, shown_positions
from limpet.protocol.archives.pokerstars_grammar import RUNS, Post, casino_posts
from limpet.protocol.cards import card_texts
from limpet.protocol.chip_sums import MAX_ACTIONS_PER_ROUND
from limpet.protocol.gamedef import NO_STACK_LIMIT, GameDef
from limpet.protocol.handhistory import Pot, Unsupported, all_pots, antes, has_new_posts, is_idle, streets, uncalled
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.ranking import describe, rank_hands
from limpet.protocol.settlement import chips_text
from limpet.protocol.state import State

_STREETS = ("HOLE CARDS", "FLOP", "TURN", "RIVER")
_FOLDED = ("before Flop", "on the Flop", "on the Turn", "on the River")
_TIMES = ("", "once", "twice", "three times")
_BEGAN = datetime(2000, 1, 1)
NOBODY = -1
"""Position of the small blind where it is missing, so that the first position posts the big one."""
HANDS_PER_MATCH = 10**9
"""Number of different hand numbers of one match."""


class PokerStarsTable:
    """A table whose hands are written. The players keep their chairs while the button goes round."""

    def __init__(self) -> None:
        self._chairs: tuple[str, ...] = ()
        self._last: dict[str, tuple[int, int]] = {}
        """Number of the table and of the last hand there, by match."""

    def hand_text(self, hand: HandRecord, match: str = "limpet", when: float | None = None) -> str:
        """Return one hand of the match of that name, and two blank lines. `when` is its time in seconds since 1970.

        Raises `Unsupported` for a game that is not Texas hold'em, and for unknown cards at a showdown.
        """
        game = hand.state.game
        if wrong := handhistory.other_than_holdem(game, antes(game)):
            raise Unsupported(f"PokerStars' format can tell Texas hold'em only, and this is another game: {wrong}")
        if game.whole_antes:
            raise Unsupported(
                "in PokerStars' format who is short for an ante wins no whole antes; leave such hands out"
            )
        if any(after.max_spent < before.max_spent for before, after in pairwise(hand.state.path())):
            raise Unsupported(
                f"hand {hand.hand}: a raise from a short stack lowers the bet, which no casino has; leave it out"
            )
        if len(hand.boards) > len(RUNS):
            raise Unsupported(f"hand {hand.hand}: PokerStars' format has no word for run {len(hand.boards)}")
        return _Hand(hand, self._seats(hand.names), self._table(match, hand.hand), when).text()

    def _table(self, match: str, hand: int) -> str:
        """Return the name of the table: hand numbers rise at a table."""
        table, last = self._last.get(match, (1, -1))
        if hand <= last:
            table += 1
        self._last[match] = table, hand
        return match if table == 1 else f"{match} {table}"

    def _seats(self, names: tuple[str, ...]) -> list[int]:
        """Return the chair of each position, from 1. When the players' order changes, they sit down anew."""
        players = len(names)
        for turn in range(players):
            if self._chairs[turn:] + self._chairs[:turn] == names:
                return [(position + turn) % players + 1 for position in range(players)]
        self._chairs = names
        return list(range(1, players + 1))


class _Hand:
    def __init__(self, hand: HandRecord, seats: list[int], match: str, when: float | None) -> None:
        self.hand, self.end, self.game = hand, hand.state, hand.state.game
        self.names, self.holes = hand.names, hand.holes
        self.seats, self.match, self.when = seats, match, when
        self.by_seat = sorted(range(len(seats)), key=seats.__getitem__)
        """Positions in the order of their chairs."""
        self.big = 0 if self.game.num_players == 2 else 1
        self.small = 1 - self.big
        self.ante = antes(self.game)
        self.blind = [post - ante for post, ante in zip(self.game.blind, self.ante, strict=True)]
        self.pots = all_pots(self.end)
        if has_new_posts(self.game) and len(seats) > 2 and not self.blind[1] and self.blind[0]:
            self.small, self.big = NOBODY, 0
        self.boards = hand.boards
        self.labels = [f"{word} " for word in RUNS[: len(self.boards)]] if hand.runs else [""]
        """Words before the streets, showdown and board of each run; none where the board was run once."""
        self.collected = [[0.0] * len(seats) for _ in self.boards]
        """Chips that each position collects, by board."""
        self.rake = 0.0

    def text(self) -> str:
        # `outcome` adds up the chips that each player collected, which the summary repeats.
        return "\n".join([*self.head(), *self.play(), *self.outcome(), *self.summary()]) + "\n\n\n"

    def head(self) -> Iterator[str]:
        game, blind = self.game, self.blind
        kind = "No Limit" if game.no_limit else "Limit"
        # Limit stakes are the bets, no-limit stakes the blinds.
        low, high = (blind[self.small], blind[self.big]) if game.no_limit else (game.raise_size[0], game.raise_size[3])
        if has_new_posts(game) and game.no_limit:
            low, high = blind[0] if self.small == 0 and blind[0] else game.big_blind // 2, game.big_blind
        number = self.hand.hand
        if number < HANDS_PER_MATCH:  # larger ones are a site's, and differ already
            number += zlib.crc32(self.match.encode("utf-8", "replace")) * HANDS_PER_MATCH
        began = f"{invented_time(self.hand.hand):%Y/%m/%d %H:%M:%S} ET"
        if self.when is not None:
            began = f"{datetime.fromtimestamp(self.when, UTC):%Y/%m/%d %H:%M:%S} UTC"
        yield f"PokerStars Hand #{number}:  Hold'em {kind} ({low}/{high}) - {began}"
        yield f"Table '{self.match}' {len(self.seats)}-max Seat #{self.seats[-1]} is the button"
        stacks = handhistory.with_ending_stacks(self.end).starting_stack
        for position in self.by_seat:
            stack = stacks[position]
            chips = _limit_stack(game) if stack == NO_STACK_LIMIT else stack
            yield f"Seat {self.seats[position]}: {self.names[position]} ({chips} in chips)"
        if has_new_posts(game):
            yield from self.casino_posts()
        else:
            for position in self.by_seat:
                if self.ante[position]:
                    yield f"{self.names[position]}: posts the ante {self.ante[position]}"
            for position, name in ((self.small, "small"), (self.big, "big")):
                if blind[position]:
                    yield f"{self.names[position]}: posts {name} blind {blind[position]}"
        yield "*** HOLE CARDS ***"
        for position in self.by_seat:
            if self.holes[position]:
                yield f"Dealt to {self.names[position]} [{_cards(self.holes[position])}]"

    def casino_posts(self) -> Iterator[str]:
        """Yield the lines of true antes, blinds, straddles and new players' posts. Raises `Unsupported` for other posts."""
        game = self.game
        live, dead = handhistory.signed_posts(game) or game.blind, list(game.dead or (0,) * len(game.blind))
        lines: list[tuple[int, str, int]] = []
        ante = min(dead)
        for position, post in enumerate(live):
            chips, kind = abs(post), "straddle" if post > 0 else "big blind"
            if position in (self.small, self.big):
                kind = "small blind" if position == self.small else "big blind"
            elif post == -game.big_blind and dead[position] > ante:
                kind, chips, dead[position] = "small & big blinds", chips + dead[position] - ante, ante
            if chips:
                lines.append((position, kind, chips))
        ante_lines = [(position, "the ante", dead[position]) for position in self.by_seat if dead[position]]
        posts = [
            Post(self.names[position], kind.removeprefix("the "), chips, 0)
            for position, kind, chips in ante_lines + lines
        ]
        if casino_posts(posts, self.names, int, game.raise_size[0] if game.raise_size else game.big_blind) != (
            game.dead or (0,) * len(live),
            live,
        ):
            raise Unsupported(f"hand {self.hand.hand}: PokerStars' format has no words for blinds of {game.blind}")
        for position, kind, chips in ante_lines + lines:
            yield f"{self.names[position]}: posts {kind} {chips}"

    def play(self) -> Iterator[str]:
        most, back = uncalled(self.end.spent)
        shared = len(shared_board(self.hand))
        for street in streets(self.end):
            if street.round and self.game.board_sizes[street.round] <= shared:
                yield self.street(street.round)
            for state in street.steps:
                assert state.parent is not None
                actor = state.parent.actor
                base = street.base if street.round else self.ante[actor]
                if not is_idle(state.parent):
                    yield f"{self.names[actor]}: {_action(state, state.parent, base)}"
                if state.finished and back:
                    yield f"Uncalled bet ({back}) returned to {self.names[most]}"
        for run in range(len(self.boards) if self.hand.runs else 0):
            for round_, size in enumerate(self.game.board_sizes):
                if size > shared:
                    yield self.street(round_, run)

    def street(self, round_: int, run: int | None = None) -> str:
        """Return the line of a street; `run` numbers the run, None where all share the street."""
        at, board = self.game.board_sizes[round_ - 1], self.boards[run or 0]
        shown = f"[{_cards(board[:at])}] " if at else ""
        label = "" if run is None else self.labels[run]
        return f"*** {label}{_STREETS[round_]} *** {shown}[{_cards(board[at : self.game.board_sizes[round_]])}]"

    def outcome(self) -> Iterator[str]:
        most, back = uncalled(self.end.spent)
        paid = [value + chips for value, chips in zip(self.hand.values, self.end.paid, strict=True)]
        paid[most] -= back
        live = [position for position in self.by_seat if not self.end.has_folded(position)]
        if self.end.showdown:
            shown_positions(self.hand, "PokerStars' format")
        self.rake = sum(pot.chips for pot in self.pots) - sum(paid)
        right = right_values(self.end, self.holes, self.hand.runs)
        assert right is not None
        spare = abs(self.rake) + odd_chips(self.end, self.hand.runs) + ROUNDING
        pairs = list(zip(self.hand.values, right, strict=True))
        if self.rake < -ROUNDING * len(paid) or any(abs(value - other) > spare for value, other in pairs):
            raise Unsupported(
                f"hand {self.hand.hand}: the payoffs contradict the betting and the cards; leave the hand out"
            )
        self.rake = 0 if abs(self.rake) < ROUNDING * len(paid) else self.rake
        is_exact = self.end.showdown and all(abs(value - other) < ROUNDING for value, other in pairs)
        shares = [_by_run(chips, self.won(position)) for position, chips in enumerate(paid)]
        for run, label in enumerate(self.labels):
            if self.end.showdown:
                yield f"*** {label}SHOW DOWN ***"
                for position in live:
                    yield f"{self.names[position]}: shows [{_cards(self.holes[position])}] ({self.named(position, run)})"
            if is_exact:
                yield from self.pots_collected(run)
                continue
            for position in live:
                if shares[position][run] > ROUNDING:
                    yield self.collects(position, shares[position][run], "pot", run)
        if not self.end.showdown:
            yield f"{self.names[live[0]]}: doesn't show hand"

    def pots_collected(self, run: int) -> Iterator[str]:
        """Yield who collects which pot by a run's board and the cards of the players who have not folded."""
        for number, pot in reversed(list(enumerate(self.pots))):
            winners = self.winners(pot, run)
            for position in winners:
                chips = pot.chips / len(winners) / len(self.boards)
                yield self.collects(position, chips, _pot_name(number, self.pots), run)

    def winners(self, pot: Pot, run: int) -> list[int]:
        """Return who wins a pot by a run's board."""
        ranks = rank_hands([self.holes[position] for position in pot.positions], self.boards[run])
        return [position for position, rank in zip(pot.positions, ranks, strict=True) if rank == max(ranks)]

    def won(self, position: int) -> list[float]:
        """Return what a position wins of the pots by each run's board, if each run is for all of them."""
        if not self.hand.runs:
            return [0.0]
        runs = [[(pot, self.winners(pot, run)) for pot in self.pots] for run in range(len(self.boards))]
        return [sum(pot.chips / len(best) for pot, best in pots if position in best) for pots in runs]

    def collects(self, position: int, chips: float, pot: str, run: int) -> str:
        self.collected[run][position] += chips
        return f"{self.names[position]} collected {chips_text(chips)} from {pot}"

    def summary(self) -> Iterator[str]:
        yield "*** SUMMARY ***"
        parts = ""
        if len(self.pots) > 1:
            named = [_pot_name(number, self.pots) for number in range(len(self.pots))]
            parts = "".join(f" {name.capitalize()} {pot.chips}." for name, pot in zip(named, self.pots, strict=True))
        yield f"Total pot {sum(pot.chips for pot in self.pots)}{parts} | Rake {chips_text(self.rake)}"
        if self.hand.runs:
            yield f"Hand was run {_TIMES[len(self.boards)]}"
        if self.end.board:
            yield from (
                f"{label}Board [{_cards(board)}]" for label, board in zip(self.labels, self.boards, strict=True)
            )
        folded = {
            state.parent.actor: state.parent.round
            for state in self.end.path()
            if state.parent is not None and state.action is not None and state.action.kind == "f"
        }
        for position in self.by_seat:
            if position in folded:
                nothing = "" if self.end.spent[position] > self.ante[position] else " (didn't bet)"
                result = f"folded {_FOLDED[folded[position]]}{nothing}"
            elif not self.end.showdown:
                result = f"collected ({chips_text(self.collected[0][position])})"
            else:
                ends = ", and ".join(self.ending(position, run) for run in range(len(self.boards)))
                result = f"showed [{_cards(self.holes[position])}] and {ends}"
            yield f"Seat {self.seats[position]}: {self.names[position]}{self.role(position)} {result}"

    def role(self, position: int) -> str:
        role = " (button)" if position == len(self.seats) - 1 else ""
        if position in (self.small, self.big) and self.blind[position]:
            role += " (small blind)" if position == self.small else " (big blind)"
        return role

    def ending(self, position: int, run: int) -> str:
        won = self.collected[run][position]
        return f"{f'won ({chips_text(won)})' if won else 'lost'} with {self.named(position, run)}"

    def named(self, position: int, run: int) -> str:
        return describe((*self.holes[position], *self.boards[run]))


def invented_time(hand: int) -> datetime:
    """Return the time by New York's clock of a hand that has none: a second a hand from the start of 2000."""
    return _BEGAN + timedelta(seconds=hand % HANDS_PER_MATCH)


def hand_number(number: int, table: str) -> int:
    """Return the log's number of a hand from the number in a text that was written from a log; any other number as it is."""
    match, hand = divmod(number, HANDS_PER_MATCH)
    return hand if match and match == zlib.crc32(table.encode("utf-8", "replace")) else number


def recorded_time(hand: int, number: int, time: float | None) -> float | None:
    """Return the time in a text, None if it is the invented time of hand `hand`, which the text numbers `number`."""
    return None if hand != number and time == seconds_of(invented_time(hand), EASTERN) else time


def _action(state: State, before: State, base: int) -> str:
    """Return an action in words. `base`: chips of the actor that were in before the street's bets, its ante among them."""
    assert state.action is not None
    actor, kind = before.actor, state.action.kind
    if kind == "f":
        return "folds"
    chips, level = state.spent[actor] - before.spent[actor], before.max_spent - base
    if kind == "c":
        text = f"calls {chips}" if chips else "checks"
    elif level:
        text = f"raises {state.spent[actor] - before.max_spent} to {state.spent[actor] - base}"
    else:
        text = f"bets {chips}"
    return text + (" and is all-in" if chips and state.spent[actor] == state.game.stack[actor] else "")


def _by_run(paid: float, won: Sequence[float]) -> list[float]:
    """Return the chips of each run that add up to `paid`, in the ratio of what was `won` there but whole.

    >>> _by_run(193, [0, 401]), _by_run(201, [401, 401]), _by_run(1, [0, 0])
    ([0, 193], [100, 101], [1, 0])
    """
    reached = list(accumulate(won))
    edges = [paid if chips == reached[-1] else int(paid * chips / reached[-1]) for chips in reached]
    return [high - low for low, high in pairwise([0, *edges])]


def _pot_name(number: int, pots: list[Pot]) -> str:
    if len(pots) == 1:
        return "pot"
    if number == 0:
        return "main pot"
    return "side pot" if len(pots) == 2 else f"side pot-{number}"


def _limit_stack(game: GameDef) -> int:
    """Return the most that a player can lose in a limit game, which is shown where the game has no stacks."""
    most = zip(game.max_raises, game.raise_size, strict=True)
    return game.big_blind + sum(min(raises, MAX_ACTIONS_PER_ROUND) * size for raises, size in most)


def _cards(cards: Iterable[int]) -> str:
    return " ".join(card_texts(cards))
