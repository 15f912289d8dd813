"""Hands of every variant of PHH but stud: PokerKit's random ones are read with its choices and payoffs, and written back."""

import random
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pokerkit
import pytest

from limpet.protocol.archives.acpc import LogWriter
from limpet.protocol.archives.hand_file import BadHand, contradiction
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.archives.read_phh import read_hand
from limpet.protocol.archives.write_phh import hand_text, variant
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from limpet.protocol.cards import cards_text
from limpet.protocol.draws import may_run_out
from limpet.protocol.gamedef import BET
from limpet.protocol.handhistory import Unsupported, all_pots, is_idle
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.ranking import Ranking, made_hand
from limpet.protocol.state import State
from tests.commands import json_of, printed
from tests.protocol.test_state_antes import rules_differ
from tests.protocol.test_state_crosscheck import remember_ranks

YOCKEY_ARIEH = """variant = "F2L3D"
antes = [0, 0, 0, 0]
blinds_or_straddles = [75000, 150000, 0, 0]
small_bet = 150000
big_bet = 300000
starting_stacks = [1180000, 4340000, 5910000, 10765000]
actions = ["d dh p1 7h6c4c3d2c", "d dh p2 ??????????", "d dh p3 ??????????", "d dh p4 AsQs6s5c3c", "p3 f", "p4 cbr 300000",
  "p1 cbr 450000", "p2 f", "p4 cc", "p1 sd", "p4 sd AsQs", "d dh p4 2hQh", "p1 cbr 150000", "p4 cc", "p1 sd", "p4 sd Qh", "d dh p4 4d",
  "p1 cbr 300000", "p4 cc", "p1 sd", "p4 sd 6s", "d dh p4 7c", "p1 cbr 280000", "p4 cc", "p1 sm 7h6c4c3d2c", "p4 sm 2h4d7c5c3c"]
"""
"""A hand of the World Series of Poker, 2019, by which the format's paper shows a game with draws."""
XUAN_PHUA = """variant = "NS"
ante_trimming_status = true
antes = [3000, 3000, 3000, 3000, 3000, 3000]
blinds_or_straddles = [0, 0, 0, 0, 0, 3000]
min_bet = 3000
starting_stacks = [495000, 232000, 362000, 403000, 301000, 204000]
actions = ["d dh p1 Th8h", "d dh p2 QsJd", "d dh p3 QhQd", "d dh p4 8d7c", "d dh p5 KhKs", "d dh p6 8c7h", "p1 cc", "p2 cc",
  "p3 cbr 35000", "p4 f", "p5 cbr 298000", "p6 f", "p1 f", "p2 f", "p3 cc", "p5 sm KhKs", "p3 sm QhQd", "d db 9h6cKc", "d db Jh", "d db Ts"]
"""
"""A hand of short deck from London, 2019, which comes with PokerKit."""
BADUGI = """variant = "FB"
antes = [0, 0, 0, 0]
blinds_or_straddles = [1, 2, 0, 0]
small_bet = 2
big_bet = 4
starting_stacks = [200, 200, 200, 200]
actions = ["d dh p1 ????????", "d dh p2 ????????", "d dh p3 ????????", "d dh p4 ????????", "p3 f", "p4 cc", "p1 cc", "p2 cc",
  "p1 sd ????", "p2 sd ????", "p4 sd ??", "d dh p1 ????", "d dh p2 ????", "d dh p4 ??", "p1 cc", "p2 cbr 2", "p4 cc", "p1 cc",
  "p1 sd ??", "p2 sd", "p4 sd ??", "d dh p1 ??", "d dh p4 ??", "p1 cc", "p2 cbr 4", "p4 cbr 8", "p1 f", "p2 cc",
  "p2 sd ??", "p4 sd", "d dh p2 ??", "p2 cc", "p4 cbr 4", "p2 cc", "p4 sm 2s4c6d9h", "p2 sm 3s5d7c8h"]
"""
"""The example of an encyclopedia, which comes with PokerKit: hands are known at the showdown only."""
PUBLISHED = {
    YOCKEY_ARIEH: (-1180000, -150000, 0, 1330000),
    XUAN_PHUA: (-6000, -6000, 322000, -3000, -301000, -6000),
    BADUGI: (-4, 20, 0, -16),
}
SPLIT = """variant = "FO/8"
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
small_bet = 2
big_bet = 4
starting_stacks = [100, 100, 100]
actions = ["d dh p1 As2d9c9h", "d dh p2 QsQdJcJh", "d dh p3 ????????", "p3 f", "p1 cbr 4", "p2 cc", "d db Kd5c3h", "p1 cc", "p2 cc",
  "d db Qc", "p1 cc", "p2 cc", "d db 7d", "p1 cc", "p2 cbr 4", "p1 cc", "p1 sm As2d9c9h", "p2 sm QsQdJcJh"]
"""
SINGLE_DRAW = """variant = "N2L1D"
antes = [5, 5, 5]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [500, 500, 500]
actions = ["d dh p1 7h5c4d3s2c", "d dh p2 ??????????", "d dh p3 9s8h6c3d2h", "p3 cbr 30", "p1 cbr 90", "p2 f", "p3 cc",
  "p1 sd", "p3 sd 9s", "d dh p3 7c", "p1 cbr 100", "p3 cc", "p1 sm 7h5c4d3s2c", "p3 sm 8h6c3d2h7c"]
"""
CODES = ("NS", "FO/8", "N2L1D", "F2L3D", "FB")
for kind in (
    pokerkit.ShortDeckHoldemHand,
    pokerkit.OmahaEightOrBetterLowHand,
    pokerkit.StandardLowHand,
    pokerkit.BadugiHand,
):
    remember_ranks(kind)
