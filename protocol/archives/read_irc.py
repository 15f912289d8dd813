"""Read hold'em of the IRC poker database (University of Alberta), whose hands stand in three kinds of files.

A line of ``hdb`` is a hand: time, dealer, number, players, players and pot at the flop, turn, river and showdown, and the board.
``hroster`` has the players of each time, and ``pdb.NAME`` what a player did: time, players, position (1 is dealt to first), the
actions of each street as letters, chips before the hand, chips put in, chips won, and cards that were shown.

No line tells the size of a bet. Limit games need none. In no-limit games a size follows where somebody put in no more chips than
that bet, and where a street ended with it; hands with another bet are refused, as are those whose chips do not come out right.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from limpet.protocol.archives.blocks import unpacked
from limpet.protocol.archives.hand_file import BadHand, applied, ended, known_holdem
from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import MAX_PLAYERS, GameDef
from limpet.protocol.handhistory import contested_pot, uncalled
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import CALL, FOLD, RAISE, State, raise_to

HAND = re.compile(r"^\d{6,12}[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+\d+/\d+[ \t]", re.MULTILINE)
"""Beginning of a line of ``hdb``."""
NO_LIMIT = ("nolimit", "tourney")
"""Folders of no-limit hold'em; other folders have limit hold'em."""
OTHERS = re.compile(r"stud|omaha|ohl|pot|ptourney")
"""In names of folders of other games: stud, Omaha, and pot-limit games."""

_POT = re.compile(r"(\d+)/(\d+)")
_STREETS = 4
_GONE = {"Q": "f", "K": "f"}
"""Who quits the game or is kicked out of it folds."""


class Deed(NamedTuple):
    """A player's part in a hand, by a line of `pdb`. `chips` are those before it, `spent` those put in, `won` those taken from the pot."""

    name: str
    position: int
    letters: tuple[str, ...]
    chips: int
    spent: int
    won: int
    cards: Hole


class IrcMove(NamedTuple):
    """An action in its turn. `player` counts from 0 in the order of the deal."""

    street: int
    player: int
    letter: str


class Folder:
    """The files of a month's hands, read when they are asked for."""

    def __init__(self, hands: Path) -> None:
        """Prepare the folder in which the file ``hdb`` is."""
        self._hands = hands
        names = [part.lower() for part in hands.resolve().parts[:-1]]
        self.channel = names[-2] if len(names) > 1 and names[-1].isdigit() else names[-1]
        self._deeds: dict[str, dict[str, Deed]] = {}

    @cached_property
    def _rosters(self) -> dict[str, list[str]]:
        lines = (line.split() for line in _lines(self._hands.with_name(self._hands.name.replace("hdb", "hroster"))))
        return {words[0]: words[2:] for words in lines if len(words) > 2}

    def players(self, time: str) -> list[Deed]:
        """Return what the players of a hand did, in the order of the deal. Raises `BadHand`."""
        if time not in self._rosters:
            raise BadHand("hroster has no players of this hand")
        names = self._rosters[time]
        deeds = [self._deeds_of(name).get(time) for name in names]
        known = sorted((deed for deed in deeds if deed is not None), key=lambda deed: deed.position)
        if len(known) < len(names):
            raise BadHand(f"{names[deeds.index(None)]} has no line for this hand")
        if [deed.position for deed in known] != list(range(1, len(names) + 1)):
            raise BadHand("the positions of the players are no order of deal")
        return known

    def _deeds_of(self, name: str) -> dict[str, Deed]:
        if name not in self._deeds:
            files = [self._hands.with_name("pdb") / f"pdb.{name}", self._hands.with_name(f"pdb.{name}")]
            path = next((path for path in files if path.is_file()), None)
            read = map(_deed, _lines(path)) if path is not None else ()
            self._deeds[name] = {time: deed for time, deed in filter(None, read)}
        return self._deeds[name]


def _lines(path: Path) -> Iterator[str]:
    with unpacked(path) as (file, _):
        for line in file:
            yield line.decode("utf-8", "surrogateescape")


