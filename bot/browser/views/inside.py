"""A hand looked into: at each decision both ranges, the strategy and values of every hand, and other bets tried out."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.bot.browser.views.grid import HandGrid, decision_grid, json_number, json_numbers, probabilities, range_grid
from limpet.bot.browser.views.strategy_tree import node_view, percent_raise, street_name
from limpet.common.workers import Report, silent
from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole, MatchState
from limpet.protocol.state import Action, State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import silenced
from limpet.strategies.base.strategy import HandKey, HandStrategy
from limpet.strategies.cards.equity import range_equity
from limpet.strategies.cards.handspace import hand_space, is_heads_up_holdem, is_holdem
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.blueprint.look import find_line
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.luck.decision_values import Valued, answered_bet, blueprint_of, known_values, self_play
from limpet.strategies.holdem.resolving.explanation import MIX, ExplainedDecision, explained, one_decision
from limpet.strategies.holdem.solutions.answer import Decision, hand_text
from limpet.strategies.holdem.solutions.lines import names_in_blinds
from limpet.strategies.players.resolve import Resolve


def warm_up(config: str, game: GameDef) -> None:
    """Load or compile what looking into a bot's hands needs."""
    if not is_heads_up_holdem(game):
        return
    strategy = silenced(load_bot(config, game).build())
    strategy.warm_up()
    if (blueprint := blueprint_of(strategy.start_hand(HandKey(0, 0, 0)))) is not None:
        self_play(blueprint.seat.file.folder)


@dataclass
class LookedInto:
    """A hand that is looked into: the bot's strategy in it, and the decisions that were explained.

    `report` is called with how far a decision's values have come.
    """

    match: MatchState
    name: str
    hand: HandStrategy
    thinks_by_clock: bool
    decisions: list[ExplainedDecision]
    report: Report = silent

    @staticmethod
    def of(config: str, match: MatchState) -> "LookedInto":
        """Have a bot work out a hand again. `match` is the hand as the bot sees it, with the cards that may be shown.

        Raises `ConfigError` for a bot that plays another game than heads-up hold'em.
        """
        game = match.state.game
        if not is_heads_up_holdem(game):
            raise ConfigError("looking inside is for heads-up hold'em; this is another game")
        bot = load_bot(config, game)
        strategy = silenced(bot.build())
        strategy.warm_up()
        key = HandKey(bot.config.seed, match.hand, match.position)
        hand, holes = strategy.start_hand(key), match.holes
        own = list(explained(hand, match.position, match.state, holes[match.position]))
        other = list(explained(hand, match.position, match.state, holes[1 - match.position], other=True))
        decisions = sorted([*own, *other], key=lambda decision: decision.state.actions_in_hand)
        by_clock = isinstance(strategy, Resolve) and strategy.resolver.bank is not None
        return LookedInto(match, bot.name, hand, by_clock, decisions)

    def view(self) -> dict[str, Any]:
        again = "Everything is worked out again, as the bot did at the table."
        clock = " This bot thinks by the clock, so that its solves may have ended a little earlier or later there."
        steps = [self._step(decision, number) for number, decision in enumerate(self.decisions)]
        return hand_in_short(self.match, self.name, again + (clock if self.thinks_by_clock else ""), steps)

    def decision(self, number_of_decision: int) -> dict[str, Any]:
        decision = self.decisions[number_of_decision]
        return self._full(decision, known_values(self.hand, decision, self.report), number_of_decision)

    def what_if(self, number_of_decision: int, percent: float) -> dict[str, Any]:
        """Return what follows a bet of `percent` % of the pot in place of what was done. Raises `ValueError`."""
        decision = self.decisions[number_of_decision]
        bet, actor = percent_raise(decision.state, percent), decision.state.actor
        mix = 0.0 if actor == self.match.position else MIX
        answer, valued = answered_bet(self.hand, decision, bet, mix, self.match.holes[1 - actor], self.report)
        return {
            "words": _words(decision.state, bet),
            "answer": self._full(answer, valued, number_of_decision),
            "values": None if valued is None else _values_after(decision, valued),
        }

    def _step(self, decision: ExplainedDecision, number_of_decision: int) -> dict[str, Any]:
        state = decision.state
        taken = "" if decision.taken is None else _words(state, decision.taken)
        return decision_in_short(self.match, state, number_of_decision, state.board, taken, decision.source) | {
            "seconds": round(decision.seconds, 3),
            "may_raise": state.raise_bounds() is not None and state.game.no_limit,
        }

    def _full(self, explained: ExplainedDecision, valued: Valued | None, number_of_decision: int) -> dict[str, Any]:
        explained = explained if valued is None else explained._replace(values=valued.values)
        state, position = explained.state, explained.state.actor
        weights = [explained.weights(player) for player in (0, 1)]
        equities = [range_equity(state.game, state.board, weights[1 - player]) for player in (0, 1)]
        decision = replace(explained.decision(), actions=names_in_blinds(explained.tree, 0))
        actions = explained.rows.actions
        return {
            "step": self._step(explained, number_of_decision),
            # Index of the action that was taken; None for another bet, and for a decision that is still open.
            "taken": actions.index(explained.taken) if explained.taken in actions else None,
            "held": _held(explained, decision, equities[position]),
            "grid": decision_grid(decision, valued=explained.values is not None, equity=equities[position]),
            "ranges": [range_grid(weights[player], state.board) for player in (0, 1)],
            "equity": [_mean(equities[0], weights), _mean(1 - equities[0], weights)],
            "how": "" if valued is None else valued.how,
            "error": 0.0 if valued is None else round(valued.error, 3),
        }


