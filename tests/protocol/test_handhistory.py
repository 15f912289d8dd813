"""Hands in other formats: PokerKit reads what is written, replays it, and pays what the log says."""

import random
import re
import tomllib
import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pokerkit
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from limpet.configs.loading import load_game
from limpet.protocol.archives import read_phh
from limpet.protocol.archives import write_phh as phh
from limpet.protocol.archives import write_pokerstars as pokerstars
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import (
    Unsupported,
    antes,
    big_blind,
    contested_pot,
    is_idle,
    other_than_holdem,
    position_names,
    pots,
    street_names,
    streets,
    uncalled,
)
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.ranking import category, describe, rank, rank_hands
from limpet.protocol.settlement import settle
from limpet.protocol.situation import Situation, game_of, holdem
from limpet.protocol.state import CALL, State, raise_to
from tests.oracles.match_log import read_log
from tests.protocol.walks import play, positions, random_deal

VECTORS = Path(__file__).parents[1] / "vectors"
HOLDEM = (
    "holdem.limit.2p.reverse_blinds",
    "holdem.limit.3p",
    "holdem.nolimit.2p.reverse_blinds",
    "holdem.nolimit.3p",
    "holdem.nolimit.6p",
)
NO_LIMIT = tuple(name for name in HOLDEM if "nolimit" in name)


def random_hand(game: GameDef, seed: int) -> HandRecord:
    """A hand that was played at random, a fold being rarer than in `walks.candidate`."""
    source = random.Random(seed)
    holes, board = random_deal(game, seed)
    state = play(game, (source.choice((0, 0, 1, 2, 3, 4, 6, 7)) for _ in range(500)), board)
    names = tuple(f"player {position}" for position in range(game.num_players))
    return HandRecord(seed, state, holes, settle(state, holes), names)


def recorded(name: str) -> tuple[HandRecord, ...]:
    path = VECTORS / f"{name}.seed0.log"
    return read_log(path.read_text(), load_game(name)).hands if path.exists() else ()


def hands_of(name: str) -> list[HandRecord]:
    game = load_game(name)
    return [*islice(recorded(name), 10), *(random_hand(game, seed) for seed in range(25))]


def payoffs(history: pokerkit.HandHistory) -> tuple[int, ...]:
    *_, (last, _) = history.state_actions
    assert not last.status
    return tuple(last.payoffs)


def assert_pays(hand: HandRecord, paid: tuple[int, ...]) -> None:
    """Equal, but for odd chips: the dealer splits them, PokerKit gives them to one of the winners."""
    if all(float(value).is_integer() for value in hand.values):
        assert paid == hand.values
    assert sum(paid) == 0
    assert all(abs(Fraction(value) - chips) < len(paid) for value, chips in zip(hand.values, paid, strict=True))


# --- PHH


@pytest.mark.parametrize("name", HOLDEM)
def test_phh_is_replayed_to_the_same_payoffs(name: str) -> None:
    hands = hands_of(name)
    assert any(hand.state.showdown for hand in hands) and any(not hand.state.showdown for hand in hands)
    text = ""
    for number, hand in enumerate(hands, 1):
        alone = phh.hand_text(hand, 'an "event" \\ here')
        history = pokerkit.HandHistory.loads(alone)
        assert_pays(hand, payoffs(history))
        assert (history.hand, history.players) == (hand.hand, list(hand.names))
        assert history.event == 'an "event" \\ here'
        text += f"[{number}]\n{alone}\n"
    sections = list(pokerkit.HandHistory.loads_all(text))
    assert [history.hand for history in sections] == [hand.hand for hand in hands]


@pytest.mark.parametrize("name", NO_LIMIT)
def test_phh_holds_the_very_actions(name: str) -> None:
    """PokerKit writes the betting of a log from it again."""
    for hand in hands_of(name)[:12]:
        history = pokerkit.HandHistory.loads(phh.hand_text(hand))
        line = history.to_pluribus_protocol()
        # PokerKit begins the board's streets with a slash in the betting, as the log does.
        assert line.split(":")[2] == hand.state.betting
        assert line.split(":")[3] == str(hand).split(":")[3]


