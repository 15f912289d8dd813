"""Hands with antes, straddles, dead blinds and posts pass between PokerKit, PHH, PokerStars' text and our logs."""

import random
from pathlib import Path

import pokerkit
import pytest

from limpet.protocol.archives import read_phh, read_pokerstars
from limpet.protocol.archives.acpc import LogWriter
from limpet.protocol.archives.hand_file import contradiction
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.archives.write_phh import hand_text
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import Betting
from limpet.protocol.handhistory import Unsupported, has_new_posts, is_casino, is_idle
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import CALL, State
from tests.protocol.test_handhistory import assert_pays, payoffs
from tests.protocol.test_state_antes import Table, game_of, play, random_table, rules_differ
from tests.protocol.test_state_crosscheck import AUTOMATIC, action_of, choose, deal, legal_ids
from tests.protocol.walks import random_deal


def pokerkit_game(table: Table) -> pokerkit.Poker:
    posts = table.antes, table.posts
    if len(table.posts) == 2:
        posts = table.antes[::-1], table.posts[::-1]
    if table.betting is Betting.LIMIT:
        return pokerkit.FixedLimitTexasHoldem(AUTOMATIC, table.trimmed, *posts, table.min_bet, 2 * table.min_bet)
    return pokerkit.NoLimitTexasHoldem(AUTOMATIC, table.trimmed, *posts, table.min_bet)


def pokerkit_hand(rng: random.Random) -> tuple[str, tuple[int, ...]]:
    """Return the PHH that PokerKit writes of a random hand, and what it pays."""
    while True:
        table = random_table(rng)
        try:
            game = game_of(table)
        except GameDefError:
            continue
        if table.betting is not Betting.POT_LIMIT:
            break
    rules = pokerkit_game(table)
    theirs, state = rules(table.stacks, len(table.stacks)), State.start(game)
    holes, board = random_deal(game, rng.getrandbits(32))
    deal(theirs, holes, board)
    while not state.finished:
        if is_idle(state):
            action = CALL
            if theirs.actor_index == state.actor:
                theirs.check_or_call()
        else:
            legal = legal_ids(state)
            action = action_of(choose(rng, [n for n in legal if n < 2] if rules_differ(state) else legal), game)
            play(theirs, state, action)
        deal(theirs, holes, board)
        state = state.apply(action).with_board(board)
    text = pokerkit.HandHistory.from_game_state(rules, theirs).dumps()
    # PokerKit writes false whatever the game's status is.
    told = f"ante_trimming_status = {str(table.trimmed).lower()}"
    return text.replace("ante_trimming_status = false", told), tuple(theirs.payoffs)


def hands(count: int, seed: int) -> list[HandRecord]:
    """Return random hands as they are read from what PokerKit writes, all of which must be."""
    rng, found = random.Random(seed), []
    for _ in range(count):
        text, paid = pokerkit_hand(rng)
        read = read_phh.read_hand(text)
        assert read is not None
        hand, _, _ = read
        assert hand.values == pytest.approx(paid, abs=len(paid)), text  # odd chips of split pots
        assert contradiction(hand) is None, text
        found.append(hand)
    assert sum(is_casino(hand.state.game) for hand in found) > count / 3
    return found


HANDS = 100


def test_pokerkits_hands_are_read_and_written_back() -> None:
    ours = 0
    for hand in hands(HANDS, 1):
        text = hand_text(hand)
        if 'variant = "ACPC"' in text:  # a post that was short, or none of a small blind, beside antes within blinds
            ours, game = ours + 1, hand.state.game
            assert game.blind[0] == game.ante or any(map(int.__eq__, game.stack, game.blind))
            continue
        assert_pays(hand, payoffs(pokerkit.HandHistory.loads(text)))
        read = read_phh.read_hand(text)
        assert read is not None and str(read[0]) == str(hand) and read[0].state.game == hand.state.game
    assert ours < HANDS / 20


def test_pokerstars_text_comes_back_identical_in_the_same_game() -> None:
    written = 0
    for hand in hands(HANDS, 2):
        game = hand.state.game
        try:
            text = PokerStarsTable().hand_text(hand)
        except Unsupported as error:
            assert game.whole_antes or not has_new_posts(game) or "no words" in str(error)
            continue
        written += has_new_posts(game)
        read, _, _ = read_pokerstars.read_hand(text, game)
        assert str(read) == str(hand) and read.state.game == game, text
        alone, _, _ = read_pokerstars.read_hand(text)
        assert alone.values == hand.values and contradiction(alone) is None
    assert written > HANDS / 4


@pytest.mark.parametrize(
    ("antes", "posts"),
    [("1, 1, 1, 1", ["the ante 1", "big blind 10"]), ("1, 1, 1, 6", ["the ante 1", "small & big blinds 15"])],
)
def test_a_new_players_ante_is_no_dead_small_blind(antes: str, posts: list[str]) -> None:
    read = read_phh.read_hand(
        f'variant = "NT"\nantes = [{antes}]\nblinds_or_straddles = [5, 10, 0, -10]\nmin_bet = 10\n'
        'starting_stacks = [1000, 1500, 800, 1000]\nplayers = ["A", "B", "C", "D"]\n'
        'actions = ["p3 f", "p4 cbr 40", "p1 f", "p2 f"]\n'
    )
    assert read is not None
    text = PokerStarsTable().hand_text(read[0])
    assert [line[9:] for line in text.splitlines() if line.startswith("D: posts")] == posts
    assert str(read_pokerstars.read_hand(text)[0]) == str(read[0])


def test_logs_carry_the_antes_in_their_definitions(tmp_path: Path) -> None:
    log, writer = tmp_path / "match.log", LogWriter()
    recorded = hands(HANDS // 3, 3)
    log.write_text("".join(writer.hand_text(hand, "antes") for hand in recorded))
    file = open_hands(log)
    file.check_payoffs = True
    read = [hand for _, hand in file.hands()]
    assert [(str(hand), hand.state.game) for hand in read] == [(str(hand), hand.state.game) for hand in recorded]
    assert not file.contradictory


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_no_hand_of_pokerkit_is_skipped_at_length() -> None:
    hands(20_000, 4)
