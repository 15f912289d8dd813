"""A learnt model as a folder, and the player that plays by one.

The folder has `model.json` with the card, `model.safetensors` with the numbers, and a README. A model that departs from a prior
holds the prior's folder under `prior`, so that a folder is all that play needs.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from limpet.common.folders import replace_file
from limpet.common.safetensors import map_tensors, write_tensors
from limpet.common.verified import file_digest
from limpet.configs.fitting import Misfit, fit
from limpet.configs.loading import expanded
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.base.strategy import Rows, Stateless, Strategy
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.opponents.boosted import BoostedModel, BoostedTrees
from limpet.strategies.opponents.features import FEATURES
from limpet.strategies.opponents.hand_cells import GROUPS
from limpet.strategies.opponents.imitation import Model, ModelOptions
from limpet.strategies.opponents.raise_sizes import RAISE, RaiseTreeNode, SizeMenu, Tree
from limpet.strategies.opponents.situations import Levels

FORMAT = 1
CARD, TENSORS, PRIOR = "model.json", "model.safetensors", "prior"
STREETS = ("preflop", "postflop")
FORESTS = ("preflop", "postflop", "preflop.sizes", "postflop.sizes")
LEARNT_FROM = "hands"
"""Tensor of `Model.learnt_from`; models of older versions have none."""


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The card of a model: of whom it is, from which hands, with which options, and how well it predicts.

    Attributes:
        players: names of the players that were learnt as one; empty for everybody in the hands.
        hands: number of hands in which they decided something. decisions: number of their decisions.
        seen_share: share of the decisions whose hole cards are known.
        command: command that learnt the model.
        scores: scores on held-out hands, as `limpet model --json` prints them.
        sha256: checksum of `model.safetensors`.
        situations: names of the situations of each level, before the flop and after it.
        menus: raise sizes by situation.
        features: names of the features of a model of trees, which has neither situations nor menus.
        seats: numbers of players at the tables that a model of trees was learnt at.
    """

    players: list[str]
    hands: int
    decisions: int
    seen_share: float
    options: ModelOptions
    command: str = ""
    scores: dict[str, Any] = {}
    format: int = FORMAT
    sha256: str = ""
    situations: dict[str, list[list[str]]] = {}
    menus: dict[str, SizeMenu] = {}
    features: list[str] | UnsetType = UNSET
    seats: list[int] | UnsetType = UNSET


