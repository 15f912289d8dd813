"""Is a hidden card on the wire? A check of the lines of a dealer that knows no rules: it reads the text alone.

What a seat may see is decided by what the check was told: the cards of the deal, who answered with a fold, and how the
hand's line in the log ends. It shares no code with the views that the dealer prints.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from soak_tables import Broken, any_game, check_table

from limpet.protocol.messages import read_match_state
from tests.dealer.helpers import Sitting, terms
from tests.protocol.walks import answer

LINE = re.compile(r"MATCHSTATE:(\d+):(\d+):([^:]*):([^:]*)", re.ASCII)


class Hand:
    """One hand as the check knows it. `holes` are the cards in the text of each position, `boards` of each round."""

    def __init__(self, holes: Sequence[str], boards: Sequence[str], betting: str, folded: frozenset[int]) -> None:
        """`betting`: all of the hand. `folded`: positions."""
        self.holes = holes
        self.boards = boards
        self.betting = betting
        self.folded = folded

    def wrong(self, position: int, betting: str, cards: str) -> str:
        """What is wrong with the cards that a position was shown after `betting`; empty if nothing is."""
        over = betting == self.betting
        if not self.betting.startswith(betting):
            return f"the hand went '{self.betting}'"
        shows = set(range(len(self.holes))) - self.folded if over and len(self.folded) < len(self.holes) - 1 else set()
        holes = "|".join([hole if p == position or p in shows else "" for p, hole in enumerate(self.holes)])
        if "d" in self.betting:
            return self._wrong_draws(shows | {position}, betting, cards.removeprefix(holes), over)
        right = holes + "/".join(self.boards[: betting.count("/") + 1])
        return "" if cards == right else f"it should show {right}"

    def _wrong_draws(self, seen: set[int], betting: str, cards: str, over: bool) -> str:
        """Say what is wrong with the parts of a line that tell of draws. A hand in a draw may not have drawn yet."""
        shows = cards.split("/")[1:]
        if over and len(shows) != len(self.boards) - 1:
            return "it should tell of all draws"
        for right, shown in zip_longest(self.boards[1 : len(shows) + 1], shows, fillvalue="?"):
            for position, (whole, part) in enumerate(zip_longest(right.split("|"), shown.split("|"), fillvalue="?")):
                if part != whole if over and position in seen else part not in ("", whole if position in seen else ""):
                    return f"it should show {right} of those who may be seen"
        return ""


def cards_of(log_line: str, board_cards: Sequence[int]) -> tuple[str, list[str], list[str]]:
    """Betting, hole cards and boards of a ``STATE`` line. `board_cards`: how many each round has."""
    _, _, betting, cards, *_ = log_line.split(":")
    if "d" in betting:
        dealt, *sections = cards.split("/")
        return betting, dealt.split("|"), ["", *sections]
    *holes, last = cards.split("|")
    before = 2 * board_cards[0]  # the first round's board follows the last hole cards without a separator
    first, *boards = last.split("/")
    return betting, [*holes, first[: len(first) - before]], [first[len(first) - before :], *boards]


def wrong_lines(
    shown: Sequence[tuple[int, str]],
    log: Sequence[str],
    folds: Mapping[int, set[int]],
    board_cards: Sequence[int],
    fixed_button: bool,
) -> Iterator[str]:
    """What is wrong with the lines of a match.

    Args:
        shown: lines of hands that are over, with the seat that was sent each.
        log: ``STATE`` lines of these hands.
        folds: seats that folded, for each hand.
        board_cards: how many each round has.
        fixed_button: whether seats keep their positions.
    """
    hands = {}
    for line in log:
        number = int(line.split(":", 2)[1])
        betting, holes, boards = cards_of(line, board_cards)
        players, turn = len(holes), 0 if fixed_button else number
        folded = frozenset((seat - turn) % players for seat in folds.get(number, ()))
        hands[number] = Hand(holes, boards, betting, folded)
    for seat, line in shown:
        parts = LINE.fullmatch(line)
        if parts is None:
            yield f"seat {seat} was sent {line!r}, which is no match state"
            continue
        number = int(parts[2])
        hand = hands.get(number)
        if hand is None:
            yield f"seat {seat} was sent {line!r} of a hand that is not in the log"
            continue
        position = (seat - (0 if fixed_button else number)) % len(hand.holes)
        if int(parts[1]) != position:
            yield f"seat {seat} was sent {line!r} at position {position}"
        elif wrong := hand.wrong(position, parts[3], parts[4]):
            yield f"seat {seat} was sent {line!r}: {wrong}"


def checked_match(rng: random.Random) -> int:
    """Play a match at the dealer's table and check every line that it sends. Returns the number of states it showed."""
    game = any_game(rng)
    fixed, seats = rng.random() < 0.4, game.num_players
    match = terms(game, rng.randint(5, 40), rng.getrandbits(32), fixed=fixed)
    sitting = Sitting(match)
    folds: dict[int, set[int]] = defaultdict(set)
    while (seat := sitting.table.awaited) is not None:
        seen = read_match_state(sitting.last[seat], game)[0]
        action = answer(seen.state, seen.own_hand, rng.randrange(64))
        if action.kind == "f":
            folds[seen.hand].add(seat)
        if rng.random() < 0.02:
            sitting.say(rng.randrange(seats), rng.choice(("MATCHSTATE:0:0::", "what is it?", "")))
        sitting.answer(str(action))
    log = [line for line in sitting.log if line.startswith("STATE:")]
    for wrong in wrong_lines(sitting.shown, log, folds, game.num_board_cards, fixed):
        raise Broken(wrong)
    check_table(sitting.log, sitting.transactions, sitting.shown, seats, match.hands)
    return len(sitting.shown) // seats