pytestmark = pytest.mark.filterwarnings(
    "ignore:Returning reserved:UserWarning", "ignore:A card being dealt:UserWarning"
)
OMAHA8 = pokerkit.FixedLimitOmahaHoldemHighLowSplitEightOrBetter
AUTOMATIONS = tuple(pokerkit.Automation)
UNIT = 120
"""Chips of which all amounts are multiples where no pot has an odd chip: half of it is split by two to six players."""


@pytest.fixture(autouse=True)
def limit_betting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bet by limits in PokerKit's fixed-limit Omaha with low hands, whose class has the pot as its limit."""
    monkeypatch.setattr(OMAHA8, "betting_structure", pokerkit.BettingStructure.FIXED_LIMIT)
    monkeypatch.setattr(OMAHA8, "max_completion_betting_or_raising_count", 4)


class Choice(NamedTuple):
    """What PokerKit lets a player do: call, fold, and raise within bounds, beside the chips bet on the street."""

    actor: int
    call: int
    can_fold: bool
    bounds: tuple[int, int] | None
    bet: int


class Played(NamedTuple):
    """A hand that PokerKit played: its text, payoffs and choices. `is_bold` hands may have raises behind short all-ins."""

    text: str
    payoffs: tuple[int, ...]
    choices: list[Choice]
    is_bold: bool
    reshuffled: bool


def table(code: str, source: random.Random, unit: int) -> tuple[pokerkit.Poker, pokerkit.State]:
    players, small = source.randint(2, 6), unit * source.randint(1, 5)
    big = small * 2
    stacks = [unit * source.randint(1, source.choice((20, 60, 600))) for _ in range(players)]
    ante = unit * source.choice((0, 1, 3) if code != "NS" else (1, 3))
    antes = source.choice(([ante] * players, [0, ante, *[0] * (players - 2)]))
    trims = antes == [ante] * players and source.random() < 0.5
    posts = [*[0] * (players - 1), big] if code == "NS" else [small, big, *[0] * (players - 2)]
    bets = (big, 2 * big) if code.startswith("F") else (big,)
    game = pokerkit.HandHistory.game_types[code](AUTOMATIONS, trims, antes, posts, *bets)  # type: ignore[arg-type]
    return game, game(stacks, players)


