"""Policies and bots of OpenSpiel: read from a file or made by a function of a module, and seated as a player.

A file is JSON, ``{"game": "leduc_poker(players=2)", "policy": {INFORMATION STATE: [[ACTION, PROBABILITY], …]}}``, so that
``pyspiel.TabularPolicy(json.load(file)["policy"])`` is the policy. The player is asked about each hand in OpenSpiel's own state
of the decision.
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from math import isclose
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from limpet.common.verified import file_digest
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.base.strategy import Rows, Stateless, Strategy
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.openspiel.games import openspiel, openspiel_game, openspiel_state

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
    made_here = colon and not path.is_file()
    players = _made(module, function, folder)(table) if made_here else _read(path, table)

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
