"""The public state of a hand: whose turn it is, which actions are legal, and the state after an action.

The rules are the reference dealer's, including where they depart from casino rules: an all-in below the minimum raise
re-opens the betting and leaves the minimum raise unchanged, and a limit raise from a stack below the bet sets the bet to
that stack. States are values: `apply` makes a new one.

A hand is a sequence of phases, each of a `Phase`: the betting of every round, and a draw before it in games that have one.
Betting may also be pot-limit or restricted to fractions of the pot.
"""

from collections.abc import Iterator, Sequence
from operator import add, index
from typing import NamedTuple

from limpet.protocol.cards import cards_text
from limpet.protocol.chip_sums import MAX_ACTIONS_PER_ROUND, actor_after, allowed_raises, num_acting
from limpet.protocol.errors import IllegalAction
from limpet.protocol.gamedef import BET, DRAW, Betting, GameDef, Phase


class Action(NamedTuple):
    """A fold ``f``, call ``c``, raise ``r`` or draw ``d``.

    `size` is the player's total in the hand after a no-limit raise, the number of cards exchanged in a draw, else 0.
    `cards` are the discards of a draw; they are empty where only their number is known, as in every `State`.
    """

    kind: str
    size: int = 0
    cards: tuple[int, ...] = ()

    def __str__(self) -> str:
        """Return the action as on the wire: a draw with its discards, or with their number where they are not known."""
        if self.kind == "d" and (self.cards or not self.size):
            return f"d{cards_text(self.cards)}"
        return f"{self.kind}{self.size}" if self.size else self.kind

    @property
    def public(self) -> "Action":
        """The action as everybody sees it: a draw without its cards."""
        return self._replace(cards=()) if self.cards else self


FOLD = Action("f")
CALL = Action("c")
RAISE = Action("r")  # limit games only: the size is fixed by the game
PAT = Action("d")  # the draw that exchanges no card


def action_order(action: Action) -> tuple[int, int]:
    """Return a key that sorts actions: fold, call, raises ascending, draws ascending."""
    return "fcrd".index(action.kind), action.size


def discard(cards: tuple[int, ...]) -> Action:
    """Return a draw that exchanges these cards."""
    return Action("d", len(cards), cards)


def raise_to(chips: int) -> Action:
    """Return a no-limit raise that brings the player's total over the whole hand to `chips`. Raises `TypeError` for 2.5."""
    try:
        return Action("r", index(chips))
    except TypeError:
        raise TypeError(f"a raise to {chips!r}: chips are a whole number; round it") from None


