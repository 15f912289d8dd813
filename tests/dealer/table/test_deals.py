"""The cards of a seed are the reference dealer's cards."""

import csv
import time
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.dealer.table.deals import SECRET, Deals, new_secret, secret_of
from limpet.dealer.table.score import by_position, by_seat, position_of, seat_of
from limpet.dealer.table.terms import glibc_random, parse_ports, seeded_ports
from limpet.protocol.cards import cards_text
from limpet.protocol.draws import may_run_out
from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import GameDef


def _recorded(folder: Path) -> list[dict[str, str]]:
    with open(folder / "deals.tsv", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_deals_are_the_recorded_ones(vectors: Path) -> None:
    rows = _recorded(vectors)
    assert len(rows) >= 100
    for row in rows:
        game = GameDef.load(vectors / f"{row['game']}.game")
        deals = Deals(game, int(row["seed"]))
        deals.skip(int(row["hand"]))
        deal = next(deals)
        rounds = [r for r in range(game.num_rounds)]
        board = ""
        starts = (0, *game.board_sizes)
        for r in rounds:
            board += ("/" if r else "") + cards_text(deal.board[starts[r] : starts[r + 1]])
        everything = "|".join(map(cards_text, deal.holes)) + board
        # A hand that ended early is logged with the board dealt so far.
        assert everything == row["holeAndBoardAtEnd(as logged)"] or everything.startswith(
            row["holeAndBoardAtEnd(as logged)"] + "/"
        ), row


def _plain_deal(game: GameDef, words: "np.random.RandomState") -> tuple[list[int], list[int]]:
    """The draw in the words of the reference: numpy's legacy generator is init_genrand's too."""
    deck = [rank * 4 + suit for suit in range(4 - game.num_suits, 4) for rank in range(13 - game.num_ranks, 13)]

    def draw() -> int:
        at = int(words.randint(0, 2**32, dtype=np.uint32)) % len(deck)
        card = deck[at]
        deck[at] = deck[-1]
        deck.pop()
        return card

    holes = [draw() for _ in range(game.num_players * game.num_hole_cards)]
    return holes, [draw() for _ in range(sum(game.num_board_cards))]


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**32 - 1])
def test_deals_equal_an_independent_generator(vectors: Path, seed: int) -> None:
    for path in sorted(vectors.glob("*.game")):
        game = GameDef.load(path)
        words = np.random.RandomState(seed)
        for deal in islice(Deals(game, seed), 50):
            holes, board = _plain_deal(game, words)
            assert [card for hole in deal.holes for card in hole] == holes
            assert list(deal.board) == board
            assert len(set(holes + board)) == len(holes + board)


def test_seed_wraps_and_large_seeds_differ(vectors: Path) -> None:
    game = GameDef.load(vectors / "holdem.nolimit.2p.reverse_blinds.game")
    assert list(islice(Deals(game, 2**32), 5)) == list(islice(Deals(game, 0), 5))
    firsts = {next(Deals(game, seed)) for seed in range(95, 1000)}
    assert len(firsts) > 900


def test_a_secret_fixes_all_cards_and_each_of_its_bits_counts(vectors: Path) -> None:
    game = GameDef.load(vectors / "holdem.nolimit.3p.game")
    secret = SECRET + 12345
    dealt = list(islice(Deals(game, secret), 20))
    assert dealt == list(islice(Deals(game, secret), 20)) != list(islice(Deals(game, 12345), 20))
    firsts = [list(islice(Deals(game, secret ^ 1 << bit), 2)) for bit in range(128)]
    assert len({str(deals) for deals in [dealt[:2], *firsts]}) == 129
    skipped = Deals(game, secret)
    skipped.skip(7)
    assert next(skipped) == dealt[7]
    holes, boards = Deals(game, secret).take(20)
    assert [tuple(map(tuple, hand)) for hand in holes.tolist()] == [deal.holes for deal in dealt]
    assert [tuple(board) for board in boards.tolist()] == [deal.board for deal in dealt]


