"""The rules of one game, read from the reference's ``.game`` text and printed back to it."""

import hashlib
import re
import zlib
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from operator import add
from pathlib import Path
from typing import TypeVar

from limpet.protocol.cards import MAX_HOLE_CARDS, deal_problem, deck
from limpet.protocol.chip_sums import MAX_CHIPS, fractions_text, overflow, read_fractions
from limpet.protocol.errors import GameDefError
from limpet.protocol.ranking import Ranking

MAX_PLAYERS = 10
MAX_ROUNDS = 4
MAX_BOARD_CARDS = 7
MAX_DRAW_HOLE_CARDS = 5
"""The most hole cards of a game that has one of the `EXTENSIONS`."""
NO_STACK_LIMIT = MAX_CHIPS
NO_RAISE_LIMIT = 255
EXTENSIONS = (
    "numDraws", "maxDiscard", "betting", "raiseFractions", "holeCardsUsed", "ante", "minBet", "wholeAntes", "handRanking",
)  # fmt: skip
"""Keys that the ACPC's definitions do not have. A game without them is the reference's in every respect."""
Kind = TypeVar("Kind", bound=Enum)


class Betting(Enum):
    """Betting structure of a game."""

    LIMIT = "limit"
    NO_LIMIT = "nolimit"
    POT_LIMIT = "potlimit"
    """No-limit betting in which a raise is at most the pot after calling."""


