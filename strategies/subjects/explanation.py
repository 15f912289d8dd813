"""Choice of the way in which a bot's decisions of a hand are explained to a reader."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from limpet.configs.loading import ConfigError, mistakes
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState
from limpet.protocol.state import Action, State
from limpet.strategies.base.records import RowsFile
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.handspace import game_hands, hand_space, is_holdem
from limpet.strategies.draw.explanation import draw_decisions
from limpet.strategies.holdem.resolving.explanation import explained


def explained_hand(match: MatchState, hand: HandStrategy, file: RowsFile | None = None) -> Iterator[Any]:
    """Yield a player's decisions of a hand, of a game that `check_explained` lets pass.

    They are `ExplainedDecision` in hold'em, and `DrawDecision` in five-card draw; `data` of each is plain data.

    file: what the player played by, where it was kept. Raises `ConfigError` for a file without the hand.
    """
    if match.state.game.num_draws:
        return draw_decisions(match, hand)
    position, hole = match.position, match.holes[match.position]

    def kept(state: State, action: Action) -> Rows:
        assert file is not None
        with mistakes():
            row = file.played(match.hand, state, position, hole, action)
        return Rows(row.actions, row.probabilities.astype(np.float32))

    return explained(hand, position, match.state, hole, None if file is None else kept)


def check_explained(name: str, game: GameDef, kept: bool, pictures: bool) -> None:
    """Raise `ConfigError` for games whose ranges are not shown, and for what is not there for a game.

    Args:
        name: the bot, as the user names it.
        kept: whether rows that the bot kept are asked for.
        pictures: whether pictures of the ranges are asked for.
    """
    draws = bool(game.num_draws) and game_hands(game) == hand_space(k=5)
    if not (draws or is_holdem(game)) or game.num_players != 2:
        raise ConfigError(
            f"{name}: ranges are for heads-up hold'em and five-card draw; this bot plays another game; limpet move {name} "
            "MATCHSTATE:... --json says what it does with the hand held"
        )
    if draws and pictures:
        raise ConfigError(
            f"{name}: --png draws hold'em's 169 classes of starting hands, and five-card hands have no such picture; leave "
            "it out: the table and --json have both ranges and every action by category of hand"
        )
    if draws and kept:
        raise ConfigError(
            f"{name}: --rows reads what hold'em bots keep, and no bot keeps rows of draws; leave it out: the hand is worked "
            "out again"
        )