@given(st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=60)
def test_phh_names_may_be_any_text(name: str, event: str) -> None:
    hand = random_hand(load_game(HOLDEM[2]), 5)._replace(names=(name, "other"))
    fields = tomllib.loads(phh.hand_text(hand, event))
    assert fields["players"][0] == name
    assert fields.get("event", "") == event


def test_phh_finishing_stacks_are_the_logs() -> None:
    for hand in hands_of("holdem.nolimit.3p"):
        fields = tomllib.loads(phh.hand_text(hand))
        assert fields["finishing_stacks"] == pytest.approx([20000 + value for value in hand.values], abs=1e-5)


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "kuhn.limit.3p", "leduc.limit.2p", "leduc.nolimit.2p"])
def test_pokerstars_refuses_other_games(name: str) -> None:
    with pytest.raises(Unsupported, match="PokerStars.*Texas hold'em only.*its deck has"):
        pokerstars.PokerStarsTable().hand_text(random_hand(load_game(name), 1))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("numHoleCards = 2", "numHoleCards = 3", "hold 3 cards"),
        ("blind = 100 50", "blind = 50 100", "blinds are 50 100"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 1 1 1 1", "first players are 1 1 1 1"),
    ],
)
def test_odd_holdem_is_refused(old: str, new: str, told: str) -> None:
    text = str(load_game(HOLDEM[2]))
    assert old in text
    game = GameDef.parse(text.replace(old, new))
    assert told in (other_than_holdem(game, antes(game)) or "")


def uneven(betting: str) -> HandRecord:
    text = str(load_game("holdem.nolimit.3p")).replace("20000 20000 20000", "20000 400 20000")
    cards = "AsAh|KsKh|QsQh" + ("/2c3c4d/5h/7s" if "/" in betting else "")
    line = f"STATE:3:{betting}:{cards}:0|0|0:a|b|c"
    hand = read_log(f"{line}\n", GameDef.parse(text)).hands[0]
    return hand._replace(values=settle(hand.state, hand.holes))


def test_hands_beyond_the_rules_of_phh_are_refused() -> None:
    # After an all-in below the minimum raise the reference lets the others raise again.
    short = uneven("r300cr400r900c/cc/cc/cc")
    with pytest.raises(Unsupported, match="hand 3: somebody raised after an all-in below the minimum raise"):
        phh.hand_text(short)
    assert "cbr 400" in phh.hand_text(uneven("r300cr400cc/cc/cc/cc"))
    many = str(load_game("holdem.limit.2p.reverse_blinds")).replace("maxRaises = 3 4 4 4", "maxRaises = 9 4 4 4")
    state = play(GameDef.parse(many), [3] * 5 + [0] * 99, parse_cards("2c3c4d5h7s"))
    with pytest.raises(Unsupported, match="5 bets and raises in a round"):
        phh.hand_text(HandRecord(0, state, ((50, 51), (46, 47)), (0, 0), ("a", "b")))
    hidden = recorded(HOLDEM[2])[0]
    hidden = hidden._replace(holes=((), hidden.holes[1]))
    for write in (phh.hand_text, pokerstars.PokerStarsTable().hand_text):
        with pytest.raises(Unsupported, match="hand 0: the log does not say what was shown"):
            write(hidden)


def posted(stack: tuple[int, ...], ante: int, actions: bytes, seed: int) -> HandRecord:
    """Return a hand of blinds 50 and 100 and an ante, which short stacks pay as far as they go."""
    posts = [50, 100, *[0] * len(stack)][: len(stack)] if len(stack) > 2 else [100, 50]
    blind = tuple(min(have, ante + post) for have, post in zip(stack, posts, strict=True))
    game = holdem(stack, blind, ante=ante)
    holes, board = random_deal(game, seed)
    state = play(game, actions + b"\0" * 400, board)
    return HandRecord(seed, state, holes, settle(state, holes), tuple(f"p{n}" for n in range(len(stack))))


