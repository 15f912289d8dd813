"""PokerStars' text: printed hands are read to the chip, and odd ones are refused with the reason."""

import re
from pathlib import Path

import pytest

from limpet.dealer.reports.log_summary import Collector
from limpet.protocol.archives.hand_file import BadHand, Skip
from limpet.protocol.archives.hands import PokerStarsFile, read_hands
from limpet.protocol.archives.read_pokerstars import read_hand as read
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord


def read_hand(text: str, game: GameDef | None = None) -> HandRecord:
    return read(text, game)[0]


HEADER = """PokerStars Game #66874490233: Tournament #435510196, $3.32+$0.18
USD Hold'em No Limit - Match Round I, Level I~(10/20) -
2011/09/01 23:21:41 [2011/09/01 17:21:41 ET]
"""
FIRST = (
    HEADER
    + """Table '435510196 1' 2-max Seat #1 is the button
Seat 1: Kebolord (1500 in chips)
Seat 2: playazhate (1500 in chips)
Kebolord: posts small blind 10
playazhate: posts big blind 20
*** HOLE CARDS ***
Dealt to Kebolord [Ah 5s]
Kebolord: raises 40 to 60
playazhate: raises 100 to 160
Kebolord: calls 100
*** FLOP *** [7c 2c Ts]
playazhate: bets 160
Kebolord: folds
Uncalled bet (160) returned to playazhate
playazhate collected 320 from pot
*** SUMMARY ***
Total pot 320 | Rake 0
Board [7c 2c Ts]
Seat 1: Kebolord (button) (small blind) folded on the Flop
Seat 2: playazhate (big blind) collected (320)
"""
)
SECOND = """PokerStars Game #66874506978: Tournament #435510196, $3.32+$0.18 USD Hold'em No Limit - Match Round I, Level I (10/20) - 2011/09/01 23:22:00 [2011/09/01 17:22:00 ET]
Table '435510196 1' 2-max Seat #2 is the button
Seat 1: Kebolord (1340 in chips)
Seat 2: playazhate (1660 in chips)
playazhate: posts small blind 10
Kebolord: posts big blind 20
*** HOLE CARDS ***
Dealt to Kebolord [4c Jh]
playazhate: raises 30 to 50
Kebolord: folds
Uncalled bet (30) returned to playazhate
playazhate collected 40 from pot
*** SUMMARY ***
Total pot 40 | Rake 0
Seat 1: Kebolord (big blind) folded before Flop
Seat 2: playazhate (button) (small blind) collected (40)
"""  # the text of one line


def test_both_hands_of_the_thesis_appendix_e() -> None:
    first, second = read_hand(FIRST), read_hand(SECOND)
    assert str(first) == "STATE:66874490233:r60r160c/r320f:|Ah5s/7c2cTs:160|-160:playazhate|Kebolord"
    assert str(second) == "STATE:66874506978:r50f:4cJh|:-20|20:Kebolord|playazhate"
    assert first.state.game.stack == (1500, 1500) and first.state.game.blind == (20, 10)
    ends = [dict(zip(hand.names, hand.values, strict=True)) for hand in (first, second)]
    stacks = {name: 1500 + ends[0][name] for name in ends[0]}
    assert (
        stacks
        == dict(zip(second.names, second.state.game.stack, strict=True))
        == {"Kebolord": 1340, "playazhate": 1660}
    )
    assert {name: stacks[name] + ends[1][name] for name in stacks} == {"Kebolord": 1320, "playazhate": 1680}


CASH = """PokerStars Hand #7:  Hold'em No Limit ($0.01/$0.02 USD) - 2016/11/05 10:00:01 ET
Table 'Some Name' 6-max Seat #3 is the button
Seat 1: one ($2 in chips)
Seat 2: is sleeping ($1.50 in chips) is sitting out
Seat 3: the: third ($0.55 in chips)
Seat 5: five ($4.10 in chips)
five: posts small blind $0.01
one: posts big blind $0.02
*** HOLE CARDS ***
Dealt to one [As Ah]
is sleeping said, "folds"
the: third: raises $0.04 to $0.06
five: calls $0.05
one: raises $0.24 to $0.30
the: third: raises $0.25 to $0.55 and is all-in
five: folds
one: calls $0.25
*** FLOP *** [2c 3d 4h]
*** TURN *** [2c 3d 4h] [9s]
*** RIVER *** [2c 3d 4h 9s] [9d]
*** SHOW DOWN ***
one: shows [As Ah] (two pair, Aces and Nines)
the: third: mucks hand
one collected $1.11 from pot
*** SUMMARY ***
Total pot $1.16 | Rake $0.05
Board [2c 3d 4h 9s 9d]
Seat 1: one (big blind) showed [As Ah] and won ($1.11) with two pair, Aces and Nines
Seat 3: the: third (button) mucked [Kd Kh]
Seat 5: five (small blind) folded before Flop
"""


