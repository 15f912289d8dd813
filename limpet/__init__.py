"""Limpet for programs: bots, matches, solves, training and measures of poker, under one import.

Every name below is made of the module that it lies in when it is first used, so that ``import limpet`` takes a moment and
compiles nothing. The names, with their arguments, are Limpet's promise to programs; how they may change stands in
docs/use-from-python.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.6.0"

_HOME = {
    "configs.loading": ["ConfigError", "load_game"],
    "dealer.matches.faults": ["MatchFailed"],
    "dealer.matches.match": ["play_match"],
    "dealer.measures.lbr": ["local_best_response"],
    "dealer.measures.luck_job": ["aivat"],
    "protocol.archives.hands": ["read_hands"],
    "protocol.errors": ["IllegalAction", "ProtocolError"],
    "protocol.gamedef": ["GameDef"],
    "protocol.messages": ["MatchState", "parse_match_state", "parse_state"],
    "protocol.state": ["CALL", "FOLD", "Action", "State", "raise_to"],
    "strategies.base.agent": ["Agent", "WrongRows"],
    "strategies.holdem.blueprint.named": ["load_strategy"],
    "strategies.base.botconfig": ["Bot", "load_bot", "register"],
    "strategies.cards.equity": ["equity"],
    "strategies.cards.handspace": ["game_hands"],
    "strategies.cards.ranges": ["parse_range", "range_text"],
    "strategies.shortstacks.icm": ["icm"],
    "strategies.holdem.measures.real_response": ["exploitability"],
    "strategies.shortstacks.solve": ["pushfold"],
    "strategies.holdem.solutions.answer": ["solve"],
    "strategies.base.strategy": ["HandKey", "HandStrategy", "Rows", "Stateless", "Strategy"],
    "strategies.subjects": ["train"],
}
"""Public names by the module that each lies in."""
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = ["__version__", "testing", *_MODULE]  # noqa: PLE0604 - the names are those of the table


def __getattr__(name: str) -> Any:
    """Return a public name from its module, and keep it here."""
    if name == "testing":
        return import_module("limpet.testing")
    if name not in _MODULE:
        raise AttributeError(f"module 'limpet' has no attribute {name!r}; docs/use-from-python.md lists its names")
    value = globals()[name] = getattr(import_module(f"limpet.{_MODULE[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


if TYPE_CHECKING:
    from limpet import testing as testing
    from limpet.configs.loading import ConfigError as ConfigError
    from limpet.configs.loading import load_game as load_game
    from limpet.dealer.matches.faults import MatchFailed as MatchFailed
    from limpet.dealer.matches.match import play_match as play_match
    from limpet.dealer.measures.lbr import local_best_response as local_best_response
    from limpet.dealer.measures.luck_job import aivat as aivat
    from limpet.protocol.archives.hands import read_hands as read_hands
    from limpet.protocol.errors import IllegalAction as IllegalAction
    from limpet.protocol.errors import ProtocolError as ProtocolError
    from limpet.protocol.gamedef import GameDef as GameDef
    from limpet.protocol.messages import MatchState as MatchState
    from limpet.protocol.messages import parse_match_state as parse_match_state
    from limpet.protocol.messages import parse_state as parse_state
    from limpet.protocol.state import CALL as CALL
    from limpet.protocol.state import FOLD as FOLD
    from limpet.protocol.state import Action as Action
    from limpet.protocol.state import State as State
    from limpet.protocol.state import raise_to as raise_to
    from limpet.strategies.base.agent import Agent as Agent
    from limpet.strategies.base.agent import WrongRows as WrongRows
    from limpet.strategies.base.botconfig import Bot as Bot
    from limpet.strategies.base.botconfig import load_bot as load_bot
    from limpet.strategies.base.botconfig import register as register
    from limpet.strategies.base.strategy import HandKey as HandKey
    from limpet.strategies.base.strategy import HandStrategy as HandStrategy
    from limpet.strategies.base.strategy import Rows as Rows
    from limpet.strategies.base.strategy import Stateless as Stateless
    from limpet.strategies.base.strategy import Strategy as Strategy
    from limpet.strategies.cards.equity import equity as equity
    from limpet.strategies.cards.handspace import game_hands as game_hands
    from limpet.strategies.cards.ranges import parse_range as parse_range
    from limpet.strategies.cards.ranges import range_text as range_text
    from limpet.strategies.holdem.blueprint.named import load_strategy as load_strategy
    from limpet.strategies.holdem.measures.real_response import exploitability as exploitability
    from limpet.strategies.holdem.solutions.answer import solve as solve
    from limpet.strategies.shortstacks.icm import icm as icm
    from limpet.strategies.shortstacks.solve import pushfold as pushfold
    from limpet.strategies.subjects import train as train
