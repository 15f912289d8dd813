"""Read hands in the poker hand history format (PHH): https://phh.readthedocs.io.

A file ``.phh`` is the TOML of one hand, a file ``.phhs`` has a section for each. Of the format's games all but stud and razz
are read (`write_phh.VARIANTS`), and any game whose definition stands in the hand (`write_phh.DEFINITION`). In hold'em and
pot-limit Omaha, antes that everybody posts alike count as a part of the blinds, as the ACPC's games can say it, unless a raise
is smaller than that allows; other antes, straddles and posts make a game with true antes. Amounts with fractions are counted in
hundredths.
"""

import re
import tomllib
from datetime import date, datetime, time
from functools import lru_cache
from itertools import chain, permutations
from math import inf
from typing import Any

from limpet.protocol.archives import hand_file
from limpet.protocol.archives.blocks import EASTERN, seconds_of
from limpet.protocol.archives.hand_file import BadHand, applied, casino_game, chosen_game, ended, without_ante
from limpet.protocol.archives.write_phh import DEFINITION, OWN, PLAIN, VARIANTS, as_variant
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.draws import Hands, all_cards, shown_draws
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import DRAW, MAX_PLAYERS, NO_STACK_LIMIT, GameDef
from limpet.protocol.handhistory import is_idle, street_base
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, discard, raise_to

SECTION = re.compile(r"\A(?=[^\n])|^\[[^\[\]\"'\n]+\][ \t]*$", re.MULTILINE)
"""Beginning of a hand: the file's, and a section's heading."""

_NAME = re.compile(r"\[([^\]]+)\]")
_DEAL = re.compile(r"d (?:dh p(\d+)|db) ([^\s#]+)")
_ACTION = re.compile(r"p(\d+) (f|cc|cbr (\d+(?:\.\d+)?)|sd|sm)(?: ([^\s#]+))?")
_RAISE_SIZE = re.compile(r"cbr (\d+(?:\.\d+)?)")
_defined = lru_cache(1 << 12)(GameDef.parse)

REFUSED = {
    "F7S": "in seven-card stud the players' open cards say who acts first",
    "F7S/8": "in seven-card stud the players' open cards say who acts first, and half of each pot goes to the lowest hand",
    "FR": "in razz the players' open cards say who acts first, and the lowest hand wins",
}
"""Codes of the format's other games, and what no definition of ours can say of them."""


def read_hand(text: str, game: GameDef | None = None) -> tuple[HandRecord, str, float | None] | None:
    """Return the hand of a text, its event, and its time in seconds since 1970; None for a text without fields.

    `game` is taken as the hand's definition where it has the same betting, blinds and stacks. Raises `BadHand`.
    """
    try:
        fields: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise BadHand(f"no valid TOML: {error}") from error
    section = _NAME.match(text)
    if len(fields) == 1 and isinstance(inner := next(iter(fields.values())), dict):
        fields = inner
    if not fields:
        return None
    name = section[1] if section else ""
    fields.setdefault("hand", int(name) if re.fullmatch(r"\d{1,18}", name, re.ASCII) else 0)
    try:
        return _record(fields, game), str(fields.get("event", "")), _time(fields)
    except _BadField as error:
        at = re.search(rf"^{error.key}[ \t]*=", text, re.MULTILINE)
        raise BadHand(str(error), text.count("\n", 0, at.start()) if at else 0) from error
    except BadHand:
        raise
    except ProtocolError as error:
        raise BadHand(str(error)) from error


def _record(fields: dict[str, Any], game: GameDef | None) -> HandRecord:
    """Return the hand in a game of the ACPC's where that can hold it, else in one with true antes. Raises `ProtocolError`."""
    hand = _Hand(fields, game)
    try:
        return hand.record()
    except ProtocolError:
        if hand.is_exact:
            raise
        return _Hand(fields, game, is_exact=True).record()


def _time(fields: dict[str, Any]) -> float | None:
    """Return when a hand was played, by UTC where neither ``time_zone`` nor the abbreviation ET is there; None if a part is missing."""
    clock = fields.get("time")
    try:
        day = date(*(fields[part] for part in ("year", "month", "day")))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    local = datetime.combine(day, clock if isinstance(clock, time) else time())
    usual = EASTERN if fields.get("time_zone_abbreviation") == "ET" else "UTC"
    return seconds_of(local, str(fields.get("time_zone", usual)))