def _deed(line: str) -> tuple[str, Deed] | None:
    """Return the time and what a player did, None for a line of another form."""
    name, *words = line.split()
    if len(words) < 10 or not all(word.isdigit() for word in (*words[:3], *words[7:10])):
        return None
    try:
        cards = parse_cards("".join(words[10:]))
    except ProtocolError:
        cards = ()
    chips, spent, won = map(int, words[7:10])
    return words[0], Deed(name, int(words[2]), tuple(words[3:7]), chips, spent, won, cards)


def read_hand(text: str, folder: Folder) -> tuple[HandRecord, str, float]:
    """Return the hand of a line of ``hdb``, its channel, and its time in seconds since 1970. Raises `BadHand`."""
    if OTHERS.search(folder.channel):
        raise BadHand(f"{folder.channel} is no limit or no-limit hold'em")
    time, _, _, count, *rest = text.split()
    pots = [_POT.fullmatch(word) for word in rest[:_STREETS]]
    if len(pots) < _STREETS or None in pots:
        raise BadHand("the pots of four streets are not told")
    sizes = [int(pot[2]) for pot in pots if pot]
    try:
        board = parse_cards("".join(rest[_STREETS:]))
    except ProtocolError as error:
        raise BadHand(str(error)) from error
    players = folder.players(time)
    if not 2 <= len(players) <= MAX_PLAYERS or len(players) != int(count):
        raise BadHand(f"{len(players)} players of {count} are told; 2 to {MAX_PLAYERS} can play")
    if not all(len(deed.cards) in (0, 2) for deed in players):
        raise BadHand("a player shows other than two cards")
    is_limit = folder.channel not in NO_LIMIT
    orders = [players] if len(players) > 2 else [players, players[::-1]]  # heads-up either may have the small blind
    hands, reasons = [], []
    for order in orders:
        try:
            hands.append(_record(int(time), order, sizes, board, is_limit))
        except BadHand as error:
            reasons.append(error)
    if not hands:
        raise reasons[0]
    if len(hands) > 1:
        raise BadHand("two players, of whom either may have posted the small blind")
    return hands[0], folder.channel, float(time)


def _moves(players: Sequence[Deed]) -> list[IrcMove]:
    """Return the actions of a hand in their turns, the blinds among them. Raises `BadHand`."""
    count, gone = len(players), set[int]()
    moves = [IrcMove(0, player, "B") for player in range(2)]
    if [deed.letters[0][:1] for deed in players[:2]] != ["B", "B"] or any(
        "B" in deed.letters[0] for deed in players[2:]
    ):
        raise BadHand("the blinds are not posted by the first two players alone")
    for street in range(_STREETS):
        left = [list(deed.letters[street].replace("-", "").removeprefix("B")) for deed in players]
        at = 2 % count if street == 0 else 0 if count > 2 else 1
        while any(left):
            if at not in gone:
                if not left[at]:
                    raise BadHand(f"{players[at].name} does nothing in a turn of its own")
                letter = left[at].pop(0)
                letter = _GONE.get(letter, letter)
                if letter not in "fkbcrA":
                    raise BadHand(f"{letter!r} is no action that is read")
                moves.append(IrcMove(street, at, letter))
                if letter in "fA":
                    gone.add(at)
            elif left[at]:
                raise BadHand(f"{players[at].name} acts after having left the hand")
            at = (at + 1) % count
    return moves


