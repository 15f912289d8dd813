"""A person at the terminal who decides in a bot's place, with the bot's answer as a suggestion."""

from collections.abc import Callable

import click

from limpet.protocol.cards import cards_text
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import BET
from limpet.protocol.messages import MatchState, read_action
from limpet.protocol.settlement import chips_text, settle
from limpet.protocol.state import Action, State
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.strategy import Strategy


class AskingAgent(Agent):
    """Shows each decision and asks for the action; an empty answer takes the bot's own, and so does the end of input."""

    def __init__(
        self, strategy: Strategy, seed: int, ask: Callable[[str], str] = input,
        show: Callable[[str], None] = lambda text: click.echo(text, err=True),
    ) -> None:  # fmt: skip
        super().__init__(strategy, seed)
        self._ask = ask
        self._show = show

    def slow(self, match: MatchState) -> bool:
        return True

    def decide(self, match: MatchState) -> Action:
        suggested = super().decide(match)
        self._show(f"\nhand {match.hand}, {_situation(match)}\nyou may answer {_answers(match.state)}")
        while True:
            try:
                text = self._ask(f"your action [{suggested}]: ").strip()
            except EOFError:
                return suggested
            if not text:
                return suggested
            try:
                action, end = read_action(text, 0, match.state.game)
            except ProtocolError as error:
                self._show(str(error))
                continue
            if end == len(text) and match.allows(action):
                return action
            self._show(f"{text!r} is not possible here; answer {_answers(match.state)}")

    def observe(self, match: MatchState) -> None:
        """Show the end of a hand, and what it won where all cards are seen."""
        # The hands of players who have folded are hidden and not ranked, so that any hand can stand for them.
        hands = [hand or match.own_hand for hand in match.hands]
        won = settle(match.state, hands)[match.position]
        self._show(f"\nhand {match.hand} is over, {_situation(match)}\nyou win {chips_text(won)}")


def _situation(match: MatchState) -> str:
    state = match.state
    others = [cards_text(hand) for position, hand in enumerate(match.hands) if hand and position != match.position]
    parts = {
        f"position {match.position}:": cards_text(match.own_hand),
        "against": " ".join(others),
        "board": cards_text(state.board),
        "pot": str(state.pot),
        "after": state.betting,
    }
    return ", ".join(f"{what} {text}" for what, text in parts.items() if text)


def _answers(state: State) -> str:
    if state.phase is not BET:
        return f"d and up to {state.game.max_discard} cards to exchange, such as d7s2h, or d to stand pat"
    answers = ["f to fold"] if state.can_fold else []
    answers.append(f"c to call {state.to_call}" if state.to_call else "c to check")
    sizes, bounds = state.raise_sizes(), state.raise_bounds()
    if sizes is not None:
        answers.append(f"{' or '.join(f'r{size}' for size in sizes)} to raise")
    elif bounds is not None:
        answers.append(f"r{bounds[0]} to r{bounds[1]} to raise" if state.game.no_limit else "r to raise")
    return ", ".join(answers)