def write_model(folder: Path, model: Model | BoostedModel, card: Card, prior: Card | None = None) -> None:
    """Write a model and its card in place of another, with its prior, whose card is `prior`, in a folder within."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors: dict[str, NDArray[Any]] = {} if model.learnt_from is None else {LEARNT_FROM: model.learnt_from}
    if isinstance(model, Model) and model.prior is not None:
        write_model(folder / PRIOR, model.prior, prior or Card([], 0, 0, 0.0, model.prior.options))
    elif (folder / PRIOR / CARD).is_file():
        shutil.rmtree(folder / PRIOR)
    if isinstance(model, BoostedModel):
        for name, forest in zip(FORESTS, (*model.kinds_forests, *model.size_forests), strict=True):
            tensors |= forest.arrays(name)
        card = msgspec.structs.replace(card, features=list(FEATURES), seats=list(model.seats))
    else:
        tensors |= tree_to_arrays(model.tree.roots)
        situations = {}
        cells = (model.options.grid.size, model.options.cells)
        for street, levels, count in zip(STREETS, (model.preflop, model.postflop), cells, strict=True):
            situations[street] = [list(level) for level in levels.factors]
            for number, level in enumerate(levels.factors):
                factors = np.array(list(level.values()), np.float32)
                tensors[f"{street}.{number}"] = factors.reshape(-1, 3, count)
        card = msgspec.structs.replace(card, situations=situations, menus=model.sizes)
    write_tensors(folder / TENSORS, tensors, {})
    full = msgspec.structs.replace(card, sha256=file_digest(folder / TENSORS))
    replace_file(folder / CARD, msgspec.json.format(msgspec.json.encode(full), indent=1))
    replace_file(folder / "README.md", card_text(card))


def read_card(folder: Path) -> Card:
    """Return the card of a model. Raises `ValueError` for a folder that holds none, or a damaged one."""
    path = folder / CARD
    if not path.is_file():
        raise ValueError(f"{folder}: no model here: a model is a folder with {CARD}, and `limpet model` writes one")
    try:
        card = fit(msgspec.json.decode(path.read_bytes()), Card)
    except Misfit as misfit:
        raise ValueError(f"{path}: {'.'.join(map(str, misfit.keys))}: {misfit}") from None
    except msgspec.DecodeError as error:
        raise ValueError(f"{path}: not JSON: {error}") from None
    if card.format != FORMAT:
        raise ValueError(f"{path}: format {card.format}, and this version reads format {FORMAT}; learn the model again")
    return card


def read_model(folder: Path) -> Model | BoostedModel:
    """Return the model of a folder. Raises `ValueError` for a missing or damaged one."""
    card = read_card(folder)
    path = folder / TENSORS
    if not path.is_file():
        raise ValueError(f"{path}: missing; copy the whole folder")
    if file_digest(path) != card.sha256:
        raise ValueError(f"{path}: its SHA-256 is not the one in {CARD}; copy the whole folder again")
    tensors, _ = map_tensors(path)
    options = card.options
    try:
        if card.features is not UNSET:
            return _trees(card, tensors)
        roots = tree_from_arrays(tensors, options.grid.size)
        preflop, postflop = (
            _levels(tensors, street, card.situations[street], cells)
            for street, cells in zip(STREETS, (options.grid.size, options.cells), strict=True)
        )
        for menu in card.menus.values():
            shares = np.array(menu.shares, np.float64)
            fits = len(menu.sizes) > 0 and shares.shape == (len(menu.sizes), GROUPS)
            if not fits or min(menu.sizes) < 0 or shares.min() < 0:
                raise ValueError(f"a menu has sizes and {GROUPS} shares for each, none negative")
    except (KeyError, IndexError, ValueError) as error:
        raise ValueError(f"{folder}: the files do not fit each other: {error}; learn the model again") from None
    prior = read_prior(folder / PRIOR) if (folder / PRIOR).is_dir() else None
    learnt_from = np.asarray(tensors[LEARNT_FROM], np.int64) if LEARNT_FROM in tensors else None
    return Model(options, Tree(roots, options.tree), preflop, postflop, card.menus, prior, learnt_from)


def read_prior(folder: Path) -> Model:
    """Return the model of a folder from which another may depart. Raises `ValueError` for one of trees too."""
    if not isinstance(model := read_model(folder), Model):
        raise ValueError(f"{folder}: a model of trees is no prior: trees learn from all players of the files at once")  # noqa: TRY004
    return model


def _trees(card: Card, tensors: Mapping[str, NDArray[Any]]) -> BoostedModel:
    if card.features != list(FEATURES):
        raise ValueError("the trees were learnt with other features")
    first, second, third, fourth = (BoostedTrees.from_arrays(tensors, name, len(FEATURES)) for name in FORESTS)
    if not {0.0, 1.0, 2.0}.issuperset([*first.classes, *second.classes]):
        raise ValueError("trees for actions have classes 0, 1 and 2")
    if min(*third.classes, *fourth.classes) < 0:
        raise ValueError("raises have sizes that are not negative")
    seats = tuple(card.seats) if card.seats is not UNSET else ()
    return BoostedModel((first, second), (third, fourth), seats, np.asarray(tensors[LEARNT_FROM], np.int64))


def checksums(folder: Path) -> tuple[str, ...]:
    """Return the checksums of the files that a model is played by."""
    own = file_digest(folder / CARD), file_digest(folder / TENSORS)
    return own + (checksums(folder / PRIOR) if (folder / PRIOR).is_dir() else ())


def _levels(tensors: dict[str, NDArray[Any]], street: str, names: list[list[str]], cells: int) -> Levels:
    factors = []
    for level, some in enumerate(names):
        array = np.asarray(tensors[f"{street}.{level}"], np.float32)
        if array.shape != (len(some), 3, cells) or not (array >= 0).all():
            raise ValueError(f"{street}.{level} should be {len(some)} × 3 × {cells} factors that are not negative")
        factors.append(dict(zip(some, array, strict=True)))
    return Levels(tuple(factors))


def card_text(card: Card) -> str:
    """Return the card in words."""
    players = ", ".join(card.players) or "everybody in the hands"
    known_holes = f"the hole cards of {100 * card.seen_share:.1f} % of them are known"
    learnt = f"Learnt from {card.hands:,} hands with {card.decisions:,} decisions; {known_holes}."
    lines = [f"# A model of {players}", "", learnt]
    if card.seen_share < 1:
        lines.append(
            "Hands that were never shown are left out, so that the model folds too seldom."
            if card.options.unseen == "ignore"
            else "Hands that were never shown are estimated from the model itself (Bayes)."
        )
    lines += ["", "Play it with `player: imitation` and the option `model: FOLDER`.", ""]
    if card.command:
        lines += ["Learnt by", "", f"    {card.command}", ""]
    if card.scores:
        lines += ["Mean log likelihood of fold, call and raise on held-out hands:", ""]
        columns = list(next(iter(card.scores.values())))
        lines += [f"| street | {' | '.join(columns)} |", f"|-|{'-|' * len(columns)}"]
        for street, scores in card.scores.items():
            cells = (f"{value:,.4g}" if isinstance(value, (int, float)) else "" for value in scores.values())
            lines.append(f"| {street} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def tree_to_arrays(roots: Mapping[int, RaiseTreeNode]) -> dict[str, NDArray[Any]]:
    """Return the preflop tree as flat arrays, parents before children, that `tree_from_arrays` reads.

    tree.parent: int32 ``[node]``, -1 for a root. tree.action: int32 ``[node]``: action that leads from the parent here,
    a root's number of players. tree.raises: int32 ``[node]``, number of raise sizes. tree.histories: int32 ``[node]``.
    tree.sizes: float64, the sizes of all nodes one after another. tree.taken: float64, likewise for all actions.
    tree.place: int32 ``[count, 2]``: index into tree.taken and cell of each count. tree.count: float64 ``[count]``.
    """
    found = [(-1, players, root) for players, root in roots.items()]
    for number, (_, _, node) in enumerate(found):  # grows by the children
        found += [(number, action, child) for action, child in node.children.items()]
    nodes = [node for _, _, node in found]
    counts = np.concatenate([node.counts for node in nodes]) if nodes else np.zeros((0, 1))
    index = np.argwhere(counts > 0)
    return {
        "tree.parent": np.array([parent for parent, _, _ in found], np.int32),
        "tree.action": np.array([action for _, action, _ in found], np.int32),
        "tree.raises": np.array([len(node.sizes) for node in nodes], np.int32),
        "tree.histories": np.array([node.histories for node in nodes], np.int32),
        "tree.sizes": np.concatenate([node.sizes for node in nodes] or [np.zeros(0)]),
        "tree.taken": np.concatenate([node.taken for node in nodes] or [np.zeros(0)]),
        "tree.place": index.astype(np.int32),
        "tree.count": counts[index[:, 0], index[:, 1]],
    }


def tree_from_arrays(arrays: Mapping[str, NDArray[Any]], cells: int) -> dict[int, RaiseTreeNode]:
    """Return the roots of a tree. Raises `KeyError`, `IndexError` or `ValueError` for arrays that make none."""
    raises = np.asarray(arrays["tree.raises"], np.int64)
    size_ends, ends = np.cumsum(raises), np.cumsum(raises + RAISE)
    taken, index, count = arrays["tree.taken"], arrays["tree.place"], arrays["tree.count"]
    if len(taken) != (ends[-1] if len(ends) else 0) or index.shape != (len(count), 2) or (raises < 0).any():
        raise ValueError("the arrays of the tree are of different lengths")
    if not (count >= 0).all() or not (taken >= 0).all() or (index < 0).any() or (index >= [len(taken), cells]).any():
        raise ValueError("the tree has counts outside its cells")
    counts = np.zeros((len(taken), cells))
    counts[index[:, 0], index[:, 1]] = count
    roots: dict[int, RaiseTreeNode] = {}
    nodes: list[RaiseTreeNode] = []
    columns = (arrays["tree.parent"].tolist(), arrays["tree.action"].tolist(), arrays["tree.histories"].tolist())
    for number, (parent, action, histories) in enumerate(zip(*columns, strict=True)):
        if parent >= number:
            raise ValueError("a node of the tree stands before its parent")
        here = slice(int(ends[number] - raises[number]) - RAISE, int(ends[number]))
        sizes = np.array(arrays["tree.sizes"][int(size_ends[number] - raises[number]) : int(size_ends[number])])
        node = RaiseTreeNode(sizes, histories, np.array(taken[here]), counts[here])
        (roots if parent < 0 else nodes[parent].children)[action] = node
        nodes.append(node)
    return roots


class PlayedModel(Stateless):
    """Answers by a learnt model."""

    def __init__(self, game: GameDef, model: Model | BoostedModel) -> None:
        """Raise `ValueError` for a game that is not no-limit hold'em."""
        super().__init__(game, Strategy.Options(), Path())
        if not (is_holdem(game, whole=True) and game.no_limit):
            raise ValueError("models are learnt from no-limit hold'em and play that alone")
        self.model = model

    def slow(self, state: State) -> bool:
        # A new flop takes some 20 ms, and so do trees for all hands.
        return state.round == 1 or (state.round > 1 and isinstance(self.model, BoostedModel))

    def warm_up(self) -> None:
        self.model.warm_up(self.game)

    def rows(self, state: State) -> Rows:
        return self.model.rows(state)

    def rows_for(self, state: State, hand: int) -> Rows:
        return self.model.rows_for(state, hand)


class Imitation(PlayedModel):
    """Takes every action as often as the learnt player did with hands and situations like these. No-limit hold'em.

    Situations that the player never was in are played as coarser ones were. Any number of players and any stacks can be
    played; how good the imitation is there depends on what was recorded.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True, kw_only=True):
        """`model`: a folder that ``limpet model --output`` wrote, relative to the config."""

        model: str

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        self.folder = folder / expanded(options.model)
        try:
            model = read_model(self.folder)
        except ValueError as error:
            raise Misfit(str(error), ("model",)) from error
        super().__init__(game, model)

    def checksums(self) -> tuple[str, ...]:
        return checksums(self.folder)

    def describe(self) -> dict[str, str]:
        card = read_card(self.folder)
        players = ", ".join(card.players) or "everybody"
        known = f"{100 * card.seen_share:.0f} % of decisions shown"
        return {"model": f"{self.folder}: {players}, {card.hands:,} hands, {known}"}
