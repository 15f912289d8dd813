"""The parts of a hand history: the streets and pots of a finished hand, and the names of streets and positions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import sub
from typing import NamedTuple

from limpet.protocol.chip_sums import actor_after
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import BET, DRAW, NO_STACK_LIMIT, GameDef, Phase
from limpet.protocol.ranking import Ranking
from limpet.protocol.settlement import dead_layers
from limpet.protocol.state import State

STREET_NAMES = ("preflop", "flop", "turn", "river")
"""Names of hold'em's streets."""

_HOLDEM_BOARD = (0, 3, 1, 1)


class Street(NamedTuple):
    """The betting of a round of a hand, or the draw before it: the board cards dealt for it and the states after each action.

    `base` are the chips that everybody had to match when it began; 0 in the first one, whose blinds count as its bets.
    """

    round: int
    cards: tuple[int, ...]
    steps: tuple[State, ...]
    base: int
    phase: Phase = BET


class Pot(NamedTuple):
    """A main or side pot, and the positions that may win it."""

    chips: int
    positions: tuple[int, ...]


class Unsupported(ProtocolError):
    """Another format cannot express a game or a hand."""


def streets(end: State) -> Iterator[Street]:
    """Yield the rounds of a hand that led to `end`, idle ones too; a draw comes before its round's betting."""
    steps: list[list[State]] = [[] for _ in range(end.round + 1)]
    draws: list[list[State]] = [[] for _ in range(end.round + 1)]
    for state in end.path():
        if state.parent is not None:
            (steps if state.parent.phase is BET else draws)[state.parent.round].append(state)
    sizes = (0, *end.game.board_sizes)
    for round_, states in enumerate(steps):
        if draws[round_]:
            yield Street(round_, (), tuple(draws[round_]), draws[round_][0].max_spent, DRAW)
        before = states[0].parent if states and round_ else None
        board = end.board[sizes[round_] : sizes[round_ + 1]]
        yield Street(round_, board, tuple(states), before.max_spent if before is not None else 0)


def street_base(state: State, ante: int = 0) -> int:
    """Return the chips that the actor's bets of this street are added to: its ante, later what everybody has matched."""
    return state.round_start().max_spent if state.round else ante


def uncalled(spent: Sequence[int]) -> tuple[int, int]:
    """Return the position that put in the most, and the chips of it that nobody matched, which go back.

    >>> uncalled((100, 300, 0))
    (1, 200)
    """
    most = max(range(len(spent)), key=spent.__getitem__)
    return most, spent[most] - max(chips for position, chips in enumerate(spent) if position != most)


def at_risk(state: State, position: int) -> int:
    """Return the chips that a position can lose in the hand: its stack, or the largest other stack that is still in."""
    stack = state.game.stack
    others = [chips for other, chips in enumerate(stack) if other != position and not state.has_folded(other)]
    return min(stack[position], max(others))


def contested_pot(state: State) -> int:
    """Return all chips that were put in, antes too, without those that nobody matched."""
    return state.pot - uncalled(state.spent)[1]


def all_pots(state: State) -> list[Pot]:
    """Return the pots of a hand as `pots` does, the true antes of its game in the first ones."""
    return with_antes(state, pots(state.spent, state.folded))


def with_antes(state: State, layers: list[Pot]) -> list[Pot]:
    """Return the pots of a state with the true antes of its game in the first ones."""
    if not state.game.dead:
        return layers
    *sides, main = [Pot(*layer) for layer in dead_layers(state.game, state.folded)]
    if layers and layers[0].positions == main.positions:
        main, *layers = Pot(main.chips + layers[0].chips, main.positions), *layers[1:]
    return [*sides, main, *layers]


