"""A hand of a small game looked into: what a bot's strategy file does with every hand at each decision of both players."""

from dataclasses import dataclass
from typing import Any

from limpet.bot.browser.views.grid import Grid
from limpet.bot.browser.views.hand_values import Report
from limpet.bot.browser.views.inside import decision_in_short, hand_in_short
from limpet.bot.browser.views.strategy_tree import names_in_blinds, node_view
from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.messages import Hole, MatchState
from limpet.protocol.state import State
from limpet.strategies.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.blueprint.look import find_line
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.botconfig import load_bot
from limpet.strategies.strategy import HandKey


@dataclass
class SmallHand:
    """A hand of a heads-up game whose hands are few enough for a list, played by a strategy file.

    Attributes:
        decisions: the decisions of both players, each with the state after it; None for a decision that is still open.
    """

    match: MatchState
    name: str
    file: StrategyFile
    decisions: list[tuple[State, State | None]]
    report: Report = lambda done, total: None  # takes the place of `LookedInto.report`; nothing here takes long

    @staticmethod
    def of(config: str, match: MatchState) -> "SmallHand":
        """Return a hand of a bot. Raises `ConfigError` for a bot that does not play from a strategy file of this game."""
        bot = load_bot(config, match.state.game)
        hand = bot.build().start_hand(HandKey(bot.config.seed, match.hand, match.position))
        if not isinstance(hand, BlueprintHand) or match.state.game.num_players != 2:
            raise ConfigError(
                f"looking inside other games than hold'em takes a strategy file with all decisions, from which {bot.name} "
                "does not play; limpet explain shows games with draws"
            )
        states = list(match.state.path())
        after = [*states[1:], None]
        decisions = [(state, following) for state, following in zip(states, after, strict=True) if state.actor >= 0]
        return SmallHand(match, bot.name, hand.seat.file, decisions)

    def view(self) -> dict[str, Any]:
        """Return the hand with all of its decisions in short. Raises `ValueError` for betting that the tree has not."""
        note = "This is the strategy file that the bot plays from, for both players."
        return hand_in_short(self.match, self.name, note, [self._step(n) for n in range(len(self.decisions))])

    def decision(self, number: int) -> dict[str, Any]:
        """Return a decision in full, without values, ranges and equity."""
        state, _ = self.decisions[number]
        grid = node_view(self.file, state.betting, cards_text(self._board(state))).grid
        assert grid is not None
        hole = self.match.holes[state.actor]
        return {
            "step": self._step(number),
            "taken": self._taken(number),
            "held": _held(grid, hole) if hole else None,
            "grid": grid,
            "ranges": [],
            "equity": [None, None],
            "how": "",
            "error": 0.0,
        }

    def what_if(self, number: int, percent: float) -> dict[str, Any]:
        """Refuse: a strategy file has no other bets. Raises `ValueError`."""
        raise ValueError("other bets are for hold'em; the strategy file of this game has none")

    def _board(self, state: State) -> tuple[int, ...]:
        return self.match.state.board[: state.game.board_sizes[state.round]]

    def _taken(self, number: int) -> int | None:
        """Return the index of the action that was taken among those of the tree; None where the decision is open."""
        state, following = self.decisions[number]
        actions = self.file.tree.actions(self._node(state))
        return None if following is None else [str(action) for action in actions].index(str(following.action))

    def _node(self, state: State) -> int:
        return find_line(self.file.tree, state.betting)[-1][0]

    def _step(self, number: int) -> dict[str, Any]:
        state, _ = self.decisions[number]
        taken = self._taken(number)
        words = "" if taken is None else names_in_blinds(self.file.tree, self._node(state))[taken]
        source = f"by the strategy file {self.file.manifest.name}"
        return decision_in_short(self.match, state, number, self._board(state), words, source)


def _held(grid: Grid, hole: Hole) -> dict[str, Any]:
    """Return what the actor's hand does."""
    column = next(at for at, name in enumerate(grid.cells.names) if set(parse_cards(name)) == set(hole))
    frequencies = [row[column] for row in grid.cells.frequencies]
    return {"cards": grid.cells.names[column], "frequencies": frequencies, "ev": None, "evs": []}
