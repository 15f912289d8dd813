"""A hand street by street: as lines of text, each in parts with a style, and as data for programs."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from limpet.protocol.cards import CARD_TEXT, card_texts
from limpet.protocol.draws import exchange
from limpet.protocol.gamedef import DRAW, NO_STACK_LIMIT
from limpet.protocol.handhistory import Street, contested_pot, position_names, street_names, streets, uncalled
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.ranking import made_hand
from limpet.protocol.settlement import chips_text
from limpet.protocol.state import State


class StyledText(NamedTuple):
    """Characters of one look: ``""``, ``bold``, or a suit's letter."""

    text: str
    look: str = ""


Line = tuple[StyledText, ...]


def parts(hand: HandRecord) -> Iterator[list[Line]]:
    """Yield the lines of a hand part by part: the players, then each street, then the result."""
    end, names = hand.state, hand.names
    game = end.game
    yield [_bold(f"Hand {hand.hand}"), *_players(hand)]
    titles = street_names(game)
    for street in streets(end):
        if street.phase is DRAW:
            yield [_bold("Draw"), *(draw_line(hand, state) for state in street.steps)]
        else:
            yield list(_street(hand, street, titles[street.round]))
    if hand.runs:
        yield [_bold("Run again"), *(_line("  ", _cards(board)) for board in hand.runs)]
    result = [_bold("Result")]
    over, chips = uncalled(end.spent)
    if chips:
        result.append(_line(f"  {names[over]} takes back {chips}, which nobody called"))
    for position, name in enumerate(names):
        value = hand.values[position]
        line = _line(f"  {name}: {'+' if value > 0 else ''}{chips_text(value)}")
        if end.showdown and not end.has_folded(position) and (hole := hand.hands[position]):
            held = (made_hand(hole, board, game.hole_cards_used, game.ranking) for board in hand.boards)
            line += _line("  ", _cards(hole), f"  {'; '.join(held)}")
        result.append(line)
    yield result


def hand_data(hand: HandRecord) -> dict[str, Any]:
    """Return a hand as JSON: players by position, streets with their actions, and what each player won, in chips."""
    end, game = hand.state, hand.state.game
    titles, positions, stacks = street_names(game), position_names(game), game.starting_stack
    players = [
        {
            "name": name,
            "position": positions[p],
            "stack": None if stacks[p] == NO_STACK_LIMIT else stacks[p],
            "blind": game.blind[p],
            "ante": game.dead[p] if game.dead else 0,
            "cards": card_texts(hand.holes[p]),
            "final_cards": card_texts(hand.hands[p]),
            "folded": end.has_folded(p),
            "won": hand.values[p],
        }
        for p, name in enumerate(hand.names)
    ]
    told = [
        {
            "street": "draw" if street.phase is DRAW else titles[street.round],
            "board": card_texts(end.board[: game.board_sizes[street.round]]),
            "pot": _pot_before(end, street),
            "actions": [_action_data(hand, state) for state in street.steps],
        }
        for street in streets(end)
    ]
    runs = [card_texts(board) for board in hand.runs]
    return {"hand": hand.hand, "players": players, "streets": told, "runs": runs, "showdown": end.showdown}


def _action_data(hand: HandRecord, state: State) -> dict[str, Any]:
    """Return who did what, and for a bet the chips it took; `action` is the log's, as ``r300``."""
    before, action = state.parent, state.action
    assert before is not None and action is not None
    data: dict[str, Any] = {"player": hand.names[before.actor], "action": str(action)}
    if before.phase is DRAW:
        drawn = exchange(hand.holes, hand.draws, before.round, before.actor)
        return data | {"discards": card_texts(drawn.discards), "new_cards": card_texts(drawn.new)}
    return data | {"chips": state.spent[before.actor] - before.spent[before.actor], "pot": state.pot}


def _pot_before(end: State, street: Street) -> int:
    """Return the pot when a street began: the blinds, later without the part of a bet that nobody called."""
    before = street.steps[0].parent if street.steps else None
    state = before if before is not None else end
    return contested_pot(state) if street.round else state.pot


def _players(hand: HandRecord) -> Iterator[Line]:
    game = hand.state.game
    width = max(len(name) for name in hand.names)
    for position, (name, title) in enumerate(zip(hand.names, position_names(game), strict=True)):
        stack = game.starting_stack[position]
        held = "" if stack == NO_STACK_LIMIT else f"  stack {stack}"
        ante = f"  ante {game.dead[position]}" if game.dead and game.dead[position] else ""
        blind = ante + (f"  posts {game.blind[position]}" if game.blind[position] else "")
        hole = _cards(hand.holes[position]) if hand.holes[position] else _line("??")
        yield _line(f"  {name:<{width}}  ", hole, f"  {title}{held}{blind}")


def _street(hand: HandRecord, street: Street, title: str) -> Iterator[Line]:
    end = hand.state
    board = _cards(end.board[: end.game.board_sizes[street.round]]) if street.round else ()
    yield _line(_bold(title.capitalize()), *(("  ", board) if board else ()), f"  pot {_pot_before(end, street)}")
    for state in street.steps:
        yield _line(f"  {action_text(hand, state, street.base)}")
    if not street.steps:
        yield _line("  nobody is left to bet against")


def draw_line(hand: HandRecord, state: State) -> Line:
    """Return how many cards a player exchanged, which, and its hand afterwards where it is known."""
    before, action = state.parent, state.action
    assert before is not None and action is not None
    count = action.size
    done = f"draws {count} card{'' if count == 1 else 's'}" if count else "stands pat"
    line = _line(f"  {hand.names[before.actor]} {done}")
    if not count or not hand.holes[before.actor]:
        return line
    discards, new, hole = exchange(hand.holes, hand.draws, before.round, before.actor)
    return _line(line, "  ", _cards(discards), " for ", _cards(new), ": ", _cards(hole))


def action_text(hand: HandRecord, state: State, base: int) -> str:
    """Return what the actor did, the pot after it, and the chips that are left.

    `base` is what everybody had to match before the street, see `Street.base`.
    """
    before = state.parent
    assert before is not None
    actor = before.actor
    chips = state.spent[actor] - before.spent[actor]
    stack = state.game.stack[actor]
    left = ""
    if chips and stack != NO_STACK_LIMIT:
        left = ", all in" if stack == state.spent[actor] else f", {stack - state.spent[actor]} left"
    return f"{hand.names[actor]} {done_text(state, base)}" + (f"  (pot {state.pot}{left})" if chips else "")


def done_text(state: State, base: int) -> str:
    """Return what a bet, call or fold was: ``raises to 250``. `base` is that of `action_text`."""
    before = state.parent
    assert before is not None and state.action is not None
    actor, kind = before.actor, state.action.kind
    chips = state.spent[actor] - before.spent[actor]
    if kind == "f":
        return "folds"
    if kind == "c":
        return f"calls {chips}" if chips else "checks"
    return f"raises to {state.spent[actor] - base}" if before.max_spent > base else f"bets {chips}"


def _cards(cards: Iterable[int]) -> Line:
    """Return cards with blanks between them, each with the look of its suit."""
    runs = [run for card in cards for run in (StyledText(" "), StyledText(CARD_TEXT[card], CARD_TEXT[card][1]))]
    return tuple(runs[1:])


def _bold(text: str) -> Line:
    return (StyledText(text, "bold"),)


def _line(*parts: str | Line) -> Line:
    """Return a line of plain texts and parts of other lines."""
    return tuple(run for part in parts for run in ((StyledText(part),) if isinstance(part, str) else part))
