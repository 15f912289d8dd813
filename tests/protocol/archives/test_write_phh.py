"""PHH of games that the format has no code for: hands of any definition come back, and PokerKit pays the same for draws."""

import random
from dataclasses import replace

import pokerkit
import pokerkit.games
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.configs.loading import load_game
from limpet.protocol.archives.acpc import HandReader
from limpet.protocol.archives.hand_file import BadHand
from limpet.protocol.archives.read_phh import read_hand
from limpet.protocol.archives.write_phh import DEFINITION, OWN, hand_text, variant
from limpet.protocol.draws import Hands
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import settle
from limpet.protocol.state import State
from tests.protocol.test_draws import random_draw_game
from tests.protocol.walks import answer, random_deal, random_game

POT_LIMIT = str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("nolimit", "betting = potlimit")
GAMES = ("draw5-pl-hu", "draw5-tiny", "draw-triple", "toy-one-card", "kuhn.limit.3p", "leduc.nolimit.2p")


def random_hand(game: GameDef, seed: int) -> HandRecord:
    """Return a finished hand of random actions and discards."""
    rng = random.Random(seed)
    holes, board = random_deal(game, seed)
    dealt = {card for hole in holes for card in hole}
    stub = [card for card in game.deck if card not in dealt]
    rng.shuffle(stub)
    hands, state = Hands(holes, tuple(stub)), State.start(game).with_board(board)
    while not state.finished:
        action = answer(state, hands.now[state.actor], rng.randrange(1 << 20))
        hands, state = hands.after(state, action), state.apply(action).with_board(board)
    names = tuple(f"player {position}" for position in range(game.num_players))
    return HandRecord(seed, state, holes, settle(state, hands.now), names, hands.draws)


def defined(name: str) -> GameDef:
    return GameDef.parse(POT_LIMIT) if name == "pot-limit hold'em" else load_game(name)


def assert_comes_back(hand: HandRecord) -> None:
    read = read_hand(hand_text(hand))
    assert read is not None
    assert (str(read[0]), read[0].state.game) == (str(hand), hand.state.game)


@pytest.mark.parametrize("name", [*GAMES, "pot-limit hold'em"])
def test_hands_of_games_without_a_code_come_back(name: str) -> None:
    game = defined(name)
    assert variant(game) == OWN
    for seed in range(60):
        assert_comes_back(random_hand(game, seed))


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=200, deadline=None)
def test_hands_of_any_definition_come_back(seed: int, draws: bool) -> None:
    pick = random.Random(seed).randint
    game = random_draw_game(pick) if draws else random_game(pick)
    if variant(game) == OWN:
        assert_comes_back(random_hand(game, seed))


class PotLimitDraw(pokerkit.games.PotLimitPokerMixin, pokerkit.games.SingleDraw):
    """PokerKit's rules of pot-limit five-card draw for high hands, which it has no class for."""

    deck = pokerkit.Deck.STANDARD
    hand_types = (pokerkit.StandardHighHand,)
    hole_dealing_count = 5


class LimitTripleDraw(pokerkit.games.FixedLimitPokerMixin, pokerkit.games.TripleDraw):
    """PokerKit's rules of limit triple draw for high hands, which it has no class for."""

    deck = pokerkit.Deck.STANDARD
    hand_types = (pokerkit.StandardHighHand,)
    hole_dealing_count = 5


@pytest.mark.parametrize(
    ("name", "rules", "same_fields"),
    [
        ("draw5-pl-hu", PotLimitDraw, "N2L1D"),
        ("draw-triple", LimitTripleDraw, "F2L3D"),
    ],
)
def test_pokerkit_pays_the_same(name: str, rules: type, same_fields: str, monkeypatch: pytest.MonkeyPatch) -> None:
    history = pokerkit.HandHistory
    monkeypatch.setitem(history.game_types, OWN, rules)
    monkeypatch.setitem(history.required_field_names, OWN, history.required_field_names[same_fields])
    game = load_game(name)
    for seed in range(60):
        hand = random_hand(game, seed)
        played = history.loads(hand_text(hand))
        *_, (last, _) = played.state_actions
        assert not last.status and tuple(last.payoffs) == hand.values
        assert played.user_defined_fields[DEFINITION].strip() == str(game).strip()


def test_pot_limit_omaha_has_the_formats_code() -> None:
    """PokerKit pays the same, or gives the odd chip of a split pot to one winner."""
    game = load_game("omaha-pl-hu")
    assert variant(game) == "PO"
    for seed in range(60):
        hand = random_hand(game, seed)
        text = hand_text(hand)
        assert DEFINITION not in text
        assert_comes_back(hand)
        *_, (last, _) = pokerkit.HandHistory.loads(text).state_actions
        assert not last.status and last.payoffs == pytest.approx(hand.values, abs=0.5)
    with_fewer_cards = replace(game, num_suits=3, num_ranks=12)
    assert (variant(replace(game, hole_cards_used=0)), variant(with_fewer_cards)) == (OWN, OWN)


def logged(line: str) -> HandRecord:
    hand = HandReader(load_game("draw5-pl-hu")).read(line, "log:1")
    assert isinstance(hand, HandRecord)
    return hand


def test_unknown_cards_of_a_draw_come_back_unknown() -> None:
    hand = logged("STATE:1:r300r900c/d2d1/cr2700f:|AcQcTcJc2h/|8c:-900|900:BB|SB")
    text = hand_text(hand)
    assert '"p1 sd ????"' in text and '"d dh p1 ????"' in text
    assert_comes_back(hand)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (f'variant = "{OWN}"', 'variant = "FR"', "in razz the players"),
        ("starting_stacks = [30000, 30000]", "starting_stacks = [30000, 20000]", "the stacks are not"),
        ("numRounds", "rounds", f"{DEFINITION}.*numRounds"),
        ("sd 7s", "sd 7d", "does not name 1 different cards"),
        ("d dh p1 Td", "d dh p1 Td2s", "who threw 1 cards away"),
        ("d dh p2 8c", "d dh p2 7s", "p2 cannot hold"),
        ("d dh p1 KcKhTsTh7s", "d dh p1 KcKhTsTh8c", "does not name 1 different cards"),
        ('  "d dh p1 Td",\n', "", "p1 has no new cards"),
        ("p2 sd 2h", "p2 sd ??", "p2 cannot hold"),
        ("p1 sd 7s", "p1 cc", "c is not legal"),
    ],
)
def test_wrong_draws_are_refused_with_the_reason(old: str, new: str, reason: str) -> None:
    text = hand_text(logged("STATE:0:r300r900c/d1d1/r2700c:KcKhTsTh7s|AcQcTcJc2h/Td|8c:2700|-2700:BB|SB"))
    assert text.count(old) == 1
    with pytest.raises(BadHand, match=reason):
        read_hand(text.replace(old, new))
