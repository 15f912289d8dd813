"""Looks into a strategy file: one decision with its rows by hand and its reach, and the play before the flop."""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Estimate
from limpet.protocol.cards import cards_text
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.cards.handspace import game_hands, is_heads_up_holdem
from limpet.strategies.cards.isomorphism import class_number, preflop_classes
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows, StrategyFile
from limpet.strategies.holdem.solutions.answer import Decision, decision_at
from limpet.strategies.holdem.solutions.lines import BoardNode, action_names
from limpet.strategies.solvers.vector.vector_solver import NodeValues

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
            f"line {betting!r}: cards on the board there: {size}, given: {len(board)}; name them: --board "
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
        remedy = "write f, c and r with the chips raised to, as in r300c/cr450"
        raise ValueError(f"line {text!r}, at character {end + 1}: {remedy}")
    return re.findall(r"[fc]|r\d*", text)


# --- The play of a heads-up hold'em strategy before the flop, and whether it looks like poker. Everything is exact: there are
# 1,326 hands a side and no board. Both players play the strategy, and every hand counts as often as it comes to a decision.

ACES, TRASH = "AA", "72o"
SELDOM = 0.001
"""Decisions that a smaller share of a hand's deals comes to are left out when the worst one is looked for."""

NEVER, MOSTLY = 0.1, 95.0
"""Bounds in %: rounding to 8 bits and a training cut short leave something of actions that should not be taken."""


class PreflopNode(NamedTuple):
    """A decision before the flop.

    Attributes:
        betting: betting before the decision, as on the wire.
        raises: number of raises before the decision, the blinds not counted.
        actions: actions as on the wire.
        names: actions in words, sizes in big blinds.
        reach: float64 ``[169]``: share of each class's deals that come to the decision.
        happens: share of all deals that come to the decision.
        taken: float64 ``[action]``: probability of each action over all deals that come to the decision.
        rows: float64 ``[action, 169]``: probabilities of the actions by class.
    """

    betting: str
    position: int
    raises: int
    actions: tuple[str, ...]
    names: tuple[str, ...]
    reach: NDArray[np.float64]
    happens: float
    taken: NDArray[np.float64]
    rows: NDArray[np.float64]

    @property
    def folds(self) -> float:
        return float(self.taken[self.actions.index("f")]) if "f" in self.actions else 0.0


class Folding(NamedTuple):
    """How often a class of hands folds.

    Attributes:
        happens: mean number of decisions looked at that a hand of the class comes to.
        folds: share of those decisions in which the hand folds; NaN if it comes to none.
        worst: largest fold probability where more than `SELDOM` of the class's deals come; 0 if nowhere.
    """

    happens: float
    folds: float
    worst: float
    worst_betting: str


class Verdict(NamedTuple):
    """A number, the bounds it should lie in, and whether it does; all in one unit, ``%`` or ``mbb/g``.

    half_width: half the 95 % interval of `value`; 0 where `value` is exact.
    """

    what: str
    unit: str
    value: float
    low: float
    high: float
    half_width: float = 0.0

    @property
    def holds(self) -> bool | None:
        """Return whether the value is within its bounds; None where its interval reaches across one of them."""
        if self.low <= self.value - self.half_width and self.value + self.half_width <= self.high:
            return True
        return None if self.value - self.half_width <= self.high and self.low <= self.value + self.half_width else False


