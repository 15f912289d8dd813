"""Strategy files as OpenSpiel's tabular policies, and OpenSpiel's policies as strategy files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless, LosslessBuckets
from limpet.strategies.cards.boards import all_boards, count_boards
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.blueprint.model_card import IMPORTED, model_card
from limpet.strategies.holdem.blueprint.played_rows import PlayedRows
from limpet.strategies.holdem.blueprint.quantise import quantise
from limpet.strategies.holdem.blueprint.strategy_file import FORMAT, Manifest, StrategyFile, save_strategy
from limpet.strategies.openspiel.games import openspiel_game, openspiel_state
from limpet.strategies.openspiel.policies import PolicyFile, load_answer
from limpet.strategies.trees.betting import BettingTree, build_tree
from limpet.strategies.trees.menu import BetMenu

MOST_INFOSETS = 2_000_000
"""Most infosets of a table: some minutes of work, and a file of some hundred megabytes."""
MOST_STATES = 100_000
"""Most betting sequences of a no-limit game whose raises are all kept."""


def exported(file: StrategyFile) -> PolicyFile:
    """Return a strategy as a tabular policy of OpenSpiel's game: its rows as they are played, at every infoset.

    Raises `ValueError` as `openspiel_game`, and where the strategy lacks bets that its game allows.
    """
    table = openspiel_game(file.game)
    rows = PlayedRows(file).table().astype(np.float64)
    policy = {}
    for theirs, place in _infosets(file.tree, file.cards, table):
        row = rows[place] / rows[place].sum()
        policy[theirs.information_state_string()] = list(zip(theirs.legal_actions(), row.tolist(), strict=True))
    return PolicyFile(str(table), policy)


def write_imported(source: str, game: GameDef, folder: Path, output: Path) -> Manifest:
    """Write a policy or bot of OpenSpiel as a strategy's folder, and return its manifest.

    Args:
        source: see `load_answer`; a file or module is looked for in `folder`.
        output: the strategy's folder, which has the strategy's name.

    Raises `ValueError` for a game that OpenSpiel does not play, one too large for a table, and a policy without an answer.
    """
    table = openspiel_game(game)
    answer = load_answer(source, table, folder)
    menu = every_raise(game) if game.no_limit else None
    tree, cards = build_tree(game, menu), LosslessBuckets(game)
    buckets = [cards.num_buckets(round_) for round_ in range(game.num_rounds)]
    offset = tree.row_offset(buckets)
    rows = np.ones(int(offset[-1]))  # hands that the board blocks stay uniform
    for theirs, place in _infosets(tree, cards, table):
        rows[place] = answer(theirs)
    stored, untrained = quantise(rows, tree, offset, 16)
    draft = Manifest(
        format=FORMAT, name=output.name, game=str(game), rules_hash=game.rules_hash, cards=Lossless(),
        cards_hash=cards.hash(), menu=menu, bits=16, algorithm=IMPORTED, iterations=0, seed=0, threads=1,
        training_seconds=0.0, rows=int(np.asarray(buckets)[tree.round[tree.decisions]].sum()), untrained_rows=untrained,
        quality={}, versions={}, sha256="", size=0, code=IMPORTED,
    )  # fmt: skip
    output.mkdir(parents=True, exist_ok=True)
    return save_strategy(output, draft, stored, tree, cards, model_card(draft, game))


def every_raise(game: GameDef) -> BetMenu:
    """Return the menu that keeps every legal raise of a small no-limit game. Raises `ValueError` for a large one."""
    fractions: set[float] = set()
    pending, states = [State.start(game)], 0
    while pending:
        state = pending.pop()
        states += 1
        if states > MOST_STATES:
            raise ValueError(
                f"over {MOST_STATES:,} betting sequences are too many for a table; make the stacks smaller"
            )
        for action in state.legal_actions():
            if action.kind == "r":
                fractions.add((action.size - state.max_spent) / (state.pot + state.to_call))
            pending.append(state.apply(action))
    return BetMenu(sizes=((tuple(sorted(fractions)),),), all_in_share=1.0)


def _infosets(tree: BettingTree, cards: CardAbstraction, table: Any) -> Iterator[tuple[Any, slice]]:
    """Yield OpenSpiel's state at every infoset of a game, and where its row lies in a table of the tree's layout.

    Raises `ValueError` where the tree lacks actions that the game allows, and for too many infosets.
    """
    game, space, states = tree.game, game_hands(tree.game), tree.states()
    if len(tree.decisions) * count_boards(game) * space.size > MOST_INFOSETS:
        raise ValueError(f"over {MOST_INFOSETS:,} infosets are too many for a table; this is for small games")
    sizes = game.board_sizes
    boards = [list(dict.fromkeys(board[:size] for board in all_boards(game))) for size in sizes]
    offset = tree.row_offset([cards.num_buckets(round_) for round_ in range(game.num_rounds)])
    for node in tree.decisions.tolist():
        state = states[node]
        kept, legal = tree.actions(node), state.legal_actions()
        if kept != legal:
            raise ValueError(
                f"after '{state.betting}' its tree has the actions {', '.join(map(str, kept))}, and the game allows "
                f"{len(legal):,}; OpenSpiel's game has all of them: train with a menu that keeps every raise"
            )
        for board in boards[state.round]:
            buckets = cards.bucket_vector(state.round, board)
            dealt = state.with_board(board)
            for hand in np.flatnonzero(buckets >= 0).tolist():
                start = int(offset[node]) + int(buckets[hand]) * len(kept)
                yield openspiel_state(table, dealt, tuple(space.holes[hand].tolist())), slice(start, start + len(kept))