def play(code: str, source: random.Random) -> Played | None:
    """Return a hand of random legal actions, None where posts put everybody all in."""
    unit, is_bold = source.choice((1, UNIT)), source.random() < 0.1
    game, state = table(code, source, unit)
    if state.actor_index is None:
        return None
    choices, short, street = [], False, state.street_index
    while state.status:
        if state.street_index != street:
            short, street = False, state.street_index
        if (drawer := state.stand_patter_or_discarder_index) is not None:
            hand = list(state.hole_cards[drawer])
            state.stand_pat_or_discard(source.sample(hand, source.choice((0, 0, 1, 1, 2, 3, len(hand)))))
            continue
        actor = state.actor_index
        assert actor is not None and state.street is not None
        low, high = (
            state.min_completion_betting_or_raising_to_amount,
            state.max_completion_betting_or_raising_to_amount,
        )
        bounds = (int(low), int(high)) if low is not None and high is not None else None
        call = int(state.checking_or_calling_amount or 0)
        choices.append(Choice(actor, call, state.can_fold(), bounds, int(state.bets[actor])))
        luck = source.random()
        if luck < 0.15 and call:
            state.fold()
        elif luck > 0.55 and bounds and (is_bold or not short):
            between = unit * source.randint(-(-bounds[0] // unit), bounds[1] // unit)
            size = source.choice((bounds[0], bounds[0], bounds[1], between))
            least = max(
                state.completion_betting_or_raising_amount, state.street.min_completion_betting_or_raising_amount
            )
            short |= size < max(state.bets) + least
            state.complete_bet_or_raise_to(size)
        else:
            state.check_or_call()
    dealt = Counter(
        repr(card) for deal in state.operations if isinstance(deal, pokerkit.HoleDealing) for card in deal.cards
    )
    told: dict[str, Any] = {} if unit > 1 else {"finishing_stacks": list(state.stacks)}
    text = pokerkit.HandHistory.from_game_state(game, state, **told).dumps()
    # PokerKit writes false whatever the game's status is.
    status = f"ante_trimming_status = {str(state.ante_trimming_status).lower()}"
    text = text.replace("ante_trimming_status = false", status)
    return Played(text, tuple(map(int, state.payoffs)), choices, is_bold, max(dealt.values()) > 1)


def had_short_raise(state: State) -> bool:
    """Return whether somebody raised by less than the bet of a limit game in this round, all in."""
    steps = [step for step in state.path() if step.parent is not None and step.parent.round == state.round]
    return not state.game.no_limit and any(
        step.max_spent - before.max_spent not in (0, state.game.raise_size[state.round])
        for before, step in zip([state.round_start(), *steps], steps, strict=False)
    )


def assert_same_choices(hand: HandRecord, choices: list[Choice]) -> None:
    """Players had the same turns, calls and raises by our rules, but where a casino's are stricter."""
    # Neither asks for a check that nobody could answer at every such moment.
    choices = [choice for choice in choices if choice.call or choice.bounds or choice.can_fold]
    decisions = [state for state, _, _ in hand.decisions() if state.phase is BET and not is_idle(state)]
    assert len(decisions) == len(choices), (hand, choices)
    for state, (actor, call, can_fold, bounds, bet) in zip(decisions, choices, strict=True):
        assert (state.actor, state.to_call) == (actor, call) and state.can_fold == can_fold
        if rules_differ(state) or had_short_raise(state):
            continue
        ours, earlier = state.raise_bounds(), state.spent[actor] - bet
        if not state.game.no_limit and ours:
            stack = state.game.stack[actor]
            size = min(state.max_spent + state.game.raise_size[state.round], stack)
            ours = (
                (size, size) if stack > state.max_spent else None
            )  # the ACPC's limit games let such a stack raise too
        assert ours == (bounds and (bounds[0] + earlier, bounds[1] + earlier)), (hand, state, ours, bounds)


def has_pot_without_low(hand: HandRecord) -> bool:
    """Return whether a pot has no low hand, though a player of another pot has one.

    All of such a pot goes to the highest hand here, as in a casino. PokerKit shares half of it among its players.
    """
    state = hand.state
    if state.game.ranking is not Ranking.HIGH_LOW or not state.showdown:
        return False
    lows = {p for p, hole in enumerate(hand.holes) if ", and low" in made_hand(hole, state.board, 2, Ranking.HIGH_LOW)}
    pots = [set(pot.positions) for pot in all_pots(state)]
    return any(len(pot) > 1 and not pot & lows and set.union(*pots) & lows for pot in pots)


def judge(code: str, hands: int, seed: int) -> Counter[str]:
    """Read random hands of PokerKit, write them and read them again. Return counts of what came up."""
    source, seen = random.Random(seed), Counter[str]()
    random.seed(seed)  # by which PokerKit shuffles
    while seen["hands"] < hands:
        played = play(code, source)
        if played is None:
            continue
        seen["hands"] += 1
        seen["dealt again"] += played.reshuffled
        try:
            read = read_hand(played.text)
        except BadHand as error:
            assert "just thrown it away" in str(error) and played.reshuffled, played.text
            seen["refused"] += 1
            continue
        assert read is not None
        hand, _, _ = read
        if has_pot_without_low(hand):
            seen["low halves of nobody"] += 1
        else:
            assert hand.values == played.payoffs, played.text
            assert contradiction(hand) is None, played.text
        assert_same_choices(hand, played.choices)
        seen["showdowns"] += hand.state.showdown
        seen["raises"] += hand.state.betting.count("r")
        assert variant(hand.state.game) == code
        try:
            text = hand_text(hand)
        except Unsupported as error:
            assert played.is_bold and "raised after an all-in" in str(error)
            seen["not written"] += 1
            continue
        again = read_hand(text)
        assert again is not None and str(again[0]) == str(hand) and again[0].state.game == hand.state.game, text
        if seen["hands"] % 10 == 0:
            *_, last = pokerkit.HandHistory.loads(text)
            assert not last.status and list(last.payoffs) == list(played.payoffs)
    return seen


def assert_told(code: str, seen: Counter[str]) -> None:
    hands = seen["hands"]
    assert seen["showdowns"] > hands / 4 and seen["raises"] > hands / 2
    assert max(seen["refused"], seen["not written"], seen["low halves of nobody"]) <= hands / 10
    assert seen["dealt again"] or code not in ("F2L3D", "FB")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("code", CODES)
def test_pokerkits_hands_are_read_with_its_choices_and_payoffs(code: str) -> None:
    assert_told(code, judge(code, 60, 1))


@pytest.mark.slow
@pytest.mark.timeout(14400)
@pytest.mark.parametrize("code", CODES)
def test_pokerkits_hands_are_read_with_its_choices_and_payoffs_at_length(code: str) -> None:
    assert_told(code, judge(code, 4000, 2))


def record(text: str) -> HandRecord:
    read = read_hand(text)
    assert read is not None
    return read[0]


@pytest.mark.parametrize("text", PUBLISHED)
def test_published_hands_are_read_and_written_as_they_were_played(text: str) -> None:
    hand = record(text)
    assert hand.values == PUBLISHED[text] and contradiction(hand) is None
    written = hand_text(hand)
    again = record(written)
    assert str(again) == str(hand) and again.state.game == hand.state.game
    for played in (text, written):
        *_, last = pokerkit.HandHistory.loads(played)
        assert tuple(last.payoffs) == hand.values


def test_hands_shown_after_unknown_draws_come_back_from_a_log() -> None:
    hand = record(BADUGI)
    assert not any(hand.holes) and [cards_text(cards) for cards in hand.hands] == ["", "3s5d7c8h", "", "2s4c6d9h"]
    read = read_entry(str(hand), hand.state.game, "log:1")
    assert isinstance(read, HandRecord) and read.hands == hand.hands and str(read) == str(hand)
    assert [cards for _, action, _ in hand.decisions() for cards in action.cards] == []


def test_logs_hold_hands_of_all_variants(tmp_path: Path) -> None:
    source, writer, hands = random.Random(5), LogWriter(), []
    random.seed(5)
    for code in CODES * 8:
        played = play(code, source)
        try:
            hands += [record(played.text)] if played is not None else []
        except BadHand as error:
            assert "just thrown it away" in str(error)
    assert any(may_run_out(hand.state.game) for hand in hands)
    log = tmp_path / "variants.log"
    log.write_text("".join(writer.hand_text(hand, "variants") for hand in hands))
    read = [hand for _, hand in open_hands(log).hands()]
    assert [(str(hand), hand.state.game) for hand in read] == [(str(hand), hand.state.game) for hand in hands]


@pytest.mark.parametrize(
    ("text", "old", "new", "reason"),
    [
        (SPLIT, "p1 cbr 4", "p1 cbr 5", "raise to 5, where the limit is 4, after 'f'"),
        (XUAN_PHUA, "QhQd", "Qh5d", "5d is not in this game's deck"),
        (YOCKEY_ARIEH, "d dh p4 4d", "d dh p4 Qh", "Qh is dealt to p4, who has just thrown it away"),
        (YOCKEY_ARIEH, "d dh p4 4d", "d dh p4 7h", "p4 cannot hold"),
        (BADUGI, "p2 sm 3s5d7c8h", "p2 sm 2s5d7c8h", "a card appears twice"),
    ],
)
def test_hands_that_cannot_be_are_refused(text: str, old: str, new: str, reason: str) -> None:
    assert old in text
    with pytest.raises(BadHand, match=reason):
        read_hand(text.replace(old, new))


@pytest.mark.parametrize("text", [*PUBLISHED, SPLIT, SINGLE_DRAW])
def test_pokerstars_text_has_no_words_for_them(text: str) -> None:
    hand = record(text)
    with pytest.raises(Unsupported, match=f"handRanking is {hand.state.game.ranking.value}"):
        PokerStarsTable().hand_text(hand)


@pytest.mark.parametrize(
    ("text", "made", "won"),
    [
        (SPLIT, "low 7-5-3-2-A", 0),
        (SINGLE_DRAW, "7-5-4-3-2", 210),
        (YOCKEY_ARIEH, "7-5-4-3-2", -1180000),
        (BADUGI, "badugi 8-7-5-3", -4),
        (XUAN_PHUA, "a straight, Nine to King", -6000),
    ],
)
def test_commands_read_them(text: str, made: str, won: int, tmp_path: Path) -> None:
    path = tmp_path / "hand.phh"
    path.write_text(text)
    assert made in printed("hands", "replay", path, "--all")
    assert json_of("hands", "summary", path, "--json")["players"][0]["result"]["chips"] == won
    assert json_of("hands", "stats", path, "--json")["players"]
    assert printed("hands", "filter", path, "--showdown").strip() == text.strip()
    assert "0 with odd payoffs" in printed("hands", "check", path)
    index = tmp_path / "hands.sqlite"
    printed("hands", "index", path, "--to", index)
    assert len(json_of("hands", "find", index, "--json")) == 1
    assert "VPIP" in printed("hands", "stats", index)
