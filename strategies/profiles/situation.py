"""Facts of a public state that choose a profile's rule."""

from typing import Literal, NamedTuple

from limpet.protocol.state import State
from limpet.strategies.profiles.profile import Bounds, Rule, When
from limpet.strategies.raises import at_risk
from limpet.strategies.trees.menu import STREETS


class SeenState(NamedTuple):
    """The facts of a decision that `When` may name; see there for their meaning."""

    street: str
    facing: Literal["nothing", "bet", "raise"]
    bet: float
    behind: float
    position: Literal["in", "out"]
    aggressor: Literal["me", "other", "nobody"]
    players: int


def seen(state: State) -> SeenState:
    """Return the facts of a state, which must not be finished."""
    to_call = state.to_call
    return SeenState(
        street=STREETS[state.round],
        facing="nothing" if not to_call else "bet" if state.raises <= 1 else "raise",
        bet=to_call / (state.pot - to_call) if to_call else 0.0,
        behind=chips_at_risk(state) / max(1, state.pot - to_call),
        position="in" if _last_to_act(state) == state.actor else "out",
        aggressor=_aggressor(state),
        players=state.remaining,
    )


def chips_at_risk(state: State) -> int:
    """Return the chips that the actor can still lose: those behind, as far as an opponent who is in can match them."""
    return at_risk(state, state.actor) - state.spent[state.actor]


def opponents_bets(state: State) -> float:
    """Return how much the actor's opponents have bet from the flop on: for each bet or raise 0.5 + its size in pots."""
    total, at = 0.0, state
    while (before := at.parent) is not None and before.round:
        if before.actor != state.actor and at.action is not None and at.action.kind == "r":
            total += 0.5 + (at.max_spent - before.max_spent) / (before.pot + before.to_call)
        at = before
    return total


def rule_for(rules: tuple[Rule, ...], facts: SeenState) -> Rule:
    """Return the first rule that is for the facts. The last rule must be for all (`profile.check_rules`)."""
    return next(rule for rule in rules if fits(rule.when, facts))


def fits(when: When, facts: SeenState) -> bool:
    """Return whether a situation has all that `when` asks for."""
    facing = (when.facing,) if isinstance(when.facing, str) else when.facing
    return (
        facts.street in when.streets
        and (facing is None or facts.facing in facing)
        and inside(when.bet, facts.bet)
        and inside(when.behind, facts.behind)
        and when.position in (None, facts.position)
        and when.aggressor in (None, facts.aggressor)
        and (when.players is None or when.players[0] <= facts.players <= when.players[1])
    )


def inside(bounds: Bounds | None, value: float) -> bool:
    """Return whether a value is within bounds; None bounds nothing."""
    return bounds is None or (bounds[0] <= value and (bounds[1] is None or value < bounds[1]))


def _last_to_act(state: State) -> int:
    """Return the position that acts last after the flop, of those who have not folded and have chips, the actor included."""
    game = state.game
    first = game.first_player[-1]
    order = [(first + offset) % game.num_players for offset in range(game.num_players)]
    able = [p for p in order if not state.has_folded(p) and (p == state.actor or state.spent[p] < game.stack[p])]
    return able[-1]


def _aggressor(state: State) -> Literal["me", "other", "nobody"]:
    at = state
    while (before := at.parent) is not None:
        if before.round < state.round and at.action is not None and at.action.kind == "r":
            return "me" if before.actor == state.actor else "other"
        at = before
    return "nobody"
