"""Questions of a drill: a decision with a hand, drawn as often as it comes up in play, with the value of each answer."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import msgspec
import numpy as np

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text, parse_cards
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_name, preflop_classes
from limpet.strategies.holdem.solutions.answer import POSITIONS, Decision, decision, hand_text
from limpet.strategies.holdem.solutions.decision_reports import mean_equity
from limpet.strategies.holdem.solutions.lines import ANY_CARD, BoardNode, find_node, split_line
from limpet.strategies.holdem.solutions.solve import Solve
from limpet.strategies.shortstacks.solve import Solution, slot_hands
from limpet.strategies.shortstacks.spot import Slot, named_slot, seat_names, slot_name, slot_numbers, slots

MOST_DEALS = 500
"""Number of hands dealt in search of a decision that a drill asks about."""
DECISIONS = 500
"""Number of decisions whose values are kept; each takes a few dozen kilobytes."""


class Side(NamedTuple):
    """One player's range at a decision: its equity, and its expected share of the pot, both from 0 to 1; NaN if unknown."""

    equity: float
    share: float


class Question(msgspec.Struct, frozen=True):
    """A decision with a hand. Money is in big blinds.

    Attributes:
        line: name of the decision within its drill; with `hand` it asks the same again.
        said: the betting before it, in words. seat: who acts. facing: whether there is a bet to answer.
        labels: actions in words, with the pot fraction of raises. names: the same without it.
        frequencies: how often the strategy takes each action with this hand.
        values: what the hand wins by each action beyond all that it has put in.
        ranges: range against range, the actor's first; empty where that is not told.
    """

    line: str
    hand: str
    said: str
    seat: str
    street: str
    board: str
    pot: float
    facing: bool
    names: tuple[str, ...]
    labels: tuple[str, ...]
    frequencies: tuple[float, ...]
    values: tuple[float, ...]
    ranges: tuple[Side, ...] = ()

    @property
    def best(self) -> int:
        return int(np.argmax(self.values))

    def lost(self, action: int) -> float:
        return max(self.values) - self.values[action]

    def action(self, text: str) -> int:
        """Return the action of a number from 1, a name or its only beginning. Raises ValueError for other texts."""
        said = " ".join(text.lower().split())
        if said.isdecimal() and 1 <= int(said) <= len(self.names):
            return int(said) - 1
        if said in self.names:
            return self.names.index(said)
        begun = [number for number, name in enumerate(self.names) if said and name.startswith(said)]
        if len(begun) != 1:
            raise ValueError(f"{said!r} is no action here; answer {', '.join(self.names)}, or its number")
        return begun[0]


class Drill(Protocol):
    """A source of questions."""

    def draw(self, random: np.random.Generator) -> Question:
        """Return a question, as often as it comes up in play. Raises `ConfigError` where none is found."""
        ...

    def again(self, line: str, hand: str) -> Question:
        """Return the question of a decision and a hand. Raises ValueError for a line or hand that the drill has not."""
        ...


@dataclass(frozen=True)
class AskedAbout:
    """The decisions that a drill asks about, by street, position (0 out of it) and a bet to answer; None takes all."""

    street: str | None = None
    position: int | None = None
    facing: bool | None = None

    def takes(self, street: str, position: int, facing: bool) -> bool:
        wishes = ((self.street, street), (self.position, position), (self.facing, facing))
        return all(wish in (None, seen) for wish, seen in wishes)


def is_facing(shown: Decision) -> bool:
    """Return whether the actor has a bet to answer."""
    return "call" in shown.actions or "fold" in shown.actions


@dataclass(eq=False)
class SpotDrill:
    """Decisions of a solved spot: both hands are dealt from the ranges, and both play the solution."""

    solve: Solve
    wanted: AskedAbout = AskedAbout()
    _shown: dict[tuple[str, ...], Decision] = field(default_factory=dict)

    def draw(self, random: np.random.Generator) -> Question:
        for _ in range(MOST_DEALS):
            hands = self._deal(random)
            asked = [place for place in self._play(hands, random) if self._is_wanted(place)]
            if asked:
                shown = self._decision(asked[random.integers(len(asked))])
                return self._question(shown, hands[shown.position])
        raise ConfigError(
            f"no such decision came up in {MOST_DEALS} hands of this spot; ask for other streets or positions"
        )

    def again(self, line: str, hand: str) -> Question:
        spot = self.solve.spot
        shown = self._decision(find_node(spot.tree, split_line(line), spot.chip_size))
        number = hand_space().index(parse_cards(hand))
        if not shown.own[number] > 0:
            raise ValueError(f"{hand} does not come to the decision after {line!r}")
        return self._question(shown, number)

    def _deal(self, random: np.random.Generator) -> tuple[int, int]:
        """Return both hands, drawn by their weights among pairs without a common card."""
        spot = self.solve.spot
        first, second = spot.weights.astype(np.float64)
        chances = first * hand_space().compatible(second)
        one = int(random.choice(len(chances), p=chances / chances.sum()))
        free = ~np.isin(hand_space().holes, hand_space().holes[one]).any(axis=1)
        chances = second * free
        return one, int(random.choice(len(chances), p=chances / chances.sum()))

    def _play(self, hands: tuple[int, int], random: np.random.Generator) -> list[BoardNode]:
        spot = self.solve.spot
        tree, taken = spot.tree, {int(card) for hand in hands for card in hand_space().holes[hand]}
        place, places = find_node(tree, ()), list[BoardNode]()
        while True:
            places.append(place)
            shown = self._decision(place)
            row = shown.values.strategy[:, hands[shown.position]].astype(np.float64)
            action = int(random.choice(len(row), p=row / row.sum()))
            if tree.player[tree.child(place.node, action)] < 0:
                return places
            items = [*place.words, shown.actions[action]]
            place = find_node(tree, items, spot.chip_size, open_cards=True)
            if ANY_CARD in place.board:
                left = [card for card in range(52) if card not in taken and card not in place.board]
                items.append(cards_text([left[random.integers(len(left))]]))
                place = find_node(tree, items, spot.chip_size)

    def _is_wanted(self, place: BoardNode) -> bool:
        shown = self._decision(place)
        return self.wanted.takes(STREETS[self.solve.spot.tree.round[place.node]], shown.position, is_facing(shown))

    def _decision(self, place: BoardNode) -> Decision:
        if place.words not in self._shown:
            if len(self._shown) >= DECISIONS:
                del self._shown[next(iter(self._shown))]
            self._shown[place.words] = decision(self.solve, place)
        return self._shown[place.words]

    def _question(self, shown: Decision, hand: int) -> Question:
        place, other = shown.place, 1 - shown.position
        equity = mean_equity(shown)
        share = [shown.share[player] / shown.pot for player in (shown.position, other)]
        return Question(
            line=", ".join(place.words),
            hand=hand_text(hand),
            said=", ".join(place.words),
            seat=POSITIONS[shown.position],
            street=STREETS[self.solve.spot.tree.round[place.node]],
            board=cards_text(place.board),
            pot=shown.pot,
            facing=is_facing(shown),
            names=shown.actions,
            labels=shown.labels,
            frequencies=tuple(map(float, shown.values.strategy[:, hand])),
            values=tuple(map(float, shown.action_net[:, hand])),
            ranges=(Side(equity[shown.position], share[0]), Side(equity[other], share[1])),
        )


