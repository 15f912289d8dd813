"""Showdowns of each `Ranking` are those of PokerKit, definitions say them, and players who cannot play them refuse."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pokerkit
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import CARD_TEXT, cards_text, parse_cards
from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import other_than_holdem
from limpet.protocol.messages import parse_state
from limpet.protocol.ranking import Ranking, low_order, made_hand, rank, rank_hands
from limpet.protocol.settlement import settle
from limpet.protocol.situation import has_holdem_cards
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.cards.handspace import is_holdem, require_all_cards
from limpet.strategies.draw.draw_file import draw_game
from limpet.strategies.holdem.measures.joint_betting import engine_seats
from limpet.strategies.subjects import equity_values

HOLDEM = load_game("holdem.nolimit.2p.reverse_blinds")
OMAHA = load_game("omaha-pl-hu")
Cards = tuple[int, ...]
Order = Callable[[list[Cards], Cards], tuple[int, ...]]

KINDS: dict[str, tuple[type[pokerkit.Hand], int, int, list[int], Order]] = {
    "short-deck": (
        pokerkit.ShortDeckHoldemHand, 2, 5, [*range(16, 52)],
        lambda holes, board: rank_hands(holes, board, 0, Ranking.SHORT_DECK),
    ),
    "deuce-to-seven": (
        pokerkit.StandardLowHand, 5, 0, [*range(52)],
        lambda holes, board: rank_hands(holes, board, 0, Ranking.DEUCE_TO_SEVEN),
    ),
    "badugi": (
        pokerkit.BadugiHand, 4, 0, [*range(52)], lambda holes, board: rank_hands(holes, board, 0, Ranking.BADUGI),
    ),
    "high of two": (
        pokerkit.OmahaHoldemHand, 4, 5, [*range(52)],
        lambda holes, board: rank_hands(holes, board, 2, Ranking.HIGH_LOW),
    ),
    "low of two": (
        pokerkit.OmahaEightOrBetterLowHand, 4, 5, [*range(52)], lambda holes, board: low_order(holes, board, 2),
    ),
    "low of all": (
        pokerkit.EightOrBetterLowHand, 2, 5, [*range(52)], lambda holes, board: low_order(holes, board),
    ),
}  # fmt: skip
"""PokerKit's hands, the cards that are held and on the board, the deck, and our order."""


def few_ranks(deck: list[int], source: random.Random) -> list[int]:
    """Return a deck, or some ranks and suits of it, so that equal, suited and connected cards are common."""
    ranks = source.sample(sorted({card >> 2 for card in deck}), source.randint(4, 8))
    return source.choice((deck, [card for card in deck if card >> 2 in ranks], [card for card in deck if card & 3]))


def theirs_of(cards: Cards) -> tuple[pokerkit.Card, ...]:
    return tuple(pokerkit.Card.parse(cards_text(cards)))


def disagreements(kind: str, deals: int, seed: int) -> int:
    theirs, held, shared, deck, order = KINDS[kind]
    source, level, differ = random.Random(seed), 0, 0
    for _ in range(deals):
        cards = source.sample(few_ranks(deck, source), 2 * held + shared)
        holes, board = [tuple(cards[:held]), tuple(cards[held : 2 * held])], tuple(cards[2 * held :])
        # Cards, not their text: other tests let PokerKit remember hands by their cards.
        first, second = (theirs.from_game_or_none(theirs_of(hole), theirs_of(board)) for hole in holes)
        ours, other = order(holes, board)
        if first is None or second is None:
            if first is not second:
                differ += (ours > other) != (second is None)
            continue
        level += first == second
        differ += ((ours > other) - (ours < other)) != ((first > second) - (first < second))
    assert level  # equal hands have come up too
    return differ


@pytest.mark.parametrize("kind", KINDS)
def test_two_hands_are_ranked_as_by_pokerkit(kind: str) -> None:
    assert disagreements(kind, 200 if KINDS[kind][2] else 1500, 1) == 0


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_two_hands_are_ranked_as_by_pokerkit_at_length(kind: str) -> None:
    assert disagreements(kind, 20_000, 2) == 0