def test_cash_hands_count_cents_and_take_the_rake_off() -> None:
    hand = read_hand(CASH)
    assert hand.names == ("five", "one", "the: third")
    assert hand.state.betting == "r6cr30r55fc///" and hand.state.game.stack == (410, 200, 55)
    assert hand.values == (-6, 56, -55) and hand.holes[0] == () and len(hand.holes[2]) == 2


RAKED = """PokerStars Hand #8:  Hold'em No Limit ($1/$2 USD) - 2016/11/05 10:00:01 ET
Table 'Some Name' 6-max Seat #1 is the button
Seat 1: one ($200 in chips)
Seat 2: two ($200 in chips)
one: posts small blind $1
two: posts big blind $2
*** HOLE CARDS ***
one: calls $1
two: checks
*** FLOP *** [2c 3d 4h]
two: bets $2
one: folds
Uncalled bet ($2) returned to two
two collected $3.71 from pot
*** SUMMARY ***
Total pot $4 | Rake $0.29
Board [2c 3d 4h]
"""


def test_a_rake_that_is_no_exact_float_is_taken_off_without_a_showdown() -> None:
    assert 0.29 * 100 < 29 and read_hand(RAKED).values == (171, -200)


ANTE = re.sub(
    r"(playazhate|Kebolord): posts small",
    r"Kebolord: posts the ante 5\nplayazhate: posts the ante 5\n\1: posts small",
    FIRST,
)


def test_antes_are_a_part_of_the_blinds() -> None:
    hand = read_hand(ANTE.replace("Total pot 320", "Total pot 330").replace("collected 320", "collected 330"))
    assert hand.state.game.blind == (25, 15) and hand.state.betting == "r65r165c/r325f"


def test_hands_with_antes_count_by_the_big_blind_alone(tmp_path: Path) -> None:
    path = tmp_path / "hands.txt"
    path.write_text(ANTE.replace("Total pot 320", "Total pot 330").replace("collected 320", "collected 330"))
    summary = Collector(1)
    summary.add(PokerStarsFile(path))
    found = summary.summary()
    assert found.big_blind == 20 and found.largest_pots[0].pot == 330 / 20
    assert sorted(player.result.mbb_per_game for player in found.players) == [-1000 * 165 / 20, 1000 * 165 / 20]


SHORT = """PokerStars Hand #2006: Tournament #1, $10+$1 USD Hold'em No Limit - Level V (75/150) - 2024/02/03 10:00:00 ET
Table '1 1' 9-max Seat #3 is the button
Seat 1: hero (1500 in chips)
Seat 3: Foo (3000 in chips)
Seat 5: shark (900 in chips)
Seat 7: x (100 in chips)
shark: posts small blind 75
x: posts big blind 100 and is all-in
*** HOLE CARDS ***
hero: folds
Foo: folds
shark: folds
Uncalled bet (25) returned to x
x collected 150 from pot
*** SUMMARY ***
Total pot 150 | Rake 0
"""


def test_hands_with_a_short_big_blind_count_by_the_whole_one(tmp_path: Path) -> None:
    (path := tmp_path / "hands.txt").write_text(SHORT)
    summary = Collector(1)
    summary.add(PokerStarsFile(path))
    found = summary.summary()
    assert found.big_blind == 150 and found.largest_pots[0].pot == 1
    assert {player.result.mbb_per_game for player in found.players} == {-500, 0, 500}


@pytest.mark.parametrize("action", ["calls 150", "raises 1350 to 1500 and is all-in"])
def test_more_than_a_short_big_blind_is_to_call_and_refused(action: str) -> None:
    with pytest.raises(BadHand, match="the big blind is short, and 150 is to call all the same") as error:
        read_hand(SHORT.replace("hero: folds", f"hero: {action}"))
    assert error.value.line == 9


