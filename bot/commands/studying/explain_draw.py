"""Decisions of one player of a draw game as ``limpet explain`` shows them, by the categories of five-card hands."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole, MatchState
from limpet.protocol.ranking import CATEGORIES, category, describe
from limpet.protocol.state import Action, State, discard
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import rank_batch
from limpet.strategies.draw.hands import all_hands
from limpet.strategies.draw.player import DrawPlayer

Numbers = NDArray[np.float64]


class DrawDecision(NamedTuple):
    """A decision of a player of a draw game.

    Attributes:
        state: state that the player decided in.
        hand: cards that the player held then.
        rows: rows that the player decides by.
        taken: action that was taken, discards named in ascending order; None for a decision that is still open.
        ranges: float64 ``[2, class]``: what both positions hold, as the player takes it; None where it keeps no ranges.
        source: what the rows come from; empty where it is not known.
    """

    state: State
    hand: Hole
    rows: Rows
    taken: Action | None
    ranges: Numbers | None
    source: str

    @property
    def weights(self) -> Numbers:
        """Return float64 ``[class]``: the player's own range, or all hands alike where ranges are not known."""
        return all_hands().weights if self.ranges is None else self.ranges[self.state.actor]

    def by_action(self) -> dict[str, NDArray[np.float32]]:
        """Return float32 ``[class]`` for each public action: its probability. All draws of as many cards are one."""
        _, first = np.unique(all_hands().class_of, return_index=True)
        columns = first if self.rows.classes is None else self.rows.classes[first]
        rows: dict[str, NDArray[np.float32]] = {}
        for action, row in zip(self.rows.actions, self.rows.probabilities, strict=True):
            rows[str(action)] = rows.get(str(action), np.float32(0)) + row[columns]
        return dict(sorted(rows.items())) if self.rows.discards is not None else rows

    def own(self) -> dict[str, float]:
        """Return the probability of each action with the hand held; in a draw, of each set of cards that may be thrown away."""
        return self.rows.by_action(hand_space(k=5).index(self.hand), self.hand)


def draw_decisions(match: MatchState, hand: HandStrategy) -> Iterator[DrawDecision]:
    """Yield the decisions of the match state's position on the way to its state, and that in it if it is its turn."""
    record = HandRecord(match.hand, match.state, match.holes, (), (), match.draws)
    steps: Iterable[tuple[State, Action | None, tuple[Hole, ...]]] = record.decisions()
    if match.my_turn:
        steps = (*steps, (match.state, None, match.hands))
    for state, action, holes in steps:
        if state.actor != match.position:
            continue
        rows, ranges, source = hand.rows(state), None, ""
        if isinstance(hand, DrawPlayer):
            ranges, source = hand.ranges(state), hand.source(state)
        if action is not None and action.kind == "d":
            action = discard(tuple(sorted(action.cards)))
        yield DrawDecision(state, holes[match.position], rows, action, ranges, source)


def decision_data(decision: DrawDecision) -> dict[str, Any]:
    """Return a decision as JSON."""
    actions, categories = decision.by_action(), {}
    for name, shares, chances in _by_category(decision, actions):
        own, other = shares if decision.ranges is not None else (None, None)
        categories[name] = {"own": own, "other": other, "actions": dict(zip(actions, chances, strict=True))}
    return {
        "betting": decision.state.betting,
        "hand": cards_text(decision.hand),
        "source": decision.source or None,
        "actions": {name: float(decision.weights @ row) for name, row in actions.items()},
        "probabilities": decision.own(),
        "taken": None if decision.taken is None else str(decision.taken),
        "categories": categories,
    }


def show_decision(decision: DrawDecision, number: int) -> None:
    """Print a decision: the hand held, what is done with it, and both ranges by category with what each category does."""
    from limpet.bot.commands.drawing import percents
    from limpet.bot.commands.terminal import print_table

    state, actions, own = decision.state, decision.by_action(), decision.own()
    click.echo(f"{number}. {state.betting or 'the start'}: pot {state.pot / state.game.big_blind:g} bb")
    click.echo(f"{cards_text(decision.hand)}, {describe(decision.hand)}; {decision.source or 'ranges are not known'}")
    for name, chance in zip(own, percents(list(own.values()), 1), strict=True):
        click.echo(f"  {name} {chance}" + (" <" if name == str(decision.taken) else ""))
    if decision.taken is not None and str(decision.taken) not in own:
        click.echo(f"  the log says {decision.taken}, which this bot never does: it is not the bot that played")
    held = ["dealt"] if decision.ranges is None else ["own range", "the other's"]
    rows = [[name, *percents([*shares, *chances], 1)] for name, shares, chances in _by_category(decision, actions)]
    everything = percents([float(decision.weights @ row) for row in actions.values()], 1)
    print_table(["hands", *held, *actions], [*rows, ["all", *("" for _ in held), *everything]], boxed=False)
    click.echo()


def _by_category(
    decision: DrawDecision, actions: dict[str, NDArray[np.float32]]
) -> Iterator[tuple[str, list[float], list[float]]]:
    """Yield each category that the player may hold, its shares of the known ranges, and its actions' probabilities.

    The shares are those of the own range and the other's, or of all hands dealt where no ranges are known.
    """
    categories, position = _categories(), decision.state.actor
    ranges = decision.weights[None] if decision.ranges is None else decision.ranges[[position, 1 - position]]
    for number, name in enumerate(CATEGORIES):
        chosen = categories == number
        shares = ranges[:, chosen].sum(axis=1)
        weights = decision.weights[chosen] / shares[0] if shares[0] > 0 else np.zeros(int(chosen.sum()))
        yield name, shares.tolist(), [float(weights @ row[chosen]) for row in actions.values()]


def _categories() -> NDArray[np.int64]:
    """Return int64 ``[class]``: category of each canonical hand, 0 (high card) .. 8 (straight flush)."""
    ranks, rank_index = np.unique(rank_batch(all_hands().cards), return_inverse=True)
    return np.array([category(int(rank)) for rank in ranks])[rank_index]
