"""A look at one decision of a strategy file: its node, its rows by hand, and its reach."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.blueprint.played_rows import PlayedRows
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.solutions.answer import Decision, decision_at
from limpet.strategies.solvers.vector.vector_solver import NodeValues
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.lines import BoardNode

_LINE = re.compile(r"(?:[fc/]|r\d*)*")


@dataclass(frozen=True, eq=False)
class Look:
    """A decision of a strategy on a board, with H hands of the hand space. All players are taken to play this strategy.

    Attributes:
        betting: the betting before the decision, as on the wire.
        reach: float32 ``[P, H]``: for each position the probability that a hand plays this line; 0 where blocked.
        rows: float32 ``[actions, H]`` as played, 0 where blocked.
        missed: bool_ ``[H]``: hands whose row training never reached.
    """

    file: StrategyFile
    node: int
    betting: str
    board: tuple[int, ...]
    reach: NDArray[np.float32]
    rows: NDArray[np.float32]
    missed: NDArray[np.bool_]

    @property
    def position(self) -> int:
        """Position of the player who decides."""
        return int(self.file.tree.player[self.node])

    @property
    def weights(self) -> NDArray[np.float64]:
        """Return float64 ``[H]``: probability of each hand of the actor at the decision; sums to 1, or is all 0.

        With two players a hand weighs its reach times the reach of the hands that it leaves to the other. With more
        players, and where the other player never gets there, the others' cards are left aside.
        """
        own = self.reach[self.position].astype(np.float64)
        if self.comes_up and len(self.reach) == 2:
            own = own * game_hands(self.file.game).compatible(self.reach[1 - self.position])
        total = own.sum()
        return np.asarray(own / total if total > 0 else own)

    @property
    def comes_up(self) -> bool:
        """Return whether all players get to the decision with some hand; two players, with hands that share no card."""
        if len(self.reach) == 2:
            joint = self.reach[self.position] * game_hands(self.file.game).compatible(self.reach[1 - self.position])
            return bool((joint > 0).any())
        return bool(self.reach.any(axis=1).all())

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """Return float64 ``[actions]``: probability of each action."""
        return self.rows.astype(np.float64) @ self.weights

    def decision(self) -> Decision:
        """Return the decision of a heads-up hold'em game as pictures of solved spots take it, without values."""
        return plain_decision(self.file.tree, self.node, self.board, self.betting, self.reach, self.rows)


def plain_decision(
    tree: BettingTree, node: int, board: tuple[int, ...], betting: str, reach: NDArray[np.float32],
    rows: NDArray[np.float32],
) -> Decision:  # fmt: skip
    """Return a decision of a heads-up hold'em game as pictures of solved spots take it, without values."""
    place = BoardNode(node, board, (betting,) if betting else (), betting)
    return decision_at(tree, place, NodeValues(reach, np.zeros_like(reach), np.zeros_like(rows), rows))


def find_line(tree: BettingTree, betting: str) -> list[tuple[int, int]]:
    """Return the (node, action) pairs of a line such as ``r300c/cr450``; slashes may be left out. The last pair is (node, -1).

    Raises `ValueError` naming what does not fit and what would.
    """
    text = betting.strip()
    path: list[tuple[int, int]] = []
    node, done = 0, ""
    for token in _tokens(text):
        actions = [str(action) for action in tree.actions(node)] if tree.player[node] >= 0 else []
        if token not in actions:
            hint = f"there are {', '.join(actions)}" if actions else "the hand is over there"
            raise ValueError(f"line {betting!r}: after {done or 'nothing'!r} the tree has no {token!r}; {hint}")
        path.append((node, actions.index(token)))
        node, done = tree.child(*path[-1]), done + token
    if tree.player[node] < 0:
        raise ValueError(f"line {betting!r}: the hand is over there; leave the last action out")
    return [*path, (node, -1)]


def look(file: StrategyFile, betting: str = "", board: tuple[int, ...] = ()) -> Look:
    """Return the decision after some betting. Cards of later rounds on `board` are ignored.

    Raises `ValueError` for betting off the tree and for a board with too few cards.
    """
    game, tree = file.game, file.tree
    path = find_line(tree, betting)
    node = path[-1][0]
    size = game.board_sizes[int(tree.round[node])]
    if len(board) < size:
        raise ValueError(
            f"line {betting!r}: {size} board cards lie there, {len(board)} are given; name them: --board "
            f"{cards_text(game.deck[: 2 * size : 2])}"
        )
    board = board[:size]
    if len(set(board)) < size or not set(board) <= game.card_set:
        raise ValueError(f"board {cards_text(board)}: cards of the game's deck, each once, make a board")
    played = PlayedRows(file)
    space = game_hands(game)
    live = ~space.blocked(board)
    reach = np.repeat(live[None].astype(np.float32), game.num_players, axis=0)

    def rows_of(at: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        round_ = int(tree.round[at])
        buckets = file.cards.bucket_vector(round_, board[: game.board_sizes[round_]])
        rows, missed = played.node(at)
        return np.where(live, rows[:, buckets], np.float32(0)), missed[buckets] & live

    for at, action in path[:-1]:
        reach[tree.player[at]] *= rows_of(at)[0][action]
    rows, missed = rows_of(node)
    return Look(file, node, "".join(_tokens(betting)), board, reach, rows, missed)


def _tokens(text: str) -> list[str]:
    """Return the actions of a line. Raises `ValueError` for text that is not one."""
    match = _LINE.match(text)
    end = match.end() if match else 0
    if end < len(text):
        raise ValueError(
            f"line {text!r}, at character {end + 1}: write f, c and r with the chips raised to, as in r300c/cr450"
        )
    return re.findall(r"[fc]|r\d*", text)