def test_other_mistakes_in_hands_with_a_short_big_blind_have_their_own_reason() -> None:
    with pytest.raises(BadHand, match="acts, but it is hero's turn"):
        read_hand(SHORT.replace("hero: folds", "shark: calls 150"))


def pot_of(text: str, chips: int) -> str:
    """Return FIRST with another pot, after its posts have changed."""
    return text.replace("Total pot 320", f"Total pot {chips}").replace("collected 320", f"collected {chips}")


@pytest.mark.parametrize("kind", ["the ante", "big blind ante", "dead blind"])
def test_antes_of_one_player_are_dead(kind: str) -> None:
    text = ANTE.replace("Kebolord: posts the ante 5\n", "").replace("the ante", kind)
    game = read_hand(pot_of(text, 325)).state.game
    assert sorted(game.dead) == [0, 5] and sorted(game.blind) == [10, 20]


def test_a_post_of_no_known_kind_is_refused_with_its_line() -> None:
    text = ANTE.replace("posts the ante 5", "posts button fee 5")
    with pytest.raises(BadHand, match="posts button fee 5, which is none of the posts that are read") as error:
        read_hand(text)
    assert text.split("\n")[error.value.line].endswith("fee 5")


def test_a_casinos_smallest_raise_with_antes_is_read(tmp_path: Path) -> None:
    small = SECOND.replace(
        "playazhate: posts", "Kebolord: posts the ante 5\nplayazhate: posts the ante 5\nplayazhate: posts"
    )
    small = (
        small.replace("raises 30 to 50", "raises 20 to 40")
        .replace("(30)", "(20)")
        .replace("40 from", "50 from")
        .replace("pot 40", "pot 50")
    )
    hand = read_hand(small)
    assert hand.state.game.dead == (5, 5) and hand.state.betting.startswith("r40") and sum(hand.values) == 0
    path = tmp_path / "hands.txt"
    path.write_text(f"{small}\n{SECOND}\n{small}")
    file = PokerStarsFile(path, skip_bad=True)
    assert len(list(file.outlines())) == 3 and not file.bad


@pytest.mark.parametrize(
    ("old", "new", "reason", "line"),
    [
        ("calls 100", "calls 90", "100 would be right", 12),
        ("bets 160", "bets 150", "150 is returned|not called", 0),
        ("Kebolord: calls 100\n", "", "after the street", 13),
        ("pot 320 |", "pot 300 |", "total pot is 300", 0),
        ("collected 320 from", "collected 310 from", "were collected from a pot", 0),
        ("No Limit -", "Pot Limit -", "neither limit nor", 0),
        ("Kebolord: folds", "playazhate: folds", "Kebolord's turn", 15),
        ("Kebolord: posts small blind 10\n", "", "nobody posts the small blind", 0),
        ("*** FLOP ***", "*** FOURTH FLOP ***", "no street that is read", 13),
        ("[7c 2c Ts]", "[7c 2c]", "2 cards are on the board", 13),
        ("[7c 2c Ts]", "[7c 2c Ah]", "a card appears twice", 0),
        ("*** SUMMARY ***", "", "cut off", 0),
    ],
)
def test_odd_hands_are_refused_with_the_reason(old: str, new: str, reason: str, line: int) -> None:
    assert old in FIRST
    with pytest.raises(BadHand, match=reason) as error:
        read_hand(FIRST.replace(old, new))
    assert error.value.line == line or not line


OTHER_ROOMS = (
    "Full Tilt Poker Game #7: Table Four - 10/20 - No Limit Hold'em\n",
    "***** Hand History for Game 7 *****\n",
    "#Game No : 7\n",
    "Game Hand #7 - Tournament #3\n",
    "<session>\n",
    "",
)
"""First lines of hands of other rooms, and of none that is known."""