@pytest.mark.parametrize("used", [1, 2, 3])
def test_the_best_five_with_some_hole_cards_is_the_best_of_all_such_fives(used: int) -> None:
    source = random.Random(used)
    for _ in range(400):
        cards = source.sample(few_ranks([*range(52)], source), 10)
        hole, board = tuple(cards[:5]), tuple(cards[5:])
        fives = [own + rest for own in combinations(hole, used) for rest in combinations(board, 5 - used)]
        assert rank_hands([hole], board, used) == (max(map(rank, fives)),)


@pytest.mark.parametrize(
    ("ranking", "hole", "board", "made"),
    [
        ("short-deck", "Ah6s", "7c8d9hKsKd", "a straight, Ace to Nine"),
        ("short-deck", "Ah6h", "7h8h9hKsKd", "a straight flush, Ace to Nine"),
        ("short-deck", "AhAs", "AcKhKd7h8h", "a full house, Aces full of Kings"),
        ("short-deck", "Ah9h", "7hThKd6h8c", "a flush, Ace high"),
        ("deuce-to-seven", "7h5d4s3c2c", "", "7-5-4-3-2"),
        ("deuce-to-seven", "Ah5d4s3c2c", "", "A-5-4-3-2"),
        ("deuce-to-seven", "Ah5h4h3h2h", "", "a flush, Ace high"),
        ("deuce-to-seven", "6h5d4s3c2c", "", "a straight, Deuce to Six"),
        ("badugi", "Ah4d8c6s", "", "badugi 8-6-4-A"),
        ("badugi", "Ah4h8cKs", "", "3 cards, K-8-A"),
        ("badugi", "KhKdKcKs", "", "1 cards, K"),
        ("high-low-8", "As2d", "Kd5c3hQc7d", "high card Ace, and low 7-5-3-2-A"),
        ("high-low-8", "AsKs", "Kd5c9hQc7d", "a pair of Kings"),
    ],
)  # fmt: skip
def test_what_a_hand_is(ranking: str, hole: str, board: str, made: str) -> None:
    assert made_hand(parse_cards(hole), parse_cards(board), 0, Ranking(ranking)) == made


def test_half_of_each_pot_goes_to_the_low_hand() -> None:
    game = replace(OMAHA, ranking=Ranking.HIGH_LOW)
    holes = [parse_cards("As2d9c9h"), parse_cards("QsQdJcJh")]
    state = parse_state("cc/cc/cc/cc", game, "Kd5c3hQc7d")
    assert settle(state, holes) == (0, 0) and settle(state, holes[::-1]) == (0, 0)
    without_low = parse_state("cc/cc/cc/cc", game, "KdTc3hQc7d")
    assert settle(without_low, holes) == (-100, 100)
    assert settle(state, [parse_cards("AsQd2cQh"), parse_cards("Ad2h9c9h")]) == (50, -50)  # the low is shared


def test_definitions_say_the_ranking_and_come_back() -> None:
    for ranking in Ranking:
        game = replace(HOLDEM, num_ranks=9, ranking=ranking)
        assert GameDef.parse(str(game)) == game and ("handRanking" in str(game)) == (ranking is not Ranking.HIGH)
    assert CARD_TEXT[min(game.deck)] == "6c"


@pytest.mark.parametrize(("value", "reason"), [("low", "write high-low-8, badugi"), ("short-deck", "no card below")])
def test_wrong_rankings_say_why(value: str, reason: str) -> None:
    with pytest.raises(GameDefError, match=f"handRanking: .*{reason}"):
        GameDef.parse(str(HOLDEM).replace("END GAMEDEF", f"handRanking = {value}\nEND GAMEDEF"))


@pytest.mark.parametrize("ranking", [*Ranking][1:])
def test_what_knows_high_hands_only_refuses(ranking: Ranking) -> None:
    game = replace(HOLDEM, ranking=ranking)
    assert not is_holdem(game) and not has_holdem_cards(game)
    assert ranking.value in str(other_than_holdem(game))
    with pytest.raises(ValueError, match=f"handRanking is {ranking.value}.*call, raise, random"):
        require_all_cards(game)
    with pytest.raises(ValueError, match="pay the highest hand"):
        engine_seats(load_bot("call", game).build())
    draw = replace(load_game("draw5-pl-hu"), ranking=ranking)
    with pytest.raises(ValueError, match="five-card draw"):
        draw_game(draw)
    for refused in (game, draw):
        with pytest.raises(ValueError, match=f"handRanking is {ranking.value}"):
            equity_values(refused)