@dataclass(frozen=True, eq=True)
class GameDef:
    """The constants of a game. Tuples are per position (`stack`, `blind`, `dead`) or per round (the others).

    Amounts are chips. `first_player` counts positions from 0, unlike the text. A file's ``ante``, true antes, are `dead`; `ante` is the
    part of each blind that a ``#`` comment calls one. In one draw a player may exchange up to `max_discard` cards.
    """

    betting: Betting
    num_players: int
    num_rounds: int
    stack: tuple[int, ...]
    blind: tuple[int, ...]
    raise_size: tuple[int, ...]
    first_player: tuple[int, ...]
    max_raises: tuple[int, ...]
    num_suits: int
    num_ranks: int
    num_hole_cards: int
    num_board_cards: tuple[int, ...]
    comments: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The text's lines that begin with ``#``. They are no rules: games that differ in them alone are equal."""
    num_draws: tuple[int, ...] = ()
    """Number of draw phases before the betting of each round, 0 or 1; empty for a game without draws."""
    max_discard: int = 0
    raise_fractions: tuple[tuple[int, ...], ...] = ()
    """The only raises allowed in each round, in thousandths of the pot after calling, ascending; empty: any raise."""
    ante: int = field(default=0, compare=False, repr=False)
    """Chips of every blind that are an ante, where a file says so. It is no rule, as comments are none."""
    hole_cards_used: int = 0
    """Number of hole cards in the five of a showdown, no more and no fewer, as in Omaha; 0: as many as are best."""
    dead: tuple[int, ...] = ()
    """True antes: chips of each position that are in the pot before the blinds, and that nobody has to match; empty: none.

    They are no part of `stack`, which is what is left behind them, and none of a state's `spent`.
    """
    min_bet: int = 0
    """Smallest bet of later rounds, and by how much the first raise exceeds the largest blind; 0: the largest blind."""
    whole_antes: bool = False
    """True where a player whose dead chips left nothing behind may win all of the others', not only as much as its own."""
    ranking: Ranking = Ranking.HIGH

    @cached_property
    def no_limit(self) -> bool:
        """True where a raise names its size: no-limit games, and pot-limit ones, in which it is capped."""
        return self.betting is not Betting.LIMIT

    @cached_property
    def caps_raises(self) -> bool:
        """True where a raise must also fit the pot: pot-limit games and those with raise fractions."""
        return self.betting is Betting.POT_LIMIT or bool(self.raise_fractions)

    @cached_property
    def most_drawn(self) -> int:
        """The most cards that are drawn in one hand, by all players in all draws."""
        return sum(self.num_draws) * self.max_discard * self.num_players

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """The deck in dealing order (suit by suit)."""
        return deck(self.num_suits, self.num_ranks)

    @cached_property
    def card_set(self) -> frozenset[int]:
        return frozenset(self.deck)

    @cached_property
    def board_sizes(self) -> tuple[int, ...]:
        """Board cards visible in each round: the running total of `num_board_cards`."""
        return tuple(sum(self.num_board_cards[: r + 1]) for r in range(self.num_rounds))

    @cached_property
    def big_blind(self) -> int:
        """The smallest bet of later rounds in chips: the largest blind, or 1, unless `min_bet` says so. The unit of mbb/g."""
        return self.min_bet or max(1, *self.blind)

    @cached_property
    def dead_pot(self) -> int:
        """Sum of all dead chips, which are in the pot from the start."""
        return sum(self.dead)

    @cached_property
    def starting_stack(self) -> tuple[int, ...]:
        """Chips that each position has before it posts anything."""
        return tuple(map(add, self.stack, self.dead)) if self.dead else self.stack

    @cached_property
    def shortest_stack(self) -> int:
        """The smallest stack: while bets are below it, nobody is all in."""
        return min(self.stack)

    @cached_property
    def all_in(self) -> tuple[int, ...]:
        """The most chips that each position can put into a hand and another can match."""
        second_largest = sorted(self.stack)[-2]
        return tuple(min(stack, second_largest) for stack in self.stack)

    @cached_property
    def _hash(self) -> int:
        return zlib.crc32(str(self).encode())

    def __hash__(self) -> int:  # hashed once, and alike in every process: a game is a key of many caches
        return self._hash

    @cached_property
    def rules_hash(self) -> str:
        """SHA-256 (hex) of the rules without the stacks. A strategy file is bound to this."""
        lines = [line for line in str(self).splitlines() if not line.startswith("stack")]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def __str__(self) -> str:
        betting = self.betting.value if self.betting is not Betting.POT_LIMIT else "betting = potlimit"
        values: dict[str, object] = {
            "numPlayers": self.num_players,
            "numRounds": self.num_rounds,
            "stack": self.stack if any(stack < NO_STACK_LIMIT for stack in self.stack) else (),
            "ante": self.dead,
            "wholeAntes": int(self.whole_antes),
            "blind": self.blind,
            "minBet": self.min_bet,
            "raiseSize": () if self.no_limit else self.raise_size,
            "firstPlayer": tuple(p + 1 for p in self.first_player) if any(self.first_player) else (),
            "maxRaises": self.max_raises if any(most != NO_RAISE_LIMIT for most in self.max_raises) else (),
            "numSuits": self.num_suits,
            "numRanks": self.num_ranks,
            "numHoleCards": self.num_hole_cards,
            "numBoardCards": self.num_board_cards,
            "holeCardsUsed": self.hole_cards_used,
            "handRanking": self.ranking.value if self.ranking is not Ranking.HIGH else "",
            "raiseFractions": fractions_text(self.raise_fractions),
            "numDraws": self.num_draws,
            "maxDiscard": self.num_draws and self.max_discard,
        }
        texts = {key: " ".join(map(str, value)) if isinstance(value, tuple) else value for key, value in values.items()}
        lines = [f"{key} = {text}" for key, text in texts.items() if text]  # what is empty or 0 is left out
        return "\n".join(["GAMEDEF", betting, *lines, "END GAMEDEF", ""])

    @staticmethod
    def load(path: str | Path) -> "GameDef":
        """Read a game definition from a file. Raises `GameDefError` if it is missing or not a game."""
        try:
            text = Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise GameDefError(f"{path}: cannot read the game definition: {error.strerror}") from error
        return GameDef.parse(text, str(path))

    @staticmethod
    def parse(text: str, source: str = "game definition") -> "GameDef":
        """Read the text of a game as the reference reads it.

        A key counts at column 0 only and matches by prefix in any case; ``=`` is optional; unknown lines are ignored;
        the last duplicate wins. Beyond the reference's checks, games on which it hangs or overflows are rejected:
        blinds that put everybody all in, more than 7 board cards, 5 or more players without ``stack``, negative blinds,
        chips whose sums may leave 32 bits. The `EXTENSIONS` are keys of ours, which the reference ignores.

        Raises:
            GameDefError: naming the source, the line where there is one, and what would be right.
        """
        return _Reader(text, source).game()


# The reference's keys. A key is matched as a prefix of the line, so the longer of two alike must come first.
_LISTS = {
    "stack": 10, "blind": 10, "raiseSize": 10, "firstPlayer": 4, "maxRaises": 4, "numBoardCards": 4, "numDraws": 4,
    "ante": 10,
}  # fmt: skip
"""The most values of each key that has several."""
_NUMBERS = (
    "numPlayers", "numRounds", "numSuits", "numRanks", "numHoleCards", "maxDiscard", "holeCardsUsed", "minBet", "wholeAntes",
)  # fmt: skip
_COUNTED = ("stack", "blind", "raiseSize", "numBoardCards", "numDraws", "ante")
_TEXTS = ("betting", "raiseFractions", "handRanking")


