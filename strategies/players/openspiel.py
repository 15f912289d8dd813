"""OpenSpiel's games that stand for ours, its policies and bots as a player, and strategy files as its tabular policies and back.

A file of a policy is JSON, ``{"game": "leduc_poker(players=2)", "policy": {INFORMATION STATE: [[ACTION, PROBABILITY], …]}}``, so
that ``pyspiel.TabularPolicy(json.load(file)["policy"])`` is the policy. The same decisions have the same actions in the same
order, so that the player is asked about each hand in OpenSpiel's own state of the decision.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from math import isclose
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from limpet.common.verified import file_digest
from limpet.protocol.gamedef import Betting, GameDef
from limpet.protocol.handhistory import is_casino
from limpet.protocol.ranking import Ranking
from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless, LosslessBuckets
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.strategy import Rows, Stateless, Strategy, pot_fraction
from limpet.strategies.cards.boards import all_boards, count_boards
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.blueprint.model_card import IMPORTED, model_card
from limpet.strategies.holdem.blueprint.quantise import quantise
from limpet.strategies.holdem.blueprint.strategy_file import FORMAT, Manifest, PlayedRows, StrategyFile, save_strategy

_NUMBERS = ("numPlayers", "numRounds", "numSuits", "numRanks", "numHoleCards")


def openspiel() -> Any:
    """Return the module ``pyspiel``. Raises `ValueError` where it is not installed."""
    try:
        import pyspiel
    except ImportError as error:
        raise ValueError("OpenSpiel is not installed; install it with: pip install open_spiel") from error
    return pyspiel


def openspiel_game(game: GameDef) -> Any:
    """Return OpenSpiel's game with the rules of `game`: ``kuhn_poker``, ``leduc_poker``, else ``universal_poker``.

    Raises `ValueError` where OpenSpiel is not installed or has no such game.
    """
    pyspiel = openspiel()
    if game.ranking is not Ranking.HIGH:
        raise ValueError(f"OpenSpiel has no game with handRanking = {game.ranking.value}")
    if any((game.num_draws, game.raise_fractions, game.hole_cards_used, game.betting is Betting.POT_LIMIT)):
        raise ValueError(
            "OpenSpiel has no draws, no pot-limit betting, no raise fractions and no Omaha; it plays the rest"
        )
    if is_casino(game):
        raise ValueError("OpenSpiel has no antes beside the blinds and no smallest bet of its own; it plays the rest")
    if not max(game.blind):
        raise ValueError("OpenSpiel cannot pay out an empty pot, so that its games need a blind or an ante")
    if name := _textbook_name(game):
        return pyspiel.load_game(name, {"players": game.num_players})
    try:
        return universal_poker(pyspiel, game)
    except pyspiel.SpielError as error:
        raise ValueError(f"OpenSpiel does not play this game: {str(error).splitlines()[-1]}") from error


def _textbook_name(game: GameDef) -> str:
    """Return ``kuhn_poker`` or ``leduc_poker`` if `game` has its rules, else nothing."""
    players, dealt = game.num_players, (game.betting, game.blind, game.num_hole_cards, game.num_ranks)
    ante_and_card = dealt == (Betting.LIMIT, (1,) * players, 1, players + 1)
    if not ante_and_card or any(game.first_player) or min(game.stack) < 13:  # the most that a hand of Leduc takes
        return ""
    known = {(1, (1,), (1,), (0,)): "kuhn_poker", (2, (2, 4), (2, 2), (0, 1)): "leduc_poker"}
    return known.get((game.num_suits, game.raise_size, game.max_raises, game.num_board_cards), "")


def universal_poker(pyspiel: Any, game: GameDef) -> Any:
    """Return OpenSpiel's ``universal_poker`` of a definition, with all of its raises."""
    keys = dict(line.split(" = ") for line in str(game).splitlines() if " = " in line)
    parameters: dict[str, Any] = {key: int(value) if key in _NUMBERS else value for key, value in keys.items()}
    abstraction = "fullgame" if game.no_limit else "fcpa"  # in limit games its "pot bet" is the one raise
    if not game.no_limit and "stack" in keys:
        # OpenSpiel leaves the stacks of limit games out of the definition that it writes for the reference dealer's code
        # inside it. It copies the text of a list as it is, so that the line can stand there.
        parameters["maxRaises"] = f"{parameters.get('maxRaises', '255 ' * game.num_rounds)}\nstack = {keys['stack']}"
    parameters |= {"betting": game.betting.value, "bettingAbstraction": abstraction}
    return pyspiel.load_game("universal_poker", parameters)


