"""PHH is read: what the writer writes comes back, and so do the forms that others write."""

import io
import random
import re
from pathlib import Path

import pokerkit
import pytest

from limpet.protocol.archives.hand_file import BadHand, Skip
from limpet.protocol.archives.hands import read_hands
from limpet.protocol.archives.read_phh import REFUSED, read_hand
from limpet.protocol.archives.write_phh import VARIANTS
from limpet.protocol.handhistory import is_casino
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State

SIX = """# The fields as others write them
variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [10000, 10000, 10000]
actions = ['d dh p1 Ah3h', 'd dh p2 ????', 'd dh p3 9s5c', 'p3 cbr 225', 'p1 cc # hm', 'p2 f', 'd db 7h8h9d', 'p1 cc', 'p3 cbr 250', 'p1 f']
hand = 12
players = ['a', 'b', 'c']
finishing_stacks = [9775, 9900, 10325]
year = 2019
month = 7
day = 12
time = 03:13:20
"""


def test_a_hand_with_unknown_cards() -> None:
    read = read_hand(SIX)
    assert read is not None
    hand, event, when = read
    assert str(hand) == "STATE:12:r225cf/cr475f:Ah3h||9s5c/7h8h9d:-225|-100|325:a|b|c"
    assert event == "" and when == 1562901200


def test_antes_are_a_part_of_the_blinds_and_cents_are_chips() -> None:
    text = SIX.replace("antes = [0, 0, 0]", "antes = [10, 10, 10]").replace("finishing_stacks", "x")
    read = read_hand(text)
    assert read is not None and read[0].state.game.blind == (60, 110, 10) and read[0].state.betting == "r235cf/cr485f"
    assert read[0].values == (-235, -110, 345)
    cents = SIX.replace("50, 100, 0", "0.5, 1.0, 0").replace("10000, ", "100.25, ").replace(", 10000]", ", 100.25]")
    cents = cents.replace("225", "2.25").replace("250", "2.5").replace("finishing_stacks", "x")
    read = read_hand(cents)
    assert read is not None and read[0].state.game.stack[0] == 10025 and read[0].values == (-225, -100, 325)


def test_antes_that_differ_cannot_be_trimmed_and_are_refused_with_their_line(tmp_path: Path) -> None:
    text, reason = (
        SIX.replace("antes = [0, 0, 0]", "antes = [30, 30, 12]"),
        r"antes = \[30, 30, 12\]: antes that differ",
    )
    path = tmp_path / "hands.phhs"
    path.write_text(f"[1]\n{SIX}\n[2]\n{text}")
    skipped: list[Skip] = []
    assert len(list(read_hands([path], skipped=skipped))) == 1
    (skip,) = skipped
    assert re.search(reason, skip.reason)
    assert path.read_text().splitlines()[skip.line - 1] == next(a for a in text.split("\n") if a not in SIX.split("\n"))


def exact(text: str) -> HandRecord:
    """Return the hand of a text without payoffs, whose game has what the reference's has not."""
    read = read_hand(text.replace("finishing_stacks", "x"))
    assert read is not None and is_casino(read[0].state.game)
    return read[0]


def test_the_big_blinds_ante_is_dead() -> None:
    hand = exact(SIX.replace("[0, 0, 0]", "[0, 100, 0]").replace("true", "false"))
    game = hand.state.game
    assert (game.dead, game.blind, game.stack) == ((0, 100, 0), (50, 100, 0), (10000, 9900, 10000))
    assert hand.state.betting == "r225cf/cr475f" and hand.values == (-225, -200, 425)


def test_a_straddle_moves_the_first_turn_and_a_new_players_post_does_not() -> None:
    straddle = SIX.replace("[50, 100, 0]", "[50, 100, 200]").replace(
        "'p3 cbr 225', 'p1 cc # hm', 'p2 f'", "'p1 f', 'p2 cc'"
    )
    hand = exact(
        straddle.replace("'p3 cbr 225'", "'p3 cc'").replace(
            "'d db 7h8h9d', 'p1 cc', 'p3 cbr 250', 'p1 f'", "'p3 cbr 400', 'p2 f'"
        )
    )
    assert hand.state.betting == "fcr400f" and hand.values == (-50, -200, 250)
    assert hand.state.game.min_bet == 100 and State.start(hand.state.game).raise_bounds() == (300, 10000)
    read = read_hand(SIX.replace("[50, 100, 0]", "[50, 100, -100]"))
    assert read is not None and read[0].state.game.blind == (50, 100, 100) and read[0].state.betting == "r225cf/cr475f"