class State(NamedTuple):
    """The public part of a hand: betting and board, no hole cards. Amounts are chips over the whole hand, but for antes.

    Attributes:
        actor: position to act, or -1 when the hand is over.
        betting: all actions as on the wire: ``cc/r300``. A finished round ends with a slash.
        folded: bit p is set when position p has folded.
        min_raise_to: smallest no-limit raise-to, which the stack may lower; 0 in limit games.
        raises: raises in this round.
        actions: actions in this round.
        called: players still able to act who have called since the last raise, the raiser included.
        board: board cards dealt so far; `apply` does not deal, `with_board` does.
        parent: the state before `action`; None at the start of a hand.
        action: the action that led here.
        phase: whether the actor bets or draws. A draw belongs to the round whose betting follows it.
    """

    game: GameDef
    round: int
    actor: int
    betting: str
    spent: tuple[int, ...]
    folded: int
    max_spent: int
    """Chips that a call matches: the largest of `spent`, unless a limit raise from a short stack lowered it."""
    min_raise_to: int
    raises: int
    actions: int
    called: int
    board: tuple[int, ...]
    parent: "State | None"
    action: Action | None
    phase: Phase = BET

    def __eq__(self, other: object) -> bool:
        # Game and betting determine everything but the board.
        if not isinstance(other, State):
            return NotImplemented
        return self.betting == other.betting and self.board == other.board and self.game == other.game

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.betting, self.board, self.game))

    def __repr__(self) -> str:
        return f"State({self.betting!r}, board={cards_text(self.board)!r}, actor={self.actor})"

    @staticmethod
    def start(game: GameDef, board: tuple[int, ...] = ()) -> "State":
        """The state before the first action: blinds posted, nobody has acted."""
        most = max(game.blind)
        return State(
            game=game,
            round=0,
            actor=actor_after(game.stack, game.blind, 0, game.first_player[0] - 1),
            betting="",
            spent=game.blind,
            folded=0,
            max_spent=most,
            min_raise_to=most + game.big_blind if game.no_limit else 0,
            raises=0,
            actions=0,
            called=0,
            board=board,
            parent=None,
            action=None,
        )

    @property
    def finished(self) -> bool:
        return self.actor < 0

    def has_folded(self, position: int) -> bool:
        return bool(self.folded >> position & 1)

    @property
    def remaining(self) -> int:
        """Number of players that have not folded."""
        return self.game.num_players - self.folded.bit_count()

    @property
    def showdown(self) -> bool:
        """True when the hand is over and two or more players must show."""
        return self.actor < 0 and self.remaining > 1

    @property
    def actions_in_hand(self) -> int:
        """Number of actions in all rounds of the hand."""
        return sum(map(self.betting.count, "crfd"))

    @property
    def paid(self) -> tuple[int, ...]:
        """Chips that each position has put in, dead ones too."""
        return tuple(map(add, self.spent, self.game.dead)) if self.game.dead else self.spent

    @property
    def pot(self) -> int:
        """Chips of all players, dead ones too."""
        return sum(self.spent) + self.game.dead_pot

    @property
    def to_call(self) -> int:
        """Chips the actor must add to call, up to its stack; below 0 after a limit raise that lowered the bet, 0 at the end."""
        if self.actor < 0:
            return 0
        return min(self.max_spent, self.game.stack[self.actor]) - self.spent[self.actor]

    @property
    def can_fold(self) -> bool:
        """Folding is illegal when there is nothing to call."""
        return self.actor >= 0 and self.spent[self.actor] != self.max_spent and self.phase is BET

    def raise_bounds(self) -> tuple[int, int] | None:
        """Return the smallest and largest raise-to of the actor, (0, 0) in limit games; None when raising is illegal."""
        game, actor = self.game, self.actor
        if (
            actor < 0
            or self.raises >= game.max_raises[self.round]
            or self.actions + game.num_players > MAX_ACTIONS_PER_ROUND
            or (self.max_spent >= game.shortest_stack and num_acting(game.stack, self.spent, self.folded) <= 1)
            or self.phase is not BET
        ):
            return None
        if not game.no_limit:
            return (0, 0)
        stack = game.stack[actor]
        if self.min_raise_to <= stack:
            if game.caps_raises:
                sizes = self._raises_by_pot(self.min_raise_to, stack)
                return (sizes[0], sizes[-1])
            return (self.min_raise_to, stack)
        # Too short for the minimum: all-in is still a raise if it exceeds what there is to call.
        return (stack, stack) if self.max_spent < stack else None

    def raise_sizes(self) -> tuple[int, ...] | None:
        """Return the only legal raises-to, ascending, of a game with `raise_fractions`; None if any within bounds is legal."""
        bounds = self.raise_bounds() if self.game.raise_fractions else None
        if bounds is None:
            return None
        return self._raises_by_pot(*bounds) if self.min_raise_to <= self.game.stack[self.actor] else bounds[:1]

    def _raises_by_pot(self, low: int, high: int) -> tuple[int, ...]:
        """Return the raises-to from `low` to `high` that the pot allows, see `allowed_raises`."""
        game, called = self.game, self.max_spent
        shares = game.raise_fractions[self.round] if game.raise_fractions else ()
        pot = self.pot + called - self.spent[self.actor]
        return allowed_raises(shares, game.betting is Betting.POT_LIMIT, called, pot, low, high)

    def legal_actions(self) -> tuple[Action, ...]:
        """Return every legal action in fixed order: fold, call, raises ascending; in a draw by the number of cards.

        A deep no-limit state has some 20,000 raises: `raise_bounds` has the smallest and the largest at once.
        """
        if self.actor < 0:
            return ()
        if self.phase is not BET:
            return tuple(Action("d", count) for count in range(self.game.max_discard + 1))
        raises: Sequence[int] = ()
        if (bounds := self.raise_bounds()) is not None:
            raises = self.raise_sizes() or range(bounds[0], bounds[1] + 1)
        return (*([FOLD] if self.can_fold else []), CALL, *(Action("r", size) for size in raises))

    def is_legal(self, action: Action) -> bool:
        """Return whether the actor may take `action`. Of a draw only the number of cards is checked."""
        kind, size, _ = action
        if kind == "c":
            return self.actor >= 0 and size == 0 and self.phase is BET
        if kind == "f":
            return self.can_fold and size == 0
        if kind == "d":
            return self.phase is DRAW and 0 <= size <= self.game.max_discard
        bounds = self.raise_bounds()
        if kind != "r" or bounds is None or not bounds[0] <= size <= bounds[1]:
            return False
        return not self.game.raise_fractions or size in (self.raise_sizes() or ())

    def fixed(self, action: Action) -> Action:
        """Return the legal action that the reference dealer makes of `action`.

        A raise is moved to the nearest legal size, the smaller of two; any other illegal action becomes a call. In a draw
        an illegal action stands pat.
        """
        if self.phase is not BET:
            return action if self.is_legal(action) else PAT
        if action.kind == "r" and (bounds := self.raise_bounds()):
            if (sizes := self.raise_sizes()) is not None:
                return Action("r", min(sizes, key=lambda size: (abs(size - action.size), size)))
            return Action("r", min(max(action.size, bounds[0]), bounds[1]))
        return FOLD if action.kind == "f" and self.can_fold else CALL

    def apply(self, action: Action) -> "State":
        """Return the state after the actor's `action`, without new board cards. Raises `IllegalAction`."""
        if not self.is_legal(action):
            raise IllegalAction(f"{action} is not legal after '{self.betting}': {self._what_is_legal()}")
        kind, size, _ = action
        (
            game, round_, actor, betting, spent, folded, max_spent, min_raise_to, raises, actions, called, board,
            _, _, _,
        ) = self  # fmt: skip
        if kind == "f":
            folded |= 1 << actor
        else:
            stack = game.stack[actor]
            if kind == "c":
                total = min(max_spent, stack)
                called += total < stack
            elif kind == "d":
                return self._apply_draw(size)
            else:
                if game.no_limit:
                    total = size
                    min_raise_to = max(min_raise_to, 2 * total - max_spent)
                else:
                    total = min(max_spent + game.raise_size[round_], stack)
                max_spent = total
                raises += 1
                called = 1 if total < stack else 0
            if total != spent[actor]:
                spent = (*spent[:actor], total, *spent[actor + 1 :])
        betting += f"r{size}" if size else kind
        actions += 1
        next_actor = -1
        if folded.bit_count() + 1 < game.num_players:
            if max_spent < game.shortest_stack:
                acting = game.num_players - folded.bit_count()
            else:
                acting = num_acting(game.stack, spent, folded)
            if called < acting:
                next_actor = actor_after(game.stack, spent, folded, actor)
            elif game.num_draws:
                closed = State(
                    game, round_, -1, betting, spent, folded, max_spent, min_raise_to, 0, 0, 0, board, self, action
                )
                return closed._next_phase()
            elif acting > 1:
                if round_ + 1 < game.num_rounds:
                    round_ += 1
                    betting += "/"
                    raises = actions = called = 0
                    if game.no_limit:
                        min_raise_to = max_spent + game.big_blind
                    next_actor = actor_after(game.stack, spent, folded, game.first_player[round_] - 1)
            else:  # nobody is left to bet against: the rest of the board is dealt, then a showdown
                betting += "/" * (game.num_rounds - 1 - round_)
                round_ = game.num_rounds - 1
        # Straight from a tuple, which spares the call of the constructor in Python: every line that is read comes here.
        return tuple.__new__(State, (
            game, round_, next_actor, betting, spent, folded, max_spent, min_raise_to,
            raises, actions, called, board, self, action, BET,
        ))  # fmt: skip

    def _apply_draw(self, count: int) -> "State":
        """Return the state after the actor has exchanged `count` cards. Nothing in it says which."""
        drawn = self._replace(
            betting=f"{self.betting}d{count}", actions=self.actions + 1, parent=self, action=Action("d", count)
        )
        if drawn.actions < self.remaining:
            return drawn._replace(actor=self._next_drawer(self.actor))
        return drawn._next_phase()

    def _next_phase(self) -> "State":
        """Return the first state of the phase that follows this one, in a game with draws. Two players or more are left.

        Players who are all in still draw. Where nobody is left to bet against, the betting of a round is empty.
        """
        game, round_, phase, betting = self.game, self.round, self.phase, self.betting
        can_bet = num_acting(game.stack, self.spent, self.folded) > 1
        actor = -1
        while actor < 0 and (phase is DRAW or round_ + 1 < game.num_rounds):
            betting += "/"
            if phase is DRAW:
                phase = BET
            else:
                round_ += 1
                phase = DRAW if game.num_draws[round_] else BET
            if phase is DRAW:
                actor = self._next_drawer(game.first_player[round_] - 1)
            elif can_bet:
                actor = actor_after(game.stack, self.spent, self.folded, game.first_player[round_] - 1)
        begun = self._replace(round=round_, actor=actor, betting=betting, raises=0, actions=0, called=0, phase=phase)
        return begun._replace(min_raise_to=self.max_spent + game.big_blind) if game.no_limit else begun

    def _next_drawer(self, position: int) -> int:
        """Return the first position after `position` that has not folded."""
        players = self.game.num_players
        return next(
            p % players for p in range(position + 1, position + 1 + players) if not self.has_folded(p % players)
        )

    def round_start(self) -> "State":
        """Return the state in which this betting round, or draw, began, with the board of that time."""
        state = self
        while state.actions and state.parent is not None:
            state = state.parent
        return state

    def with_board(self, board: tuple[int, ...]) -> "State":
        """Return the same state with the board cards of this round: the first of `board`, which may be longer."""
        visible = board[: self.game.board_sizes[self.round]]
        return self if visible == self.board else self._replace(board=visible)

    def path(self) -> Iterator["State"]:
        """Return the states of the hand from the start to this one."""
        states = [self]
        while (parent := states[-1].parent) is not None:
            states.append(parent)
        return reversed(states)

    def called_down(self, board: tuple[int, ...] = ()) -> Iterator["State"]:
        """Yield this state and the unfinished ones that follow if everybody checks, calls and stands pat to the end.

        Streets that are missing here have no action at all, as where the blinds put players all in. `board` has the cards
        that are dealt, as for `with_board`.
        """
        state = self
        while not state.finished:
            yield (state := state.with_board(board))
            state = state.apply(CALL if state.phase is BET else PAT)

    def _what_is_legal(self) -> str:
        if self.actor < 0:
            return "the hand is over"
        if self.phase is not BET:
            return f"position {self.actor} may draw with 0 to {self.game.max_discard} cards, d0 to d{self.game.max_discard}"
        bounds = self.raise_bounds()
        legal = ["f", "c"] if self.can_fold else ["c"]
        if bounds is not None:
            sizes = self.raise_sizes()
            between = f"r{bounds[0]} to r{bounds[1]}" if self.game.no_limit else "r"
            legal.append(between if sizes is None else ", ".join(f"r{size}" for size in sizes))
        return f"position {self.actor} may play {', '.join(legal)}"
