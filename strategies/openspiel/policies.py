"""Policies and bots of OpenSpiel, read from a file of a tabular policy or made by a function of a module.

A file is JSON, ``{"game": "leduc_poker(players=2)", "policy": {INFORMATION STATE: [[ACTION, PROBABILITY], …]}}``, so that
``pyspiel.TabularPolicy(json.load(file)["policy"])`` is the policy.
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from math import isclose
from pathlib import Path
from typing import Any

import msgspec

from limpet.strategies.openspiel.games import openspiel

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