def openspiel_state(table: Any, state: State, hole: tuple[int, ...]) -> Any:
    """Return OpenSpiel's state of a decision of ours.

    The actor holds `hole`. The others' cards are made up of those that are left: what is known to the actor is all that
    an answer may depend on.

    Args:
        table: the `openspiel_game` of the state's game.
        state: an unfinished state with its board.

    Raises `ValueError` where the two games differ in who acts or in the number of actions.
    """
    deck, held = game_hands(state.game).deck, len(hole)
    others = [card for card in deck if card not in hole and card not in state.board]
    before = held * state.actor
    dealt = [*others[:before], *hole, *others[before : held * (state.game.num_players - 1)], *state.board]
    cards = iter(map(deck.index, dealt))
    theirs = table.new_initial_state()
    path = list(state.path())
    for at, later in zip(path, [*path[1:], None], strict=True):
        while theirs.is_chance_node():
            theirs.apply_action(next(cards))
        legal, ours = theirs.legal_actions(), at.legal_actions()
        if theirs.current_player() != at.actor or len(legal) != len(ours):
            raise ValueError(f"{table}: after '{at.betting}' it is another decision than in the game of these rules")
        if later is not None:
            theirs.apply_action(legal[ours.index(later.action)])
    return theirs


Policy = dict[str, list[tuple[int, float]]]
"""Actions with their probabilities by information state."""


class PolicyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tabular policy and the game that it is for, as OpenSpiel names both."""

    game: str
    policy: Policy


Answer = Callable[[Any], list[float]]
"""Returns the probability of each legal action of one of OpenSpiel's states."""


def load_answer(source: str, table: Any, folder: Path) -> Answer:
    """Return the answers of a policy or bot.

    Args:
        source: a file of a policy, relative to `folder`, or ``MODULE:FUNCTION``, where the module may lie in `folder`. The
            function is called with OpenSpiel's game and returns a policy or a bot, or one for each position.
        table: OpenSpiel's game.

    Raises `ValueError` where there is none, and for a policy of another game.
    """
    module, colon, function = source.rpartition(":")
    path = folder / source
    players = _made(module, function, folder)(table) if colon and not path.is_file() else _read(path, table)

    def answer(theirs: Any) -> list[float]:
        player = players[theirs.current_player()] if isinstance(players, Sequence) else players
        return _probabilities(player, theirs)

    return answer


def _read(path: Path, table: Any) -> Any:
    try:
        stored = msgspec.json.decode(path.read_bytes(), type=PolicyFile)
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file; name a policy's file, or MODULE:FUNCTION") from None
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path}: not a policy of OpenSpiel: {error}") from error
    if stored.game != str(table):
        raise ValueError(f"{path}: a policy of {stored.game}; the game of these rules is {table}")
    return openspiel().TabularPolicy(stored.policy)


def _made(module: str, function: str, folder: Path) -> Callable[[Any], Any]:
    sys.path.insert(0, str(folder.resolve()))
    try:
        made: Callable[[Any], Any] = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{module}:{function}: {error}") from error
    finally:
        sys.path.pop(0)
    return made


def _probabilities(player: Any, theirs: Any) -> list[float]:
    if hasattr(player, "action_probabilities"):
        chances = dict(player.action_probabilities(theirs))
    else:
        player.restart_at(theirs)
        knows = player.provides_policy()
        chances = dict(player.step_with_policy(theirs)[0]) if knows else {player.step(theirs): 1.0}
    row = [float(chances.get(action, 0.0)) for action in theirs.legal_actions()]
    if min(row) < 0 or not isclose(sum(row), 1, abs_tol=1e-3):
        known = f"probabilities {row} of" if chances else "no answer at"
        raise ValueError(f"OpenSpiel's policy has {known} {theirs.information_state_string()!r}; they must sum to 1")
    return row


FEW_HANDS = 60
"""Most hands of a game that a table answers for at once. Bots take as long as they like."""


class OpenSpielPlayer(Stateless):
    """Plays by a policy or a bot of OpenSpiel."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of an OpenSpiel player.

        policy: the file of a tabular policy, as ``limpet strategy export`` writes it, or ``MODULE:FUNCTION``, which is called
            with OpenSpiel's game and returns a policy or a bot, or one for each position.
        """

        policy: str

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        self._table = openspiel_game(game)
        self._file = folder / options.policy
        self._slow = not self._file.is_file() or game_hands(game).size > FEW_HANDS
        self._answer = load_answer(options.policy, self._table, folder)

    def rows(self, state: State) -> Rows:
        actions, space = state.legal_actions(), game_hands(self.game)
        probabilities = np.zeros((len(actions), space.size), np.float32)
        for hand in np.flatnonzero(~space.blocked(state.board)).tolist():
            theirs = openspiel_state(self._table, state, tuple(space.holes[hand].tolist()))
            probabilities[:, hand] = self._answer(theirs)
        return Rows(actions, probabilities)

    def slow(self, state: State) -> bool:
        return self._slow

    def checksums(self) -> tuple[str, ...]:
        return (file_digest(self._file),) if self._file.is_file() else ()

    def describe(self) -> dict[str, str]:
        return {"openspiel": str(self._table)}


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
                fractions.add(pot_fraction(state, action.size))
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
