"""A finished hand as hand histories tell it: street by street, with pots, and with names for streets and positions."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State

_HOLDEM_BOARD = (0, 3, 1, 1)


class Street(NamedTuple):
    """A round of a hand."""

    round: int
    cards: tuple[int, ...]
    """The board cards dealt for it."""
    steps: tuple[State, ...]
    """The states after each action; their `parent` is the state that was acted in."""


class Pot(NamedTuple):
    """A main or side pot."""

    chips: int
    positions: tuple[int, ...]
    """Who may win it."""


class Unsupported(ProtocolError):
    """A game or a hand that another format has no words for."""


def streets(end: State) -> Iterator[Street]:
    """The rounds of a hand that led to `end`, those without actions (everybody all in) included."""
    steps: list[list[State]] = [[] for _ in range(end.round + 1)]
    for state in end.path():
        if state.parent is not None:
            steps[state.parent.round].append(state)
    sizes = (0, *end.game.board_sizes)
    for round_, states in enumerate(steps):
        yield Street(round_, end.board[sizes[round_] : sizes[round_ + 1]], tuple(states))


def uncalled(spent: Sequence[int]) -> tuple[int, int]:
    """Who put in the most, and by how many chips nobody matched it: a bet's part that goes back.

    >>> uncalled((100, 300, 0))
    (1, 200)
    """
    most = max(range(len(spent)), key=spent.__getitem__)
    return most, spent[most] - max(chips for position, chips in enumerate(spent) if position != most)


def contested_pot(spent: Sequence[int]) -> int:
    """The chips that were played for: all that was put in, without what nobody matched.

    >>> contested_pot((100, 300, 0))
    200
    """
    return sum(spent) - uncalled(spent)[1]


def pots(spent: Sequence[int], folded: int) -> list[Pot]:
    """The main pot and the side pots; bit p of `folded` is set when position p has folded. Nothing uncalled is in them.

    >>> pots((400, 1000, 1000), 0)
    [Pot(chips=1200, positions=(0, 1, 2)), Pot(chips=1200, positions=(1, 2))]
    """
    most, over = uncalled(spent)
    matched = [chips - over if position == most else chips for position, chips in enumerate(spent)]
    levels = {chips for position, chips in enumerate(matched) if chips and not folded >> position & 1}
    found: list[Pot] = []
    below = 0
    for level in sorted(levels):
        chips = sum(min(part, level) - min(part, below) for part in matched)
        inside = tuple(p for p, part in enumerate(matched) if part >= level and not folded >> p & 1)
        found.append(Pot(chips, inside))
        below = level
    return found


def street_names(game: GameDef) -> tuple[str, ...]:
    """``preflop``, ``flop``, ``turn``, ``river`` where the board grows as in hold'em, else ``round 1`` and so on."""
    if game.num_board_cards == _HOLDEM_BOARD[: game.num_rounds]:
        return ("preflop", "flop", "turn", "river")[: game.num_rounds]
    return tuple(f"round {round_ + 1}" for round_ in range(game.num_rounds))


def position_names(game: GameDef) -> tuple[str, ...]:
    """What the positions are called: ``big blind`` and ``button`` heads-up, ``position 2`` where there is no name."""
    names = [f"position {position}" for position in range(game.num_players)]
    blinds = sorted({blind for blind in game.blind if blind})
    if len(blinds) == 2 and sum(blind > 0 for blind in game.blind) == 2:
        for name, blind in zip(("small blind", "big blind"), blinds, strict=True):
            names[game.blind.index(blind)] = name
        # The last position deals; heads-up it posts a blind as well.
        if names[-1] != "big blind":
            names[-1] = "button"
    return tuple(names)


def check_holdem(game: GameDef, target: str) -> None:
    """Raises `Unsupported` if `game` is not Texas hold'em with its usual blinds and order of play, for the text `target`."""
    players = game.num_players
    big = 0 if players == 2 else 1
    wrong = None
    if (game.num_suits, game.num_ranks) != (4, 13):
        wrong = f"its deck has {game.num_suits} suits and {game.num_ranks} ranks"
    elif game.num_hole_cards != 2 or game.num_board_cards != _HOLDEM_BOARD:
        board = " ".join(map(str, game.num_board_cards))
        wrong = f"its players hold {game.num_hole_cards} cards, and {board} cards are dealt to the board"
    elif not 0 < game.blind[big] >= game.blind[1 - big] or any(game.blind[2:]):
        wrong = f"its blinds are {' '.join(map(str, game.blind))}"
    elif game.first_player != ((big + 1) % players, 0, 0, 0):
        wrong = f"its first players are {' '.join(str(position + 1) for position in game.first_player)}"
    if wrong:
        raise Unsupported(f"{target} can tell Texas hold'em only, and this is another game: {wrong}")