@pytest.mark.parametrize("head", OTHER_ROOMS)
def test_a_hand_that_is_cut_off_before_another_rooms_does_not_go_on_in_it(head: str, tmp_path: Path) -> None:
    lines, path = FIRST.splitlines(), tmp_path / "hands.txt"
    chairs, cards, total = (
        next(at for at, line in enumerate(lines) if text in line) for text in ("Seat 1", "HOLE", "Total")
    )
    other = head + "\n".join(lines[chairs:]).replace("Ah 5s", "Kh Ks")
    for cut in range(chairs if head else cards + 1, len(lines) + 1):
        path.write_text("\n".join(lines[:cut]) + f"\n\n{other}\n\n{SECOND}")
        skipped: list[Skip] = []
        found = list(read_hands([path], skipped=skipped))
        assert found == ([read_hand(SECOND)] if cut <= total else [read_hand(FIRST), read_hand(SECOND)])
        assert len(skipped) == (cut <= total)
        assert all("the hand is cut off" in skip.reason for skip in skipped)


def test_a_given_game_is_taken_where_it_fits() -> None:
    game = read_hand(FIRST).state.game
    twin = GameDef.parse(str(game) + "# a comment")
    assert read_hand(FIRST, twin).state.game is twin
    assert read_hand(SECOND, twin).state.game is not twin


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (CASH, "one collected $1.11", "the: third collected $1.11", "contradict the betting and cards"),
        (
            FIRST,
            "Uncalled bet (160) returned to playazhate",
            "Uncalled bet (160) returned to Kebolord",
            "is returned to",
        ),
        (FIRST, "playazhate collected 320", "playazhate collected 300", "were collected from a pot of 320"),
    ],
)
def test_payoffs_that_the_betting_and_the_cards_do_not_pay_are_refused(
    text: str, old: str, new: str, reason: str
) -> None:
    assert text.count(old) == 1
    with pytest.raises(BadHand, match=reason):
        read_hand(text.replace(old, new))


def showdown(ann: str, collected: str, total: str = "Total pot $0.05 | Rake $0") -> str:
    """Return a hand of cents in which Bob has a pair of Aces, and the two players put in two cents each, Cyd one."""
    return f"""PokerStars Hand #4001:  Hold'em No Limit ($0.01/$0.02) - 2024/01/02 12:00:00 ET
Table 'Alpha II' 6-max Seat #1 is the button
Seat 1: Ann ($2 in chips)
Seat 2: Cyd ($2 in chips)
Seat 3: Bob ($2 in chips)
Cyd: posts small blind $0.01
Bob: posts big blind $0.02
*** HOLE CARDS ***
Ann: calls $0.02
Cyd: folds
Bob: checks
*** FLOP *** [2c 7d 9h]
Bob: checks
Ann: checks
*** TURN *** [2c 7d 9h] [Js]
Bob: checks
Ann: checks
*** RIVER *** [2c 7d 9h Js] [3c]
Bob: checks
Ann: checks
*** SHOW DOWN ***
Bob: shows [Ah Ad] (a pair of Aces)
Ann: shows [{ann}]
{collected}
*** SUMMARY ***
{total}
Board [2c 7d 9h Js 3c]
"""


BOTH = "Bob collected $0.03 from pot\nAnn collected $0.02 from pot"


def test_a_split_pots_odd_cent_may_be_anybodys_and_no_more(tmp_path: Path) -> None:
    assert read_hand(showdown("As Ac", BOTH)).values == (-1, 1, 0)
    wrong = [
        showdown("Kh Kd", "Ann collected $0.05 from pot"),
        showdown("Kh Kd", BOTH),
        showdown("As Ac", "Ann collected $0.05 from pot"),
        # Who loses does not gain by the rake that the winner pays.
        showdown("Kh Kd", "Bob collected $0.01 from pot\nAnn collected $0.02 from pot", "Total pot $0.05 | Rake $0.02"),
    ]
    (path := tmp_path / "hands.txt").write_text("\n\n".join(wrong))
    skipped: list[Skip] = []
    assert list(read_hands(path, skipped=skipped)) == [] and len(skipped) == len(wrong)
    assert all("contradict the betting and cards" in skip.reason for skip in skipped)


def test_a_raise_that_no_casino_allows_is_refused_with_antes_too() -> None:
    small = SECOND.replace(
        "playazhate: posts", "Kebolord: posts the ante 5\nplayazhate: posts the ante 5\nplayazhate: posts"
    )
    odd = small.replace("raises 30 to 50", "raises 19 to 39").replace("(30)", "(19)")
    with pytest.raises(BadHand, match="r39 is not legal after '': position 1 may play f, c, r40 to"):
        read_hand(odd.replace("40 from", "50 from"))