def test_antes_and_short_blinds_are_paid_alike_by_pokerkit() -> None:
    rng, written, idle = random.Random(7), 0, 0
    for seed in range(150):
        ante = rng.choice([0, 10, 25])
        stack = [rng.choice([rng.randint(26, 130), rng.randint(1000, 4000)]) for _ in range(rng.randint(2, 6))]
        stack[rng.randrange(len(stack))] = rng.randint(200, 4000)
        if len(stack) > 2 and rng.random() < 0.3:
            stack[-1] = rng.randint(1, 26)
        hand = posted(tuple(stack), ante, rng.randbytes(rng.randint(0, 9)), seed)
        try:
            text = phh.hand_text(hand)
        except Unsupported:
            continue
        if 'variant = "NT"' not in text:
            continue
        written += 1
        idle += any(is_idle(state) for state in hand.state.path())
        assert_pays(hand, payoffs(pokerkit.HandHistory.loads(text)))
        read = read_phh.read_hand(text)
        assert read is not None and str(read[0]) == str(hand) and read[0].state.game.ante == ante
    assert written > 80 and idle > 5


def test_the_call_that_only_an_acpc_dealer_asks_for_is_left_out() -> None:
    short = posted((2000, 30), 0, b"", 1)
    assert short.state.betting == "c///"
    text = phh.hand_text(short)
    assert "cc" not in text
    assert_pays(short, payoffs(pokerkit.HandHistory.loads(text)))
    line = pokerstars.PokerStarsTable().hand_text(short)
    assert "calls" not in line and "checks" not in line and "Uncalled bet (70) returned to p0" in line


def test_a_raise_that_nobody_can_call_is_refused_in_phh() -> None:
    state = State.start(holdem((50, 46, 2846, 13), (50, 46, 0, 0))).apply(raise_to(200)).apply(CALL)
    state = state.with_board(parse_cards("2c3c4d5h7s"))
    holes = tuple(map(parse_cards, ("AsAh", "KsKh", "QsQh", "JsJh")))
    with pytest.raises(Unsupported, match="hand 1: somebody raises though everybody else is all-in for no more"):
        phh.hand_text(HandRecord(1, state, holes, settle(state, holes), ("a", "b", "c", "d")))


def test_recorded_hands_count_by_the_blind_without_the_ante() -> None:
    assert big_blind(holdem((1000,) * 3, (60, 110, 10))) == 100
    assert big_blind(holdem((1000,) * 2, (110, 60))) == 110
    assert big_blind(holdem((1000,) * 2, (110, 60), ante=10)) == 100
    assert position_names(holdem((1000,) * 3, (60, 110, 10))) == ("small blind", "big blind", "button")
    situation = Situation(0, 0, 0, 50, 100, 10, (900, 0, 1100), (0, 2), (1.0, 0.0, 0.0))
    assert big_blind(game_of(situation)) == 100


# --- PokerStars