@dataclass(eq=False)
class PushFoldDrill:
    """All-in or fold before the flop: each seat is asked as often as the others, at its decisions as often as they come up.

    With prizes a big blind of a loss stands for its share of all prizes.
    """

    solution: Solution
    _hands: dict[Slot, dict[str, dict[str, float | None]]] = field(default_factory=dict)

    def draw(self, random: np.random.Generator) -> Question:
        for _ in range(MOST_DEALS):
            seat = int(random.integers(self._players))
            own = [slot for slot in slots(self._players) if slot[-1] == seat and self.solution.is_reached(slot)]
            if not own:
                continue
            chances = self.solution.values.chances[[slot_numbers(self._players)[slot] for slot in own]]
            slot = own[0] if len(own) == 1 else own[int(random.choice(len(own), p=chances / chances.sum()))]
            with suppress(ValueError):  # a hand that never comes there
                return self.again(slot_name(slot, self._players), hand_text(int(random.integers(hand_space().size))))
        raise ConfigError(f"no decision came up in {MOST_DEALS} hands; give other stacks")

    def again(self, line: str, hand: str) -> Question:
        slot = named_slot(line, self._players)
        if slot not in self._hands:
            self._hands[slot] = slot_hands(self.solution, slot)
        of_class = self._hands[slot][class_name(int(preflop_classes()[hand_space().index(parse_cards(hand))]))]
        act, fold, often = of_class["all_in"], of_class["fold"], of_class["frequency"]
        if act is None or fold is None or often is None:
            raise ValueError(f"{hand} never comes to the decision {line}")
        calls = len(slot) > 1
        return Question(
            line=line,
            hand=hand,
            said=self._said(slot),
            seat=self._seat(slot[-1]),
            street="preflop",
            board="",
            pot=self._pot(slot),
            facing=calls,
            names=("fold", "call" if calls else "all-in"),
            labels=("fold", "call" if calls else "all-in"),
            frequencies=(1 - often, often),
            values=(fold * self._blinds, act * self._blinds),
        )

    @property
    def _players(self) -> int:
        return self.solution.game.players

    @property
    def _blinds(self) -> float:
        """Big blinds in one unit of the solution's values."""
        spot = self.solution.game.spot
        return 1.0 if spot.payouts is None else sum(spot.stacks) / spot.big_blind / spot.pool

    def _seat(self, seat: int) -> str:
        """Return the name of a seat, heads-up without its stack."""
        name = seat_names(self._players)[seat]
        return name if self._players == 2 else f"{name} ({self.solution.game.spot.stacks[seat]:g} bb)"

    def _said(self, slot: Slot) -> str:
        """Return what players did before a decision, and who may still act after it."""
        if self._players == 2:
            return f"SB all-in for {min(self.solution.game.spot.stacks):g} bb" if len(slot) > 1 else ""
        own = slot[-1]
        done = [f"{self._seat(seat)} {'all-in' if seat in slot else 'folds'}" for seat in range(own)]
        behind = ", ".join(map(self._seat, range(own + 1, self._players)))
        return (", ".join(done) or "nobody") + (f"; behind you {behind}" if behind else "")

    def _pot(self, slot: Slot) -> float:
        """Return the big blinds that the owner of a decision may win, its own blind and ante among them."""
        spot = self.solution.game.spot
        paid = [
            stack if seat in slot[:-1] else posted
            for seat, (stack, posted) in enumerate(zip(spot.stacks, spot.posted(), strict=True))
        ]
        return sum(min(chips, spot.stacks[slot[-1]]) for chips in paid) / spot.big_blind
