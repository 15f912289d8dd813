"""The situation of a sit-and-go tournament around one hand: all stacks, the blinds and the prizes.

The definition of each hand of a tournament carries it in one comment line, which programs may ignore:

    # tournament: number=3 hand=17 level=2 blinds=50,100 ante=10 stacks=1500,0,3000 seats=2,0 payouts=65,35,0

Where antes are true ones, no part of the blinds, the line ends with `antes=dead`.

`number` counts tournaments, `hand` the hands of the tournament and `level` its blind levels, all from 0. `stacks` are
chips per seat before the hand's blinds and antes, 0 for a seat that is out. `seats` has the seat at each position of the
game. `payouts` are the prizes from the first place down, one for each seat.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import isfinite
from operator import sub
from typing import NamedTuple

from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import NO_RAISE_LIMIT, Betting, GameDef
from limpet.protocol.ranking import Ranking

# --- The definition of a hold'em game from its stacks and blinds.

LIMIT_RAISES = (3, 4, 4, 4)
"""Most raises per round of limit hold'em; the big blind counts as the first bet of the first round."""


def holdem(
    stack: tuple[int, ...], blind: tuple[int, ...], raise_size: tuple[int, ...] = (), comments: tuple[str, ...] = (),
    ante: int = 0, first: int | None = None, dead: tuple[int, ...] = (), min_bet: int = 0, whole_antes: bool = False,
) -> GameDef:  # fmt: skip
    """Return hold'em of one hand: limit where `raise_size` has the bet of each round, else no-limit.

    `stack` and `blind` are chips per position, of which `ante` chips of each blind are known to be an ante. `first` is the
    position that acts first: left of the big blind where it is None, and two players on the button. `dead`, `min_bet` and
    `whole_antes` are those of the game, left out where they change nothing.
    """
    players = len(stack)
    if first is None:
        first = 2 if players > 2 else 1
    return GameDef(
        betting=Betting.LIMIT if raise_size else Betting.NO_LIMIT,
        num_players=players,
        num_rounds=4,
        stack=stack,
        blind=blind,
        raise_size=raise_size,
        first_player=(first, 0, 0, 0),
        max_raises=LIMIT_RAISES if raise_size else (NO_RAISE_LIMIT,) * 4,
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3, 1, 1),
        comments=comments,
        ante=ante,
        dead=dead if any(dead) else (),
        min_bet=0 if min_bet == max(1, *blind) else min_bet,
        whole_antes=whole_antes and any(dead) and 0 in stack,
    )


def has_holdem_cards(game: GameDef) -> bool:
    """Return whether a game's deck, private cards, board and ranking are those of hold'em."""
    cards = (game.num_suits, game.num_ranks, game.num_hole_cards, game.num_board_cards)
    return cards == (4, 13, 2, (0, 3, 1, 1)) and game.ranking is Ranking.HIGH


PREFIX = "# tournament:"
DEAD_ANTES = "antes=dead"
"""Last word of the situation of a hand with true antes."""


