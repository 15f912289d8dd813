"""A hand on the terminal, street by street."""

from collections.abc import Callable, Iterable, Iterator

from rich.console import Console
from rich.text import Text

from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.gamedef import NO_STACK_LIMIT
from limpet.protocol.handhistory import Street, position_names, street_names, streets, uncalled
from limpet.protocol.handnames import describe
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import chips_text
from limpet.protocol.state import State

_SUIT_STYLES = ("green", "blue", "red", "bold")
"""Clubs, diamonds, hearts, spades, as four-colour decks print them."""

Wait = Callable[[], bool]
"""Called between two parts of a hand; False ends the replay."""


def replay(hand: HandRecord, console: Console, wait: Wait = lambda: True) -> bool:
    """Print a hand. False when `wait` ended it."""
    for number, part in enumerate(parts(hand)):
        if number and not wait():
            return False
        for line in part:
            console.print(line, soft_wrap=True, highlight=False)
    return True


def parts(hand: HandRecord) -> Iterator[list[Text]]:
    """The lines of a hand: the players, then each street, then the result."""
    end, names = hand.state, hand.names
    game = end.game
    yield [_line(f"Hand {hand.hand}", style="bold"), *_players(hand)]
    titles = street_names(game)
    for street in streets(end):
        yield list(_street(hand, street, titles[street.round]))
    result = [_line("Result", style="bold")]
    over, chips = uncalled(end.spent)
    if chips:
        result.append(_line(f"  {names[over]} takes back {chips}, which nobody called"))
    for position, name in enumerate(names):
        value = hand.values[position]
        line = _line(f"  {name}: {'+' if value > 0 else ''}{chips_text(value)}")
        if end.showdown and not end.has_folded(position) and hand.holes[position]:
            line.append("  ")
            line.append_text(cards_line(hand.holes[position]))
            line.append(f"  {describe((*hand.holes[position], *end.board))}")
        result.append(line)
    yield result


def _players(hand: HandRecord) -> Iterator[Text]:
    game = hand.state.game
    width = max(len(name) for name in hand.names)
    for position, (name, title) in enumerate(zip(hand.names, position_names(game), strict=True)):
        stack = game.stack[position]
        held = "" if stack == NO_STACK_LIMIT else f"  stack {stack}"
        blind = f"  posts {game.blind[position]}" if game.blind[position] else ""
        line = _line(f"  {name:<{width}}  ")
        line.append_text(cards_line(hand.holes[position]) if hand.holes[position] else Text("??"))
        line.append(f"  {title}{held}{blind}")
        yield line


def _street(hand: HandRecord, street: Street, title: str) -> Iterator[Text]:
    end = hand.state
    before = street.steps[0].parent if street.steps else None
    pot = before.pot if before is not None else end.pot
    head = _line(title.capitalize(), style="bold")
    if street.round:
        head.append("  ")
        head.append_text(cards_line(end.board[: end.game.board_sizes[street.round]]))
    head.append(f"  pot {pot}", style="not bold")
    yield head
    base = before.max_spent if before is not None and street.round else 0
    for state in street.steps:
        yield _line(f"  {_action(hand, state, base)}")
    if not street.steps:
        yield _line("  nobody is left to bet against")


def _action(hand: HandRecord, state: State, base: int) -> str:
    """What was done, the pot after it, and what the player has left."""
    before = state.parent
    assert before is not None and state.action is not None
    actor, kind = before.actor, state.action.kind
    chips = state.spent[actor] - before.spent[actor]
    if kind == "f":
        done = "folds"
    elif kind == "c":
        done = f"calls {chips}" if chips else "checks"
    elif before.max_spent > base:
        done = f"raises to {state.spent[actor] - base}"
    else:
        done = f"bets {chips}"
    stack = state.game.stack[actor]
    left = ""
    if chips and stack != NO_STACK_LIMIT:
        left = ", all in" if stack == state.spent[actor] else f", {stack - state.spent[actor]} left"
    return f"{hand.names[actor]} {done}" + (f"  (pot {state.pot}{left})" if chips else "")


def cards_line(cards: Iterable[int]) -> Text:
    """Cards in the colours of their suits."""
    line = Text()
    for card in cards:
        line.append(" " if line else "")
        line.append(CARD_TEXT[card], style=_SUIT_STYLES[card & 3])
    return line


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style)