def test_antes_are_trimmed_for_a_short_stack_only_where_the_hand_says_so() -> None:
    text = SIX.replace("[0, 0, 0]", "[30, 30, 30]").replace("[10000, 10000, 10000]", "[10000, 10, 10000]")
    text = text.replace("'p2 f', ", "").replace("finishing_stacks", "x").replace("????", "2h3s")
    text = text.replace("'p1 f'", "'p1 cc', 'd db Td', 'p1 cc', 'p3 cc', 'd db Jd', 'p1 cc', 'p3 cc'")
    read = read_hand(text)
    assert read is not None and read[0].state.game.blind == (80, 10, 30)
    # With the queen of a higher straight the short stack wins the antes.
    for status in ("ante_trimming_status = false\n", ""):
        hand = exact(text.replace("ante_trimming_status = true\n", status).replace("2h3s", "QcKs"))
        assert hand.state.game.whole_antes and hand.state.game.stack[1] == 0
        assert hand.values[1] == 60  # both antes of 30, and its own ten back


def test_a_casinos_smallest_raise_makes_antes_true() -> None:
    hand = exact(SIX.replace("[0, 0, 0]", "[30, 30, 30]").replace("cbr 225", "cbr 200"))
    assert hand.state.game.dead == (30, 30, 30) and hand.state.betting == "r200cf/cr450f"
    assert hand.values == (-230, -130, 360)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("'NT'", "'XX'", "variant is 'XX'; only"),
        *(("'NT'", f"'{code}'", f"variant is '{code}', which cannot be read: in") for code in REFUSED),
        ("'d db 7h8h9d'", "'d db 7h8h9dTdJd', 'd db 2c3c4c5c6c'", "an action behind a second board"),
        ("'p2 f'", "'p3 f'", "turn of p2"),
        ("cbr 225", "cbr 10001", "not legal"),
        ("'d db 7h8h9d', ", "", "0 cards are on the board"),
        ("9s5c", "Ah5c", "a card appears twice"),
        (", 0]\nmin", ", 200]\nmin", "it is the turn of p1"),
        ("'a', 'b'", "'a', 'a'", "different names"),
        (", 'p1 f']", "]", "not over"),
        ("p3 cbr 250", "p3 sd", "d is not legal"),
        ("p3 cbr 250", "p3 bet", "no action that is read"),
        ("min_bet = ", "min_bet ", "no valid TOML"),
    ],
)
def test_odd_hands_are_refused_with_the_reason(old: str, new: str, reason: str) -> None:
    assert old in SIX
    with pytest.raises(BadHand, match=reason):
        read_hand(SIX.replace(old, new))


AUTOMATIONS = tuple(
    automation
    for automation in pokerkit.Automation
    if automation.name not in ("CARD_BURNING", "HOLE_DEALING", "BOARD_DEALING")
)


def omaha_of_pokerkit(source: random.Random) -> tuple[str, list[float]]:
    """Return a random hand of pot-limit Omaha as PokerKit writes it, and its payoffs."""
    players = source.randrange(2, 7)
    stacks = [source.randrange(300, 20000) for _ in range(players)]
    game = pokerkit.PotLimitOmahaHoldem(AUTOMATIONS, True, source.choice((0, 10)), (50, 100), 100)
    state, deck = game(stacks, players), source.sample([*pokerkit.Deck.STANDARD], 52)
    while state.status:
        if state.can_deal_hole():
            state.deal_hole([deck.pop() for _ in range(4)])
        elif state.can_burn_card():
            state.burn_card("??")
        elif state.can_deal_board():
            state.deal_board([deck.pop() for _ in range(3 if not state.board_cards else 1)])
        elif (luck := source.random()) < 0.2 and state.checking_or_calling_amount:
            state.fold()
        elif luck > 0.5 and state.can_complete_bet_or_raise_to():
            low = state.min_completion_betting_or_raising_to_amount
            high = state.max_completion_betting_or_raising_to_amount
            assert low is not None and high is not None
            state.complete_bet_or_raise_to(source.choice((low, high, source.randint(int(low), int(high)))))
        else:
            state.check_or_call()
    written = io.BytesIO()
    pokerkit.HandHistory.from_game_state(game, state).dump(written)
    return written.getvalue().decode(), list(state.payoffs)


def test_pot_limit_omaha_is_read_as_pokerkit_plays_it() -> None:
    source = random.Random(3)
    for _ in range(30):
        text, payoffs = omaha_of_pokerkit(source)
        read = read_hand(text)
        assert read is not None and read[0].state.game.hole_cards_used == 2
        # PokerKit gives the odd chips of split pots to one of the winners.
        assert read[0].values == pytest.approx(payoffs, abs=len(payoffs))


def test_every_code_of_pokerkit_is_read_or_refused_by_name() -> None:
    assert {*VARIANTS, *REFUSED} == set(pokerkit.HandHistory.game_types)