class Situation(NamedTuple):
    """The facts of a tournament that its players know before a hand, beside the hand's game. Amounts are chips.

    Attributes:
        number: number of the tournament, from 0. Rotations of the seats with the same cards have the same number.
        hand: number of hands that the tournament has played before this one.
        level: number of the blind level, from 0.
        stacks: chips per seat before blinds and antes; 0 for a seat that is out.
        seats: seat at each position of the game.
        true_antes: whether antes are dead chips, as in a casino, or a part of each blind.
    """

    number: int
    hand: int
    level: int
    small_blind: int
    big_blind: int
    ante: int
    stacks: tuple[int, ...]
    seats: tuple[int, ...]
    payouts: tuple[float, ...]
    """Prizes from the first place down, one for each seat, in any unit. The last places usually have 0."""
    true_antes: bool = False

    @property
    def live_stacks(self) -> tuple[int, ...]:
        """Chips per position before blinds and antes."""
        return tuple(self.stacks[seat] for seat in self.seats)

    @property
    def live_payouts(self) -> tuple[float, ...]:
        """The prizes that are still to be won, one for each position of the game."""
        return self.payouts[: len(self.seats)]

    def __str__(self) -> str:
        prizes = ",".join(f"{prize:.12g}" for prize in self.payouts)
        return (
            f"{PREFIX} number={self.number} hand={self.hand} level={self.level} "
            f"blinds={self.small_blind},{self.big_blind} ante={self.ante} stacks={_listed(self.stacks)} "
            f"seats={_listed(self.seats)} payouts={prizes}{f' {DEAD_ANTES}' if self.true_antes else ''}"
        )

    @staticmethod
    @lru_cache(maxsize=256)
    def parse(line: str) -> "Situation":
        """Return the situation that a comment line describes. Raises `GameDefError` for any other line."""
        try:
            words = dict(word.split("=", 1) for word in line.removeprefix(PREFIX).split())
            small, big = _numbers(words["blinds"])
            counts = [int(words[key]) for key in ("number", "hand", "level")]
            stacks, seats = _numbers(words["stacks"]), _numbers(words["seats"])
            payouts = tuple(map(float, words["payouts"].split(",")))
            is_true = words.get("antes") == "dead"
            situation = Situation(
                counts[0], counts[1], counts[2], small, big, int(words["ante"]), stacks, seats, payouts, is_true
            )
        except (KeyError, ValueError) as error:
            raise GameDefError(f"{line[:200]!r}: not the situation of a tournament: {error}") from error
        live = sorted(seat for seat, chips in enumerate(stacks) if chips)
        if sorted(seats) != live or len(payouts) != len(stacks) or not all(map(isfinite, payouts)) or min(stacks) < 0:
            raise GameDefError(
                f"{line[:200]!r}: seats must be those with chips, and payouts finite, one for each stack"
            )
        return situation

    @staticmethod
    def of(game: GameDef) -> "Situation":
        """Return the situation that a game's comments describe; without one, that of a game in which the winner takes all.

        Raises `GameDefError` for a line that begins like a situation and is none, or does not fit the game.
        """
        line = next((comment for comment in game.comments if comment.startswith(PREFIX)), None)
        if line is None:
            return _winner_takes_all(game)
        situation = Situation.parse(line)
        if situation.live_stacks != game.starting_stack:
            raise GameDefError(
                f"{line!r}: these seats hold {situation.live_stacks} chips, the game's stacks {game.starting_stack}"
            )
        return situation


def game_of(situation: Situation) -> GameDef:
    """Return the game of a tournament's hand. The comment above a hand of ``hands.log`` is its situation."""
    players, stack = len(situation.seats), situation.live_stacks
    small, big, ante = situation.small_blind, situation.big_blind, situation.ante
    posts = [small, big, *[0] * (players - 2)] if players > 2 else [big, small]
    if situation.true_antes:
        dead = tuple(min(have, ante) for have in stack)
        behind = tuple(map(sub, stack, dead))
        return holdem(behind, tuple(map(min, behind, posts)), comments=(str(situation),), dead=dead, min_bet=big)
    blind = tuple(min(have, ante + post) for have, post in zip(stack, posts, strict=True))
    return holdem(stack, blind, comments=(str(situation),), ante=ante)


def is_tournament(game: GameDef) -> bool:
    """Return whether a game is a hand of a tournament, whose comments describe its situation."""
    return any(comment.startswith(PREFIX) for comment in game.comments)


def definition_text(game: GameDef) -> str:
    """Return the text of a game with its comments, from which `GameDef.parse` reads the same game and comments."""
    return "".join(f"{comment}\n" for comment in game.comments) + str(game)


def _winner_takes_all(game: GameDef) -> Situation:
    """Return the situation of a game of its own. Three and more players who all post a blind post an ante first."""
    players = game.num_players
    ante = min(game.blind) if players > 2 else 0
    blinds = [chips - ante for chips in game.blind if chips > ante]
    if game.dead:  # of antes that differ, the mean
        most, players_in = max(game.dead), zip(game.dead, game.stack, strict=True)
        ante = most if all(chips == most or not have for chips, have in players_in) else game.dead_pot // players
        blinds = list(game.blind)
    big, small = sorted([*blinds, 0, 0], reverse=True)[:2]
    prizes = (1.0, *[0.0] * (players - 1))
    return Situation(0, 0, 0, small, big, ante, game.starting_stack, tuple(range(players)), prizes, bool(game.dead))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _listed(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))