@pytest.mark.parametrize("name", NO_LIMIT)
def test_pokerstars_text_is_replayed_to_the_same_payoffs(name: str) -> None:
    """PokerKit reads no-limit hands of PokerStars."""
    table = pokerstars.PokerStarsTable()
    for hand in hands_of(name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a field that PokerKit's own reader sets
            (history,) = pokerkit.HandHistory.from_pokerstars(table.hand_text(hand), error_status=True)
            paid = dict(zip(history.players or (), payoffs(history), strict=True))
        assert_pays(hand, tuple(paid[name] for name in hand.names))


@pytest.mark.parametrize("name", HOLDEM)
def test_pokerstars_chips_add_up(name: str) -> None:
    table = pokerstars.PokerStarsTable()
    for hand in hands_of(name):
        text = table.hand_text(hand)
        collected = [float(number) for number in re.findall(r"^.+ collected ([\d.]+) from", text, re.MULTILINE)]
        total = re.search(r"^Total pot (\d+)", text, re.MULTILINE)
        assert total is not None
        assert sum(collected) == pytest.approx(int(total[1]), abs=1e-4) == contested_pot(hand.state)


def test_pokerstars_text_word_for_word() -> None:
    hand = recorded("holdem.limit.2p.reverse_blinds")[3]
    assert str(hand) == "STATE:3:cc/crrc/cc/rrc:4s8s|6hJd/QhJs9d/Qc/9h:-70|70:P1|P0"
    table = pokerstars.PokerStarsTable()
    for before in recorded("holdem.limit.2p.reverse_blinds")[:3]:
        table.hand_text(before)
    assert table.hand_text(hand, "gv").splitlines() == [
        "PokerStars Hand #3523427222000000003:  Hold'em Limit (10/20) - 2000/01/01 00:00:03 ET",
        "Table 'gv' 2-max Seat #1 is the button",
        "Seat 1: P0 (240 in chips)",
        "Seat 2: P1 (240 in chips)",
        "P0: posts small blind 5",
        "P1: posts big blind 10",
        "*** HOLE CARDS ***",
        "Dealt to P0 [6h Jd]",
        "Dealt to P1 [4s 8s]",
        "P0: calls 5",
        "P1: checks",
        "*** FLOP *** [Qh Js 9d]",
        "P1: checks",
        "P0: bets 10",
        "P1: raises 10 to 20",
        "P0: calls 10",
        "*** TURN *** [Qh Js 9d] [Qc]",
        "P1: checks",
        "P0: checks",
        "*** RIVER *** [Qh Js 9d Qc] [9h]",
        "P1: bets 20",
        "P0: raises 20 to 40",
        "P1: calls 20",
        "*** SHOW DOWN ***",
        "P0: shows [6h Jd] (two pair, Queens and Jacks)",
        "P1: shows [4s 8s] (two pair, Queens and Nines)",
        "P0 collected 140 from pot",
        "*** SUMMARY ***",
        "Total pot 140 | Rake 0",
        "Board [Qh Js 9d Qc 9h]",
        "Seat 1: P0 (button) (small blind) showed [6h Jd] and won (140) with two pair, Queens and Jacks",
        "Seat 2: P1 (big blind) showed [4s 8s] and lost with two pair, Queens and Nines",
        "",
        "",
    ]


def test_side_pots_and_returned_bets_are_told() -> None:
    text = pokerstars.PokerStarsTable().hand_text(uneven("r3000cc/r5000c/cc/cc"))
    assert "b: calls 300 and is all-in" in text
    assert "Total pot 10400 Main pot 1200. Side pot 9200. | Rake 0" in text
    assert "a collected 9200 from side pot" in text and "a collected 1200 from main pot" in text
    folded = pokerstars.PokerStarsTable().hand_text(uneven("r300ff"))
    assert "Uncalled bet (200) returned to c" in folded
    assert "c collected 250 from pot" in folded and "Seat 3: c (button) collected (250)" in folded
    assert "Seat 2: b (big blind) folded before Flop\n" in folded


def test_players_keep_their_chairs() -> None:
    table = pokerstars.PokerStarsTable()
    chairs = [re.findall(r"^Seat \d: (P\d) \(", table.hand_text(hand), re.MULTILINE) for hand in recorded(HOLDEM[2])]
    assert all(names[:2] == ["P0", "P1"] for names in chairs)


# --- what both are made of


@given(positions())
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_pots_pay_what_the_rules_pay(position: tuple[State, tuple[tuple[int, ...], ...]]) -> None:
    state, holes = position
    # A limit raise from a short stack lowers the bet, and then chips lie in no pot.
    assume(state.finished and state.max_spent == max(state.spent))
    ranks = rank_hands(holes, state.board) if state.showdown else [0] * len(holes)
    won = [Fraction(-chips) for chips in state.spent]
    most, back = uncalled(state.spent)
    won[most] += back
    for pot in pots(state.spent, state.folded):
        best = max(ranks[position] for position in pot.positions)
        winners = [position for position in pot.positions if ranks[position] == best]
        for winner in winners:
            won[winner] += Fraction(pot.chips, len(winners))
    assert [float(value) for value in won] == pytest.approx(settle(state, holes))
    assert contested_pot(state) == sum(pot.chips for pot in pots(state.spent, state.folded))


@given(positions())
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_streets_hold_every_action_and_card_once(position: tuple[State, tuple[tuple[int, ...], ...]]) -> None:
    state, _ = position
    told = list(streets(state))
    assert [street.round for street in told] == list(range(state.round + 1))
    assert tuple(card for street in told for card in street.cards) == state.board
    assert [step for street in told for step in street.steps] == list(state.path())[1:]


CATEGORY_NAMES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind",
    "straight flush",
)  # fmt: skip


