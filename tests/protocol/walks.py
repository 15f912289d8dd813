"""Random games, deals and legal walks, from any source of integers: a seeded generator or hypothesis."""

import random
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.gamedef import DRAW, NO_RAISE_LIMIT, NO_STACK_LIMIT, Betting, GameDef
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, discard, raise_to

Pick = Callable[[int, int], int]
"""An integer from low to high, both included."""


def random_game(pick: Pick, *, most_chips: int = 200) -> GameDef:
    """Any definition the reference accepts: 2-10 players, 1-4 rounds, any deck, uneven stacks and blinds."""
    suits = pick(1, 4)
    ranks = pick(-(-2 // suits), 13)
    players = pick(2, min(10, suits * ranks))
    holes = pick(1, min(3, suits * ranks // players))
    rounds = pick(1, 4)
    left = min(7, suits * ranks - holes * players)
    board = []
    for _ in range(rounds):
        board.append(pick(0, left))
        left -= board[-1]
    largest = pick(0, most_chips // 10)
    blind = tuple(pick(0, largest) for _ in range(players))
    stacks = pick(0, 2)
    if stacks == 0 and players <= 4:
        stack = (NO_STACK_LIMIT,) * players
    elif stacks == 1:
        stack = (max(blind) + pick(1, most_chips),) * players
    else:
        stack = tuple(max(1, chips) + pick(0, most_chips) for chips in blind)
        if stack == blind:
            stack = (stack[0] + 1, *stack[1:])
    limit = pick(0, 1) == 0
    if not limit and NO_STACK_LIMIT in stack:  # with more chips the reference's sums would overflow
        stack = (MAX_CHIPS // 4,) * players
    return GameDef(
        betting=Betting.LIMIT if limit else Betting.NO_LIMIT,
        num_players=players,
        num_rounds=rounds,
        stack=stack,
        blind=blind,
        raise_size=tuple(pick(1, 20) for _ in range(rounds)) if limit else (),
        first_player=tuple(pick(0, players - 1) for _ in range(rounds)),
        max_raises=tuple((NO_RAISE_LIMIT, 0, 1, 2, 3, 4)[pick(0, 5)] for _ in range(rounds)),
        num_suits=suits,
        num_ranks=ranks,
        num_hole_cards=holes,
        num_board_cards=tuple(board),
    )


def random_deal(game: GameDef, seed: int) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Hole cards per position and the whole board."""
    cards = random.Random(seed).sample(game.deck, len(game.deck))
    cuts = [position * game.num_hole_cards for position in range(game.num_players + 1)]
    holes = tuple(tuple(cards[low:high]) for low, high in pairwise(cuts))
    return holes, tuple(cards[cuts[-1] : cuts[-1] + game.board_sizes[-1]])


def candidate(state: State, choice: int) -> Action:
    """One of the legal actions: fold, call, and the smallest, the largest and a middling raise."""
    actions = [CALL]
    if state.can_fold:
        actions.append(FOLD)
    bounds = state.raise_bounds()
    sizes = state.raise_sizes()
    if sizes:
        actions += [raise_to(size) for size in sizes]
    elif bounds is not None and state.game.no_limit:
        low, high = bounds
        middling = min(high, low + (choice * state.pot) // 64)
        actions += [raise_to(low), raise_to(middling), raise_to(high)]
    elif bounds is not None:
        actions += [RAISE, RAISE]
    return actions[choice % len(actions)]


def answer(state: State, hand: Sequence[int], number: int) -> Action:
    """Return a legal action that `number` chooses. A draw throws away the first cards of `hand`."""
    if state.phase is DRAW:
        return discard(tuple(hand[: number % (state.game.max_discard + 1)]))
    return candidate(state, number)


def after(game: GameDef, betting: str, board: tuple[int, ...] = ()) -> State:
    """The state that a betting as on the wire, such as ``cc/r300``, leads to, with its street's cards of `board`."""
    state = State.start(game)
    for kind, size in re.findall(r"([fcr])(\d*)", betting):
        state = state.apply(Action(kind, int(size or 0))).with_board(board)
    return state


def play(game: GameDef, choices: Iterable[int], board: Sequence[int]) -> State:
    """The state that `choices` lead to, stopping where the hand ends."""
    state = State.start(game).with_board(tuple(board))
    for choice in choices:
        if state.finished:
            break
        state = state.apply(candidate(state, choice)).with_board(tuple(board))
    return state


@st.composite
def games(draw: st.DrawFn) -> GameDef:
    return random_game(lambda low, high: draw(st.integers(low, high)))


@st.composite
def positions(draw: st.DrawFn) -> tuple[State, tuple[tuple[int, ...], ...]]:
    """A state that legal play reaches in some game, with everybody's hole cards."""
    game = draw(games())
    holes, board = random_deal(game, draw(st.integers(0, 2**32 - 1)))
    return play(game, draw(st.binary(max_size=60)), board), holes
