"""The betting trees of a heads-up game of five-card draw, and where a public state lies on them."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from limpet.protocol.gamedef import GameDef
from limpet.protocol.phases import BET
from limpet.protocol.state import CALL, FOLD, Action, State, raise_to
from limpet.strategies.cards.handspace import game_hands, hand_space
from limpet.strategies.solving.rounds.round_tree import NOBODY, RoundTree, round_tree

COUNTS = 6
"""Different numbers of discards: none to five."""


@dataclass(frozen=True, eq=False)
class DrawGame:
    """The trees of both rounds. Player 0 of the first round is position 1; player 0 of the second is position 0.

    Attributes:
        first: the first round, chips in big blinds.
        second: the second round with one chip of each player, because its raises are shares of the pot.
        continuations: nodes of the first round that a draw follows.
    """

    first: RoundTree
    second: RoundTree
    continuations: tuple[int, ...]

    @property
    def leaves(self) -> int:
        """Return the number of second rounds: continuations with both numbers of discards."""
        return len(self.continuations) * COUNTS**2


class Spot(NamedTuple):
    """The place of a public state on the trees."""

    node: int  # node of the first round: the decision, or the continuation that was reached
    drawn: tuple[int, ...]  # numbers of discards so far, the big blind's first
    second: int  # node of the second round; 0 before it


@lru_cache(maxsize=8)
def draw_game(game: GameDef) -> DrawGame:
    """Return the trees of a game. Raises `ValueError` for any other game than heads-up five-card draw without all-ins."""
    fits = game.num_players == 2 and game_hands(game) == hand_space(k=5) and game.num_draws == (0, 1)
    fits = fits and game.max_discard == 5 and game.first_player == (1, 0) and len(game.raise_fractions) == 2
    if not (fits and game.blind[0] > game.blind[1]):
        raise ValueError("this is for heads-up five-card draw with raises of shares of the pot, as draw5-pl-hu")
    shares = [tuple(share / 1000 for share in row) for row in game.raise_fractions]
    blinds = (game.blind[1] / game.big_blind, game.blind[0] / game.big_blind)
    first = round_tree(blinds, raises=game.max_raises[0], shares=shares[0])
    second = round_tree(raises=game.max_raises[1], shares=shares[1])
    if first.paid.max() * second.paid.max() * game.big_blind > min(game.stack):
        raise ValueError("stacks are too short here: the betting trees have no all-ins")
    continuations = tuple(int(node) for node in first.terminals if first.folded[node] == NOBODY)
    return DrawGame(first, second, continuations)


def legal_actions(state: State) -> tuple[Action, ...]:
    """Return the actions of a betting decision in the trees' order: fold, call, raises ascending."""
    raises = tuple(raise_to(size) for size in state.raise_sizes() or ())
    return (FOLD,) * state.can_fold + (CALL, *raises)


def spot_of(trees: DrawGame, state: State) -> Spot:
    """Return where a public state lies."""
    nodes, drawn = [0, 0], []
    for before, after in pairwise(state.path()):
        assert after.action is not None
        if before.phase is not BET:
            drawn.append(after.action.size)
            continue
        tree = trees.second if before.round else trees.first
        choice = legal_actions(before).index(after.action)
        nodes[before.round] = int(tree.first_child[nodes[before.round]]) + choice
    return Spot(nodes[0], tuple(drawn), nodes[1])