@given(st.lists(st.integers(0, 51), min_size=1, max_size=7, unique=True))
def test_hands_in_words_are_of_the_evaluators_category(cards: list[int]) -> None:
    words = describe(cards)
    kind = CATEGORY_NAMES[category(rank(cards))]
    beginning = {"pair": "a pair of", "straight": "a straight, ", "flush": "a flush", "full house": "a full house"}
    if kind == "straight flush":
        assert words == "a Royal Flush" or words.startswith("a straight flush, ")
    else:
        assert words.startswith(beginning.get(kind, kind))


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("As", "high card Ace"),
        ("KsKh2c", "a pair of Kings"),
        ("6s6h6c2d2c2h9s", "a full house, Sixes full of Deuces"),
        ("6s6h6c2d2c9h9s", "a full house, Sixes full of Nines"),
        ("2s2h2c2dKcKhKs", "four of a kind, Deuces"),
        ("3s3h5c5d7c7hAs", "two pair, Sevens and Fives"),
        ("9c8d7h6s5c4d3h", "a straight, Five to Nine"),
        ("Ac2d3h4s5cKdKh", "a straight, Ace to Five"),
        ("TsJsQsKsAs2c3d", "a Royal Flush"),
        ("Ah2h3h4h5hKh7c", "a straight flush, Ace to Five"),
        ("2h4h6h8hThKc7c", "a flush, Ten high"),
    ],
)
def test_hands_in_words(cards: str, words: str) -> None:
    assert describe(parse_cards(cards)) == words


def test_names() -> None:
    assert position_names(load_game(HOLDEM[2])) == ("big blind", "button")
    assert position_names(load_game("holdem.nolimit.3p")) == ("small blind", "big blind", "button")
    assert position_names(load_game("holdem.nolimit.6p"))[2:] == ("position 2", "position 3", "position 4", "button")
    # A big blind that is all in for less than the small one is the big blind all the same.
    assert position_names(holdem((900, 40, 1500), (75, 40, 0))) == ("small blind", "big blind", "button")
    assert position_names(holdem((900, 75, 1500), (75, 75, 0))) == ("small blind", "big blind", "button")
    assert position_names(holdem((40, 900), (40, 75))) == ("big blind", "button")
    assert position_names(holdem((900, 40), (150, 40))) == ("big blind", "button")
    forward = replace(holdem((900, 100), (50, 100)), first_player=(0, 0, 0, 0))
    assert position_names(forward) == ("small blind", "big blind")
    assert position_names(load_game("leduc.limit.2p")) == ("position 0", "position 1")
    assert street_names(load_game(HOLDEM[0])) == ("preflop", "flop", "turn", "river")
    assert street_names(load_game("leduc.limit.2p")) == ("round 1", "round 2")
    assert street_names(load_game("kuhn.limit.2p")) == ("preflop",)
