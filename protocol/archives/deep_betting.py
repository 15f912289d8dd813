"""Betting of hands whose stacks nobody's chips have reached, so that hands with other stacks share it."""

from limpet.protocol.gamedef import MAX_CHIPS, MAX_PLAYERS, GameDef
from limpet.protocol.state import Action, State

DEEP = MAX_CHIPS // 2 // MAX_PLAYERS
"""Stack that no hand's bets come near to."""


class Node:
    """A state of a betting tree. `children` are by the text of the next action, or of all that is left of the street."""

    __slots__ = ("children", "own", "parent", "stack", "state")

    def __init__(self, state: State, parent: "Node | None") -> None:
        self.state, self.parent = state, parent
        self.children: dict[str, Node] = {}
        self.stack: tuple[int, ...] = ()
        self.own: State | None = None
        """The state in the game of the stacks `stack`, which was asked for last."""

    def in_game(self, game: GameDef) -> State:
        """Return the state, and with it all before it, in a game with other stacks, which nobody's chips have reached."""
        if self.stack != game.stack or self.own is None:
            before = self.parent.in_game(game) if self.parent is not None else None
            self.own = State(game, *self.state[1:12], before, self.state.action)
            self.stack = game.stack
        return self.own


def deep(state: State, action: Action) -> State:
    """Return the state after a legal action of a no-limit game in which nobody is ever all in, as `State.apply` does."""
    game, actor, kind = state.game, state.actor, action.kind
    spent, folded, most, least = state.spent, state.folded, state.max_spent, state.min_raise_to
    raises, actions, called, round_ = state.raises, state.actions + 1, state.called, state.round
    betting = f"{state.betting}{action}"
    if kind == "f":
        folded |= 1 << actor
    elif kind == "c":
        spent = (*spent[:actor], most, *spent[actor + 1 :])
        called += 1
    else:
        least, most = max(least, 2 * action.size - most), action.size
        spent = (*spent[:actor], most, *spent[actor + 1 :])
        raises += 1
        called = 1
    players = len(spent)
    acting = players - folded.bit_count()
    after, over = actor, acting == 1
    if called >= acting and not over:
        over = round_ + 1 == game.num_rounds
        if not over:
            round_, betting, least = round_ + 1, betting + "/", most + game.big_blind
            raises = actions = called = 0
            after = game.first_player[round_] - 1
    if over:
        after = -1
    else:
        after = (after + 1) % players
        while folded >> after & 1:
            after = (after + 1) % players
    return State(
        game, round_, after, betting, spent, folded, most, least, raises, actions, called, state.board, state, action
    )