def test_cards_dealt_by_a_secret_are_fair(vectors: Path) -> None:
    """Every card comes first equally often, within 5 standard deviations."""
    game = GameDef.load(vectors / "holdem.nolimit.2p.reverse_blinds.game")
    firsts = Counter(deal.holes[0][0] for deal in islice(Deals(game, SECRET + 1), 5_200))
    assert len(firsts) == 52 and max(abs(number - 100) for number in firsts.values()) < 50


def test_secrets_made_of_a_secret_differ_and_have_its_length() -> None:
    made = {secret_of(secret, *numbers) for secret in (SECRET, SECRET + 1) for numbers in ((0, 1), (1, 0), (1,))}
    assert len(made) == 6
    assert all(SECRET <= secret < 2 * SECRET for secret in [*made, new_secret()]) and new_secret() != new_secret()


def test_skip_is_dealing(vectors: Path) -> None:
    game = GameDef.load(vectors / "holdem.nolimit.3p.game")
    dealt, skipped = Deals(game, 9), Deals(game, 9)
    for _ in range(7):
        next(dealt)
    skipped.skip(7)
    assert next(skipped) == next(dealt)


def test_a_deck_that_draws_may_use_up_is_not_dealt() -> None:
    game = replace(load_game("draw5-pl-hu"), num_ranks=4)
    assert may_run_out(game) and GameDef.parse(str(game)) == game
    with pytest.raises(GameDefError, match="maxDiscard: 20 cards may be dealt and drawn from a deck of 16"):
        Deals(game, 1)


def test_deals_are_fast(vectors: Path) -> None:
    deals = Deals(GameDef.load(vectors / "holdem.nolimit.2p.reverse_blinds.game"), 0)
    best = 0.0
    for _ in range(5):
        start = time.process_time()  # other processes do not count
        for _ in range(3000):
            next(deals)
        best = max(best, 3000 / (time.process_time() - start))
    assert best > 30_000, f"{best:.0f} hands/s"


# The first numbers of random() after srandom(seed), printed by the C library (glibc 2.36).
GLIBC = {
    0: [1804289383, 846930886, 1681692777, 1714636915],
    1: [1804289383, 846930886, 1681692777, 1714636915],
    2**32 - 1: [254925627, 1205188300, 366127624, 1401405153],
    4294967290: [1768362470, 2132613849, 330419289],
}


@pytest.mark.parametrize("seed", GLIBC)
def test_random_numbers_are_glibcs(seed: int) -> None:
    assert list(islice(glibc_random(seed), len(GLIBC[seed]))) == GLIBC[seed]


def test_seeded_ports() -> None:
    assert list(islice(seeded_ports(1), 2)) == [1804289383 % 64512 + 1024, 846930886 % 64512 + 1024]
    assert all(1024 <= port < 65536 for port in islice(seeded_ports(7), 10_000))


def test_port_lists() -> None:
    assert parse_ports("20000,0,65535") == (20000, 0, 65535)
    for bad in ("", "1,", "a", "65536", "-1", "1;2"):
        with pytest.raises(ValueError, match="bad port string"):
            parse_ports(bad)


def test_seats_and_positions() -> None:
    assert [position_of(0, hand, 2) for hand in range(4)] == [0, 1, 0, 1]
    for players in range(2, 11):
        for hand in range(25):
            seats = [seat_of(position, hand, players) for position in range(players)]
            assert sorted(seats) == list(range(players))
            assert [position_of(seat, hand, players) for seat in seats] == list(range(players))
            assert seats[0] == hand % players  # the player of position 0 moves on by one seat a hand
            assert by_position(range(players), hand) == tuple(seats)
            assert by_seat(by_position("ABCDEFGHIJ"[:players], hand), hand) == tuple("ABCDEFGHIJ"[:players])
    assert by_position("AB", 1, fixed_button=True) == ("A", "B")