def hand_in_short(match: MatchState, name: str, note: str, steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a hand of the bot called `name`, which has the position of `match`, with its decisions in short.

    note: sentence on what the numbers are.
    """
    holdem = is_holdem(match.state.game)
    return {
        "hand": match.hand,
        "bot": match.position,
        "name": name,
        "board": cards_text(match.state.board),
        "note": note,
        "holes": [cards_text(match.holes[position]) for position in (0, 1)],
        "steps": steps,
        "places": ["big blind", "button"] if holdem else ["player 1", "player 2"],
    }


def decision_in_short(
    match: MatchState, state: State, number_of_decision: int, board: tuple[int, ...], taken: str, source: str
) -> dict[str, Any]:
    """Return a decision of a hand whose bot has the position of `match`, as one for which nothing was solved.

    Args:
        taken: words for the action that was taken; empty for a decision that is still open.
        source: sentence that says where the probabilities are from.
    """
    return {
        "number": number_of_decision,
        "street": street_name(state.game, state.round),
        "board": cards_text(board),
        "betting": state.betting,
        "position": state.actor,
        "is_bot": state.actor == match.position,
        "pot_bb": round(state.pot / state.game.big_blind, 3),
        "to_call_bb": round(state.to_call / state.game.big_blind, 3),
        "taken": taken,
        "seconds": 0.0,
        "source": source,
        "may_raise": False,
    }


def _words(state: State, action: Action) -> str:
    """Return the name of an action, with its size in big blinds."""
    return names_in_blinds(one_decision(state, (action,)), 0)[0]


def _values_after(explained: ExplainedDecision, answer: Valued) -> HandGrid:
    """Return the hands of the player who bets with what each wins after the bet."""
    position = explained.state.actor
    decision = explained.decision()
    won = answer.values.values[position]
    live = (~hand_space().blocked(explained.state.board)).astype(np.float32)[None]
    values = decision.values._replace(
        strategy=live, actions=won[None], values=np.where(np.arange(2)[:, None] == position, won, 0).astype(np.float32)
    )
    return decision_grid(replace(decision, actions=("held",), fractions=(None,), values=values))


def _held(explained: ExplainedDecision, decision: Decision, equity: NDArray[np.float64]) -> dict[str, Any] | None:
    """Return what the actor's hand does and wins, whether or not its range holds it; None for a hand that is not known."""
    if not explained.hole:
        return None
    hand = hand_space().index(explained.hole)
    ev, evs = equity[hand], np.zeros(0)
    if explained.values is not None:
        spent = decision.spent[decision.position]
        ev, evs = decision.hand_net[hand] + spent, decision.action_net[:, hand] + spent
    frequencies = probabilities(explained.rows.column(hand))
    return {"cards": hand_text(hand), "frequencies": frequencies, "ev": json_number(ev), "evs": json_numbers(evs)}


def _mean(equity: NDArray[np.float64], weights: list[NDArray[np.float32]]) -> float | None:
    """Return the mean equity of position 0's range, or of what it leaves, over all pairs of hands; see `json_number`."""
    joint = weights[0] * hand_space().compatible(weights[1])
    total = float(joint.sum())
    return json_number(float(joint @ equity) / total) if total > 0 else None


# --- A hand of a small game looked into: what a bot's strategy file does with every hand at each decision of both
# players.


@dataclass
class SmallHand:
    """A hand of a heads-up game whose hands are few enough for a list, played by a strategy file.

    Attributes:
        decisions: the decisions of both players, each with the state after it; None for a decision that is still open.
        report: takes the place of `LookedInto.report`; nothing here takes long.
    """

    match: MatchState
    name: str
    file: StrategyFile
    decisions: list[tuple[State, State | None]]
    report: Report = silent

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
            "held": _held_card(grid, hole) if hole else None,
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


def _held_card(grid: HandGrid, hole: Hole) -> dict[str, Any]:
    """Return what the actor's hand does."""
    column = next(at for at, name in enumerate(grid.cells.names) if set(parse_cards(name)) == set(hole))
    frequencies = [row[column] for row in grid.cells.frequencies]
    return {"cards": grid.cells.names[column], "frequencies": frequencies, "ev": None, "evs": []}