def _record(time: int, players: Sequence[Deed], pots: Sequence[int], board: Hole, is_limit: bool) -> HandRecord:
    """Return the hand of players in the order of the deal, the small blind first. Raises `BadHand`."""
    moves = _moves(players)
    levels = _levels(players, moves, pots)
    game = _game(players, moves, levels, is_limit)
    seats = list(range(len(players))) if len(players) > 2 else [1, 0]  # positions: heads-up the big blind is 0
    state, told = State.start(game), 0
    for number, move in enumerate(moves[2:], 2):
        while move.street > told:
            told += 1
            _check_pot(state, pots[told - 1], told)
        if state.finished or state.round != move.street or state.actor != seats[move.player]:
            raise BadHand(f"it is not the turn of {players[move.player].name} after '{state.betting}'")
        if move.letter == "f" and not state.to_call:
            raise BadHand(f"{players[move.player].name} folds where checking was free")
        if move.letter in "fkc":
            if (move.letter == "c") != bool(state.to_call) and move.letter != "f":
                raise BadHand(f"{players[move.player].name} cannot {'call' if move.letter == 'c' else 'check'} there")
            state = applied(state, FOLD if move.letter == "f" else CALL)
        elif move.letter == "A" and players[move.player].chips <= state.max_spent:
            state = applied(state, CALL)
        elif is_limit:
            state = applied(state, RAISE)
        else:
            level = players[move.player].chips if move.letter == "A" else levels.get(number)
            if level is None:
                raise BadHand("nothing tells the size of a bet")
            state = applied(state, raise_to(level))
    held: list[Hole] = [()] * len(players)
    values = [0.0] * len(players)
    for seat, deed in zip(seats, players, strict=True):
        held[seat], values[seat] = deed.cards, float(deed.won - deed.spent)
    end = ended(state, board, [card for hole in held for card in hole])
    if end.showdown:
        _check_pot(end, pots[-1], _STREETS)
    most, back = uncalled(end.spent)
    for seat, deed in zip(seats, players, strict=True):
        if deed.spent not in (end.spent[seat], end.spent[seat] - back * (seat == most)):
            raise BadHand(f"{deed.name} put in {deed.spent}, but {end.spent[seat]} by the betting")
    names = tuple(players[seats.index(position)].name for position in range(len(players)))
    if sum(values):
        raise BadHand(f"the chips won and put in differ by {sum(values):g}")
    return HandRecord(time, end, tuple(held), tuple(values), names)


def _check_pot(state: State, pot: int, street: int) -> None:
    """Raise `BadHand` unless a pot is that of the betting, with the chips that nobody called or without them."""
    if pot not in (state.pot, contested_pot(state)):
        raise BadHand(f"the pot is {pot} after {street} rounds of betting, but {state.pot} by the betting")


def _levels(players: Sequence[Deed], moves: Sequence[IrcMove], pots: Sequence[int]) -> dict[int, int]:
    """Return the chips that those in the hand have put in after a blind or a bet, by the number of its move, where that is told.

    A player's chips in all are what had been bet when the player last put chips in. Where nobody is all in, the pot at the end of
    a street is shared by those who are in, but for the chips of those who have folded.
    """
    last = {move.player: number for number, move in enumerate(moves) if move.letter not in "fk"}
    levels: dict[int, int] = {}
    bet, folded, is_open = 0, set[int](), True
    for number, move in enumerate(moves):
        deed = players[move.player]
        if move.letter == "A":  # a call or a raise: what it is shows only when the sizes are known
            bet, is_open = -1, False
        elif move.letter == "f":
            folded.add(move.player)
        elif move.letter in "bcr" or number < 2:
            bet = number if move.letter != "c" else bet
            if bet >= 0 and last[move.player] == number and deed.spent < deed.chips:
                levels.setdefault(bet, deed.spent)
        if is_open and pots[move.street] and (number + 1 == len(moves) or moves[number + 1].street > move.street):
            others = pots[move.street] - sum(players[player].spent for player in folded)
            levels.setdefault(bet, others // (len(players) - len(folded)))
    return levels


def _game(players: Sequence[Deed], moves: Sequence[IrcMove], levels: dict[int, int], is_limit: bool) -> GameDef:
    """Return the game with the blinds that follow from what was put in. Raises `BadHand`."""
    raises = [number for number, move in enumerate(moves) if move.street == 0 and move.letter in "br"]
    big = levels.get(1, 2 * levels.get(0, 0))
    if is_limit:
        told = [levels[number] / (2 + count) for count, number in enumerate(raises) if number in levels]
        big = int(big or (told[0] if told else 0))
    if not big:
        raise BadHand("nothing tells the big blind")
    small = levels.get(0, big // 2)
    stack = tuple(deed.chips for deed in players)
    posts = (small, big, *[0] * (len(players) - 2))
    if len(players) == 2:
        stack, posts = stack[::-1], posts[::-1]
    return known_holdem(stack, tuple(map(min, posts, stack)), (big, big, 2 * big, 2 * big) if is_limit else ())