# No line of the reference is longer than 4,096 characters, and Python reads no int of more than 4,300 digits.
_NUMBER = re.compile(r"[\s=]*([+-]?\d{1,4096})", re.ASCII)


class _Reader:
    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.betting = Betting.LIMIT
        self.items: dict[str, tuple[int, ...]] = {}
        self.texts: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.comments: list[str] = []
        for number, line in enumerate(text.split("\n"), 1):
            folded = line.lower()
            if folded.startswith("end gamedef"):
                break
            if folded.startswith("limit"):
                self.betting = Betting.LIMIT
            elif folded.startswith("nolimit"):
                self.betting = Betting.NO_LIMIT
            elif folded.startswith("#"):
                self.comments.append(line.rstrip("\r"))
            else:
                for key in (*_LISTS, *_NUMBERS):
                    if folded.startswith(key.lower()):
                        values = _numbers(line[len(key) :], _LISTS.get(key, 1))
                        if key == "raiseSize" and len(values) > MAX_ROUNDS:  # the reference writes past its array
                            self.lines[key] = number
                            raise self.fail(
                                key,
                                f"{len(values)} values, but a game has at most {MAX_ROUNDS} rounds; write one for each",
                            )
                        if key not in _COUNTED:  # a shorter repeat replaces only the values it gives
                            values += self.items.get(key, ())[len(values) :]
                        self.items[key] = values
                        self.lines[key] = number
                for key in _TEXTS:
                    if folded.startswith(key.lower()):
                        self.texts[key] = line[len(key) :].strip("\r\t =")
                        self.lines[key] = number

    def fail(self, key: str, message: str) -> GameDefError:
        where = f"{self.source}:{self.lines[key]}" if key in self.lines else self.source
        return GameDefError(f"{where}: {key}: {message}")

    def number(self, key: str, low: int, high: int) -> int:
        if not self.items.get(key):
            what = "no number here; write" if key in self.lines else "missing; add a line"
            raise self.fail(key, f"{what} '{key} = N' with N from {low} to {high}")
        return self.series(key, 1, low, high)[0]

    def series(self, key: str, count: int, low: int, high: int, default: int | None = None) -> tuple[int, ...]:
        """Return `count` values. A short list is filled up with the `default`; without one it is an error."""
        values = self.items.get(key, ())[:count]
        if len(values) < count:
            if default is None:
                what = "has" if key in self.lines else "missing:"
                raise self.fail(key, f"{what} {len(values)} values, but the game needs {count}; write '{key} = N N …'")
            values += (default,) * (count - len(values))
        for value in values:
            if not low <= value <= high:
                raise self.fail(key, f"{value} is not from {low} to {high}")
        return values

    def game(self) -> GameDef:
        betting = self.kind("betting", self.betting)  # else that of the line ``limit`` or ``nolimit``
        ranking = self.kind("handRanking", Ranking.HIGH)
        players = self.number("numPlayers", 2, MAX_PLAYERS)
        rounds = self.number("numRounds", 1, MAX_ROUNDS)
        stack, blind, dead = self.chips(players)
        suits = self.number("numSuits", 1, 4)
        ranks = self.number("numRanks", 1, 13)
        is_extended = any(key in self.lines for key in EXTENSIONS)
        holes = self.number("numHoleCards", 1, MAX_DRAW_HOLE_CARDS if is_extended else MAX_HOLE_CARDS)
        board = self.series("numBoardCards", rounds, 0, 255)
        if sum(board) > MAX_BOARD_CARDS:
            raise self.fail("numBoardCards", f"{sum(board)} board cards; the protocol holds at most {MAX_BOARD_CARDS}")
        needed = holes * players + sum(board)
        if needed > suits * ranks:
            deals = f"{needed} cards are dealt from a deck of {suits * ranks}"
            raise self.fail("numHoleCards", f"{deals}; deal fewer, or add suits or ranks")
        whole = "wholeAntes" in self.lines and self.number("wholeAntes", 0, 1) == 1
        least = self.number("minBet", 1, MAX_CHIPS // 2) if "minBet" in self.lines else 0
        used = self.number("holeCardsUsed", 2, max(2, holes - 1)) if "holeCardsUsed" in self.lines else 0
        game = GameDef(
            betting=betting,
            num_players=players,
            num_rounds=rounds,
            stack=stack,
            blind=blind,
            raise_size=self.series("raiseSize", rounds, 0, NO_STACK_LIMIT) if betting is Betting.LIMIT else (),
            first_player=tuple(p - 1 for p in self.series("firstPlayer", rounds, 1, players, default=1)),
            max_raises=self.series("maxRaises", rounds, 0, NO_RAISE_LIMIT, default=NO_RAISE_LIMIT),
            num_suits=suits,
            num_ranks=ranks,
            num_hole_cards=holes,
            num_board_cards=board,
            comments=tuple(self.comments),
            num_draws=self.draws(rounds),
            max_discard=self.number("maxDiscard", 1, holes) if "maxDiscard" in self.lines else 0,
            raise_fractions=self.fractions(rounds, betting),
            hole_cards_used=used,
            dead=dead if any(dead) else (),
            min_bet=0 if least == max(1, *blind) else least,
            whole_antes=whole and any(dead) and 0 in stack,
            ranking=ranking,
        )
        if ranking is Ranking.SHORT_DECK and ranks > 9:
            raise self.fail(
                "handRanking", f"short-deck has no card below the six, and this deck {ranks} ranks; write 9"
            )
        problem = deal_problem(holes, board, used, game.num_draws, game.max_discard)
        chips = game.no_limit, stack, blind, game.raise_size, game.max_raises, self.items, dead
        if problem := problem or overflow(*chips):
            raise self.fail(*problem)
        return game

    def chips(self, players: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return stacks, blinds and antes per position; no antes where the definition has none."""
        dead = self.series("ante", players, 0, NO_STACK_LIMIT) if "ante" in self.lines else ()
        if "stack" in self.items:
            stack = self.series("stack", players, 0 if any(dead) else 1, NO_STACK_LIMIT)
        elif players > 4:
            raise self.fail("stack", "missing; with 5 or more players the reference needs the line (it sets only 4)")
        else:
            stack = (NO_STACK_LIMIT,) * players
        blind = self.series("blind", players, 0, NO_STACK_LIMIT)
        for position in range(players):
            if blind[position] > stack[position]:
                posts = f"position {position} posts {blind[position]} of a stack of {stack[position]}"
                raise self.fail("blind", f"{posts}; make the blind smaller or the stack larger")
        for position, chips in enumerate(map(add, stack, dead)):
            if not chips:
                raise self.fail("stack", f"position {position} has no chips and posts no ante; give it some")
        if blind == stack:
            raise self.fail("blind", "every player is all in before the first action; make a stack larger")
        return stack, blind, dead

    def kind(self, key: str, default: Kind) -> Kind:
        text = self.texts.get(key, default.value)
        try:
            return type(default)(text.lower())
        except ValueError:
            last, *others = (kind.value for kind in type(default))
            raise self.fail(key, f"{text[:80]!r}; write {', '.join(reversed(others))} or {last}") from None

    def draws(self, rounds: int) -> tuple[int, ...]:
        draws = self.series("numDraws", rounds, 0, 1) if "numDraws" in self.lines else (0,)
        if draws[0]:
            raise self.fail("numDraws", "a draw before the first round; begin with 0")
        return draws if any(draws) else ()

    def fractions(self, rounds: int, betting: Betting) -> tuple[tuple[int, ...], ...]:
        """Return the raises allowed in each round, in thousandths of the pot. The last list counts for later rounds."""
        key = "raiseFractions"
        if key not in self.texts:
            return ()
        if betting is Betting.LIMIT:
            raise self.fail(key, "a limit game has one raise; leave the line out, or write betting = potlimit")
        try:
            return read_fractions(self.texts[key], rounds, betting is Betting.POT_LIMIT)
        except ValueError as error:
            raise self.fail(key, str(error)) from None


def _numbers(text: str, most: int) -> tuple[int, ...]:
    """Return the leading numbers of `text`, with spaces and ``=`` between them, up to other text."""
    values: list[int] = []
    at = 0
    while len(values) < most and (match := _NUMBER.match(text, at)):
        values.append(int(match[1]))
        at = match.end()
    return tuple(values)


# --- The phases of a hand: the betting of each round, and a draw before it in games that have one.


class Phase(Enum):
    """The kind of decision that the players of a hand are at."""

    BET = "bet"
    DRAW = "draw"


BET, DRAW = Phase.BET, Phase.DRAW