def preflop_nodes(file: StrategyFile) -> tuple[PreflopNode, ...]:
    """Return all decisions before the flop that come up, in the tree's order; the first is the button's first.

    Raises `ValueError` for games other than hold'em of two players.
    """
    game = file.game
    if not is_heads_up_holdem(game) or game.num_board_cards[0]:
        raise ValueError(
            f"{file.manifest.name}: starting hands are told for hold'em of two players; this game has "
            f"{game.num_players} players with {game.num_hole_cards} of {len(game.deck)} cards each; "
            "'limpet strategy grid' shows what a strategy does in one place of any game"
        )
    nodes = []
    tree, space, classes = file.tree, game_hands(file.game), preflop_classes()
    buckets = np.maximum(file.cards.bucket_vector(0, ()), 0)
    size = np.bincount(classes, minlength=169)
    played = PlayedRows(file)
    others = float(space.compatible(np.ones(space.size))[0])
    full_reach = np.ones(space.size)
    stack = [(0, "", 0, (full_reach, full_reach))]
    while stack:
        node, betting, raises, reach = stack.pop()
        position = int(tree.player[node])
        if position < 0 or tree.round[node]:
            continue
        weights = reach[position] * space.compatible(reach[1 - position]) / others
        total = float(weights.sum())
        if total <= 0:
            continue
        rows = played.node(node).probabilities[:, buckets].astype(np.float64)
        actions = tree.actions(node)
        by_class = np.stack([np.bincount(classes, row, 169) for row in rows]) / size
        names = action_names(tree, node, 1 / game.big_blind)
        reached, happens = np.bincount(classes, weights, 169) / size, total / space.size
        on_wire, taken = tuple(map(str, actions)), rows @ weights / total
        nodes.append(PreflopNode(betting, position, raises, on_wire, names, reached, happens, taken, by_class))
        for index in reversed(range(len(actions))):
            onward = reach[position] * rows[index]
            both = (onward, reach[1]) if position == 0 else (reach[0], onward)
            more = raises + (actions[index].kind == "r")
            stack.append((tree.child(node, index), betting + str(actions[index]), more, both))
    return tuple(nodes)


def answers(nodes: tuple[PreflopNode, ...]) -> tuple[PreflopNode, ...]:
    """Return the big blind's decisions after each first action of the button."""
    second = (node for node in nodes[1:] if sum(map(node.betting.count, "fcr")) == 1)
    return tuple(node for node in second if node.position != nodes[0].position)


def defends(nodes: tuple[PreflopNode, ...]) -> float:
    """Return how often the big blind plays on after the button's opening raise, sizes weighted by use; NaN if none."""
    facing = [node for node in answers(nodes) if node.raises == 1]
    total = sum(node.happens for node in facing)
    return 1 - sum(node.happens * node.folds for node in facing) / total if total else float("nan")


def folding(nodes: tuple[PreflopNode, ...], name: str, raises: int | None = None) -> Folding:
    """Return how often a class folds where it may; with `raises` only after so many raises, 2 being a 3-bet."""
    number = class_number(name)
    happens = folded = worst = 0.0
    worst_betting = ""
    for node in nodes:
        if "f" not in node.actions or raises not in (None, node.raises):
            continue
        part = float(node.rows[node.actions.index("f"), number])
        reach = float(node.reach[number])
        happens += reach
        folded += reach * part
        if reach > SELDOM and part > worst:
            worst, worst_betting = part, node.betting
    return Folding(happens, folded / happens if happens else float("nan"), worst, worst_betting)


def verdicts(nodes: tuple[PreflopNode, ...], button_mbb: Estimate | None) -> tuple[Verdict, ...]:
    """Judge a strategy by what strong players do in deep no-limit.

    button_mbb: what the button wins, in mbb/g; None leaves that verdict out. The verdict on folding to 3-bets is left out
    where the hand never faces one. A big blind that never faces a raise defends NaN, which is out of bounds.
    """
    trash = folding(nodes, TRASH, 2)
    judged = [Verdict(f"{ACES} folds", "%", 100 * folding(nodes, ACES).folds, 0, NEVER)]
    if trash.happens:
        judged.append(Verdict(f"{TRASH} folds to a 3-bet", "%", 100 * trash.folds, MOSTLY, 100))
    judged += [
        Verdict("the button plays", "%", 100 * (1 - nodes[0].folds), 75, 95),
        Verdict("the big blind defends against raises", "%", 100 * defends(nodes), 55, 90),
    ]
    if button_mbb is not None:
        judged.append(Verdict("the button wins", "mbb/g", button_mbb.mean, 0, 150, button_mbb.half_width))
    return tuple(judged)