class _BadField(BadHand):
    """A field that cannot be read, which is named with its value."""

    def __init__(self, key: str, value: object, reason: str) -> None:
        super().__init__(f"{key} = {str(value)[:80]}: {reason}")
        self.key = key


@lru_cache(1 << 12)
def _variant(holdem: GameDef, code: str, ante: int) -> GameDef:
    """Return `as_variant`, remembered by the ante within the blinds too, in which equal games may differ."""
    return as_variant(holdem, code)


class _Hand:
    """Applies the rules to the fields of one hand."""

    def __init__(self, fields: dict[str, Any], game: GameDef | None, is_exact: bool = False) -> None:
        """Prepare a hand. With `is_exact` its antes and its smallest bet are the file's, as they are where they must be."""
        self.fields = fields
        self.variant = str(fields.get("variant"))
        if reason := REFUSED.get(self.variant):
            raise BadHand(f"the variant is {self.variant!r}, which cannot be read: {reason}")
        if self.variant not in (*VARIANTS, OWN):
            raise BadHand(
                f"the variant is {self.variant!r}; only {', '.join(VARIANTS)} and {OWN}, games with a field {DEFINITION}, are read"
            )
        stacks, antes = self.amounts("starting_stacks"), self.amounts("antes")
        blinds = self.amounts("blinds_or_straddles", signed=True)
        players = len(stacks)
        if not 2 <= players <= MAX_PLAYERS or not len(antes) == len(blinds) == players:
            raise BadHand(f"{players} stacks, {len(antes)} antes and {len(blinds)} blinds are no table of 2 to 10")
        sizes = [*self.bets(), *stacks, *antes, *blinds]
        raises = _RAISE_SIZE.findall(str(fields.get("actions")))
        self.unit = 1 if all(size == inf or float(size).is_integer() for size in [*sizes, *raises]) else 100
        if players == 2:  # PHH lists the small blind first, although the first player posts the big one
            antes, blinds = antes[::-1], blinds[::-1]
        self.ante = tuple(map(self.chips, antes))
        """Chips of each blind that are an ante; none where antes are true."""
        chips, posts = tuple(map(self.chips, stacks)), tuple(map(self.chips, blinds))
        self.is_exact = is_exact or self.variant not in PLAIN or DEFINITION in fields or not self.is_plain(chips, posts)
        """Whether the game's antes are true ones."""
        self.game = self.definition(chips, posts, game)
        if self.is_exact:
            self.ante = (0,) * players
        self.names = self.players(players)
        self.hands = Hands(((),) * players)
        self.boards: list[Hole] = [()]
        """The board, and behind it those of further runs after an all-in."""
        self.shared: Hole = ()
        """Cards on the board at the last action, which all runs share."""
        self.drawing: dict[int, tuple[State, Action]] = {}
        """Draws by position whose new cards are not dealt yet, each with the state before it."""
        self.hidden: dict[int, int] = {}
        """Positions that exchanged unknown cards, with the round of the last exchange: a hand shown later is not the one dealt."""

    def amounts(self, key: str, signed: bool = False) -> list[float]:
        values = self.fields.get(key)
        if not isinstance(values, list) or not all(_is_amount(value, signed) for value in values):
            raise BadHand(f"{key} is no list of amounts: {str(values)[:80]}")
        return values

    def is_plain(self, stacks: tuple[int, ...], posts: tuple[int, ...]) -> bool:
        """Return whether the posts are two blinds, and antes that may count as a part of them."""
        trims = min(stacks) >= max(self.ante) or self.fields.get("ante_trimming_status") is True
        has_blinds = min(posts) >= 0 < posts[0 if len(posts) == 2 else 1] and not any(posts[2:])
        return trims and has_blinds and without_ante(self.ante, stacks) is None

    def bets(self) -> list[float]:
        """Return the small and the big bet of a limit game."""
        if self.variant not in VARIANTS or self.variant[0] != "F":
            return []
        bets = [self.fields.get(key) for key in ("small_bet", "big_bet")]
        if not all(_is_amount(bet) and bet != inf for bet in bets):
            raise BadHand("no small_bet and big_bet")
        return [float(bet) for bet in bets if bet is not None]

    def chips(self, amount: float) -> int:
        if amount == inf:
            return NO_STACK_LIMIT
        chips = round(amount * self.unit)
        if abs(chips - amount * self.unit) > 1e-6 or chips > MAX_CHIPS:
            raise BadHand(f"{amount} is no whole number of chips")
        return chips

    def definition(self, stacks: tuple[int, ...], blinds: tuple[int, ...], named_game: GameDef | None) -> GameDef:
        if self.variant == OWN or DEFINITION in self.fields:
            defined = _defined(str(self.fields.get(DEFINITION, "")), DEFINITION)
            if defined.starting_stack != stacks:
                raise BadHand(f"the stacks are not {defined.starting_stack}, as in {DEFINITION}")
            return named_game if named_game == defined else defined
        if self.is_exact:
            return self.exact_definition(stacks, blinds)
        blind = tuple(min(stack, ante + post) for stack, ante, post in zip(stacks, self.ante, blinds, strict=True))
        if blind == stacks:
            raise BadHand("the blinds put everybody all in")
        bets = tuple(map(self.chips, self.bets()))
        game = hand_file.known_holdem(
            stacks, blind, (bets[0], bets[0], bets[1], bets[1]) if bets else (), ante=max(self.ante)
        )
        return chosen_game(_variant(game, self.variant, game.ante), named_game, game.stack)

    def exact_definition(self, stacks: tuple[int, ...], posts: tuple[int, ...]) -> GameDef:
        trims = self.fields.get("ante_trimming_status") is True
        if trims and without_ante(self.ante, stacks) is not None:
            raise _BadField(
                "antes", self.fields["antes"], "antes that differ cannot be trimmed; write ante_trimming_status = false"
            )
        low, *_, high = self.bets() or [0, 0]
        bets = (*[self.chips(low)] * 2, *[self.chips(high)] * 2) if high else ()
        least = low or self.fields.get("min_bet")
        min_bet = self.chips(float(least)) if isinstance(least, int | float) and _is_amount(least) else 0
        return _variant(casino_game(stacks, self.ante, posts, bets, min_bet, whole_antes=not trims), self.variant, 0)

    def players(self, count: int) -> tuple[str, ...]:
        names = self.fields.get("players", [f"p{number + 1}" for number in range(count)])
        if not isinstance(names, list) or len(set(map(str, names))) != count:
            raise BadHand(f"players are no list of {count} different names")
        return tuple(map(str, names))

    def record(self) -> HandRecord:
        actions = self.fields.get("actions")
        if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
            raise BadHand("actions are no list of texts")
        state = State.start(self.game)
        for action in actions:
            state = self.play(state, action)
        if self.drawing:
            raise BadHand(f"the hand is not over after '{state.betting}'")
        private = all_cards(state, self.hands.dealt, self.hands.draws)
        board, *runs = self.boards
        state = ended(state, board, private, runs)
        if foreign := {*private, *chain.from_iterable(self.boards)} - self.game.card_set:
            raise BadHand(f"{cards_text(sorted(foreign))} is not in this game's deck")
        draws = shown_draws(state, self.hands.draws)
        number = self.fields["hand"]
        if not isinstance(number, int) or not 0 <= number < 2**63:
            number = 0
        return HandRecord(number, state, self.hands.dealt, self.values(state), self.names, draws, tuple(runs))

    def play(self, state: State, text: str) -> State:
        """Return the state after an action of the format, which may deal cards or show them."""
        if deal := _DEAL.match(text):
            if deal[1] is None:
                self.deal_board(deal[2])
            elif int(deal[1]) - 1 in self.drawing:
                self.draw(int(deal[1]) - 1, deal[2])
            else:
                self.hold(int(deal[1]), deal[2])
            return state
        action = _ACTION.match(text)
        if action is None:
            raise BadHand(f"{text[:80]!r} is no action that is read")
        if action[2] == "sm":
            self.hold(int(action[1]), action[4] or "-")
            return state
        while is_idle(state) and (action[2] == "sd" or int(action[1]) != state.actor + 1):
            state = state.apply(CALL)
        if int(action[1]) != state.actor + 1:
            raise BadHand(f"{text[:80]!r}: it is the turn of p{state.actor + 1} after '{state.betting}'")
        self.shared = self.boards[0]
        if len(self.boards) > 1:
            raise BadHand(f"{text[:80]!r}: an action behind a second board, and only all-ins are run again")
        if len(self.shared) != self.game.board_sizes[state.round]:
            raise BadHand(f"{text[:80]!r}: {len(self.shared)} cards are on the board")
        for position, (before, _) in self.drawing.items():
            if state.phase is not DRAW or state.round > before.round:
                raise BadHand(f"{text[:80]!r}: p{position + 1} has no new cards for the discards yet")
        if action[2] == "sd":
            return self.throw(state, action[4] or "")
        if action[3] is None:
            return state.apply(FOLD if action[2] == "f" else CALL)
        return self.bet(state, float(action[3]))

    def bet(self, state: State, to: float) -> State:
        """Return the state after a bet or raise to an amount of the street."""
        base = street_base(state, self.ante[state.actor])
        size = base + self.chips(to)
        if self.game.no_limit:
            return applied(state, raise_to(size))
        after = state.apply(RAISE)
        if after.spent[state.actor] != size:
            limit = (after.spent[state.actor] - base) / self.unit
            raise BadHand(f"a bet or raise to {to:g}, where the limit is {limit:g}, after '{state.betting}'")
        return after

    def deal_board(self, text: str) -> None:
        """Take board cards down; those behind a whole board begin another run, as PokerKit writes it."""
        whole = self.game.board_sizes[-1]
        if len(self.boards[-1]) == whole:
            self.boards.append(self.shared)
        self.boards[-1] += parse_cards(text)
        if len(self.boards[-1]) > whole:
            raise BadHand(f"{text[:80]!r}: {len(self.boards[-1])} cards are on the board")

    def throw(self, state: State, text: str) -> State:
        """Return the state after the actor's discards, which wait for their new cards. Unknown discards are ``??``."""
        is_known = self.hands.now[state.actor] and "?" not in text
        action = discard(parse_cards(text)) if is_known else Action("d", len(text) // 2)
        after = state.apply(action.public)
        if action.size:
            self.drawing[state.actor] = state, action
        else:
            self.hands = self.hands._replace(draws=shown_draws(state, self.hands.draws))
        return after

    def draw(self, position: int, text: str) -> None:
        state, action = self.drawing.pop(position)
        if len(text) != 2 * action.size:
            raise BadHand(f"{text[:80]} is dealt to p{position + 1}, who threw {action.size} cards away")
        if not action.cards or "?" in text:
            self.hidden[position] = state.round
            self.hands = self.hands._replace(draws=shown_draws(state, self.hands.draws))
            return
        gone = [card for card in self.hands.now[position] if card in action.cards]
        # Discards that came back, when the deck was used up, come to other places, so that these places show what was exchanged.
        orders = (new for new in permutations(parse_cards(text)) if not any(map(int.__eq__, new, gone)))
        stub = next(orders, None)
        if stub is None:
            raise BadHand(f"{text[:80]} is dealt to p{position + 1}, who has just thrown it away")
        drawn = self.hands._replace(stub=stub, drawn=0).after(state, action)
        self.hands = drawn._replace(stub=(), drawn=0)

    def hold(self, player: int, text: str) -> None:
        """Take the private cards of a player down, as dealt or as shown. Unknown ones are ``????`` or ``-``."""
        if not 1 <= player <= len(self.hands.dealt):
            raise BadHand(f"there is no p{player}")
        if "?" in text or text == "-":
            return
        cards = parse_cards(text)
        held = self.hands.now[player - 1]
        hidden = self.hidden.pop(player - 1, 0)
        if len(cards) != self.game.num_hole_cards or (held and (hidden or set(held) != set(cards))):
            raise BadHand(f"p{player} cannot hold {text}")
        if hidden:  # the whole hand is what the last exchange is known to have led to
            draws = [list(sections) for sections in self.hands.draws]
            draws[hidden - 1][player - 1] = cards
            self.hands = self.hands._replace(draws=tuple(map(tuple, draws)))
        elif not held:
            dealt = self.hands.dealt
            self.hands = self.hands._replace(dealt=(*dealt[: player - 1], cards, *dealt[player:]))

    def values(self, state: State) -> tuple[float, ...]:
        """Return the net chips per position by the finishing stacks, without them by betting and cards."""
        if "finishing_stacks" in self.fields:
            after = self.amounts("finishing_stacks")
            if len(after) != len(self.names):
                raise BadHand(f"{len(after)} finishing stacks for {len(self.names)} players")
            values = [end * self.unit - stack for end, stack in zip(after, self.game.starting_stack, strict=True)]
            return tuple(round(value, 6) for value in values)
        hands = [() if position in self.hidden else hand for position, hand in enumerate(self.hands.now)]
        right = hand_file.right_values(state, hands, self.boards[1:])
        if right is None:
            raise BadHand("neither finishing_stacks nor all cards of the showdown say who won")
        return right


def _is_amount(value: object, signed: bool = False) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and (signed or value >= 0)