def pots(spent: Sequence[int], folded: int) -> list[Pot]:
    """Return the main pot and the side pots, without uncalled chips. Bit p of `folded` says that position p has folded.

    >>> pots((400, 1000, 1000), 0)
    [Pot(chips=1200, positions=(0, 1, 2)), Pot(chips=1200, positions=(1, 2))]
    """
    most, over = uncalled(spent)
    matched = [chips - over if position == most else chips for position, chips in enumerate(spent)]
    levels = {chips for position, chips in enumerate(matched) if chips and not folded >> position & 1}
    layers: list[Pot] = []
    below = 0
    for level in sorted(levels):
        chips = sum(min(part, level) - min(part, below) for part in matched)
        inside = tuple(p for p, part in enumerate(matched) if part >= level and not folded >> p & 1)
        layers.append(Pot(chips, inside))
        below = level
    return layers


def with_ending_stacks(end: State) -> GameDef:
    """Return the game of a hand with stacks that a definition and a text can hold.

    In no-limit games a stack without a limit becomes a big blind more than anybody put in, so that it makes nobody all in.
    """
    game = end.game
    if not game.no_limit or NO_STACK_LIMIT not in game.starting_stack:
        return game
    deep, dead = max(end.paid) + game.big_blind, game.dead or (0,) * game.num_players
    starts = [deep if chips == NO_STACK_LIMIT else chips for chips in game.starting_stack]
    return replace(game, stack=tuple(map(sub, starts, dead)))


def street_names(game: GameDef) -> tuple[str, ...]:
    """Return ``preflop``, ``flop``, … where the board grows as in hold'em, else ``round 1`` and so on."""
    if game.num_board_cards == _HOLDEM_BOARD[: game.num_rounds]:
        return STREET_NAMES[: game.num_rounds]
    return tuple(f"round {round_ + 1}" for round_ in range(game.num_rounds))


def position_names(game: GameDef) -> tuple[str, ...]:
    """Return the names of the positions: ``big blind`` and ``button`` heads-up, ``position 2`` for one without a name."""
    names = [f"position {position}" for position in range(game.num_players)]
    posts = [post - ante for post, ante in zip(game.blind, antes(game), strict=True)]
    if is_casino(game):  # straddles and posts behind the blinds have no names
        posts[2:] = [0] * (len(posts) - 2)
    posted = [position for position, post in enumerate(posts) if post > 0]
    # Who is all in may have posted less than the blind: then the place tells the blinds apart.
    short = any(game.blind[position] == game.stack[position] for position in posted)
    if len(posted) == 2 and (short or len({posts[position] for position in posted}) == 2):
        by_place = posted[::-1] if game.num_players == 2 and game.first_player[0] == 1 else posted
        small, big = by_place if short else sorted(posted, key=posts.__getitem__)
        names[small], names[big] = "small blind", "big blind"
        # The last position has the button; heads-up it posts a blind as well.
        if names[-1] != "big blind":
            names[-1] = "button"
    return tuple(names)


def antes(game: GameDef) -> tuple[int, ...]:
    """Return the part of each position's blind that is an ante: what everybody behind the blinds posts, or a shorter stack.

    Zeros where not everybody posts as much, heads-up where the file does not tell blinds and antes apart, and in games that
    have true antes, which are no part of the blinds.
    """
    if is_casino(game):
        return (0,) * game.num_players
    ante = game.ante or max(game.blind[2:], default=0)
    parts = tuple(min(ante, stack) for stack in game.stack)
    posts = list(zip(game.blind, parts, game.stack, strict=True))
    blinds = all(part < post or part == stack for post, part, stack in posts[:2])
    return parts if blinds and all(part == post for post, part, _ in posts[2:]) else (0,) * len(parts)


def big_blind(game: GameDef) -> int:
    """Return the largest blind in chips without the ante: the unit in which recorded hands are counted."""
    if is_casino(game) or (not game.ante and not any(game.blind[2:])):
        return game.big_blind
    return max(1, *(post - ante for post, ante in zip(game.blind, antes(game), strict=True)))


def is_casino(game: GameDef) -> bool:
    """Return whether a game has what the reference's keys cannot say: true antes, or a smallest bet other than the blind."""
    return bool(game.dead or game.min_bet)


def signed_posts(game: GameDef) -> tuple[int, ...] | None:
    """Return what each position posts beside antes, minus a sign where it is a new player's post, which does not move the turn.

    None where the first player of the hand is not the one behind the last blind or straddle.
    """
    stack, blind, first = game.stack, game.blind, game.first_player[0]
    if stack == blind:  # nobody has a turn
        return blind
    last = (first - 1) % game.num_players
    turned = tuple(-post if (post, p) > (blind[last], last) else post for p, post in enumerate(blind))
    actor = actor_after(stack, blind, 0, first - 1)
    return next(
        (posts for posts in (blind, turned) if actor_after(stack, blind, 0, first_behind(posts) - 1) == actor), None
    )


def has_new_posts(game: GameDef) -> bool:
    """Return whether a game has a casino's posts: see `is_casino`, or some behind the blinds that are just the big blind."""
    behind = {post for post in game.blind[2:] if post}
    return is_casino(game) or (behind == {game.blind[1]} and game.blind[0] < game.blind[1])


def first_behind(posts: Sequence[int]) -> int:
    """Return the position behind the largest post, the last of several, as PokerKit's hold'em counts: posts may have signs.

    >>> first_behind((50, 100, 200, 0)), first_behind((50, 100, 0, -100))
    (3, 2)
    """
    return (max(range(len(posts)), key=lambda position: (posts[position], position)) + 1) % len(posts)


def is_idle(state: State) -> bool:
    """Return whether a dealer asks for a call of nothing that nobody could answer; other formats leave it out."""
    return not state.finished and state.phase is BET and not state.to_call and not can_be_answered(state)


def can_be_answered(state: State) -> bool:
    """Return whether a player besides the actor has chips to call a raise with."""
    stacks = enumerate(state.game.stack)
    return any(have > state.max_spent and p != state.actor and not state.has_folded(p) for p, have in stacks)


def other_than_holdem(game: GameDef, ante: Sequence[int] = ()) -> str | None:
    """Return what makes a game another than Texas hold'em with its usual blinds and order of play, None if nothing does.

    `ante` holds the part of each position's blind that is an ante. With it, a stack may be too short for the big blind.
    """
    players = game.num_players
    big = 0 if players == 2 else 1
    blind = [post - part for post, part in zip(game.blind, ante, strict=True)] if ante else game.blind
    if game.ranking is not Ranking.HIGH:
        return f"its handRanking is {game.ranking.value}"
    if game.num_draws:
        return f"draw poker, whose players hold {game.num_hole_cards} cards and exchange up to {game.max_discard}"
    if game.caps_raises:
        return "its raises must fit the pot"
    if (game.num_suits, game.num_ranks) != (4, 13):
        return f"its deck has {game.num_suits} suits and {game.num_ranks} ranks"
    if game.hole_cards_used:
        return f"exactly {game.hole_cards_used} of {game.num_hole_cards} hole cards count"
    if game.num_hole_cards != 2 or game.num_board_cards != _HOLDEM_BOARD:
        board = " ".join(map(str, game.num_board_cards))
        return f"its players hold {game.num_hole_cards} cards, and {board} cards are dealt to the board"
    if has_new_posts(game):
        if game.first_player[1:] == (0, 0, 0) and signed_posts(game) is not None:
            return None
        firsts = " ".join(str(position + 1) for position in game.first_player)
        return f"its blinds are {' '.join(map(str, game.blind))}, and its first players {firsts}"
    short = bool(ante) and game.blind[big] == game.stack[big]
    if blind[big] <= 0 or (blind[big] < blind[1 - big] and not short) or any(blind[2:]):
        return f"its blinds are {' '.join(map(str, game.blind))}"
    if game.first_player != ((big + 1) % players, 0, 0, 0):
        return f"its first players are {' '.join(str(position + 1) for position in game.first_player)}"
    return None
