"""Random hands with antes, dead blinds, posts and straddles, step by step beside PokerKit.

Where PokerKit's casino rules differ from the reference's, nobody raises: after an all-in below the minimum raise, and where
nobody else has the chips to answer.
"""

import random
from typing import Any, NamedTuple

import pytest
from pokerkit import FixedLimitTexasHoldem, NoLimitTexasHoldem, PotLimitOmahaHoldem
from pokerkit import State as PokerKitState

from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import NO_RAISE_LIMIT, Betting, GameDef
from limpet.protocol.handhistory import is_idle
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.messages import parse_match_state, read_match_state, state_text, visible_holes
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, Action, State
from tests.protocol.test_state_crosscheck import AUTOMATIC, action_of, choose, deal, exact_split, legal_ids
from tests.protocol.walks import random_deal


class Table(NamedTuple):
    """A hand's posts as PokerKit is told them. A post with a minus sign is a new player's, which does not move the turn."""

    betting: Betting
    stacks: tuple[int, ...]
    antes: tuple[int, ...]
    posts: tuple[int, ...]
    min_bet: int
    trimmed: bool


def random_table(rng: random.Random) -> Table:
    """Posts of 2 to 9 players: equal antes, one player's, or any; straddles, dead and missing blinds, posts behind them."""
    players, small = rng.randint(2, 9), 6 * rng.randint(1, 20)
    big = 2 * small
    betting = rng.choice((Betting.NO_LIMIT, Betting.NO_LIMIT, Betting.POT_LIMIT, Betting.LIMIT))
    at = 1 if players > 2 else 0
    posts = [0] * players
    posts[at], posts[1 - at] = big, small
    ante = rng.choice((0, small // 3, big // 4, big))
    antes = [0] * players
    kind = rng.randrange(5)
    if kind == 0:
        antes = [ante] * players
    elif kind == 1:
        antes[at] = ante
    elif kind == 2:
        antes = [rng.choice((0, ante, small)) for _ in range(players)]
    elif kind == 3:  # everybody's, and one dead small blind
        antes = [ante] * players
        antes[rng.randrange(players)] += small
    if players > 3 and rng.random() < 0.4:
        for straddle in range(rng.randint(1, min(3, players - 2))):
            posts[2 + straddle] = 2 * big << straddle
    elif players > 3 and rng.random() < 0.2:
        posts[rng.randrange(2, players)] = 2 * big  # a straddle out of turn, such as the button's
    if players > 3 and rng.random() < 0.3 and not posts[-1]:
        posts[-1] = -big
    if players > 2 and rng.random() < 0.15:
        posts[0] = 0  # nobody posts the small blind
    deepest = big * rng.choice((3, 12, 60))
    least = 8 * big if betting is Betting.LIMIT else 1
    stacks = tuple(rng.randint(least, least + deepest) for _ in range(players))
    if betting is Betting.LIMIT:
        stacks = (1_000_000,) * players
    return Table(betting, stacks, tuple(antes), tuple(posts), big, trimmed=kind == 0 and rng.random() < 0.7)


def game_of(table: Table) -> GameDef:
    """The table's game. Raises `GameDefError` where the posts put everybody all in."""
    players = len(table.stacks)
    dead = tuple(map(min, table.antes, table.stacks))
    stack = tuple(chips - ante for chips, ante in zip(table.stacks, dead, strict=True))
    blind = tuple(min(abs(post), chips) for post, chips in zip(table.posts, stack, strict=True))
    first = max(range(players), key=lambda p: (blind[p] if table.posts[p] > 0 else -blind[p], p))
    limit, omaha = table.betting is Betting.LIMIT, table.betting is Betting.POT_LIMIT
    game = GameDef(
        betting=table.betting,
        num_players=players,
        num_rounds=4,
        stack=stack,
        blind=blind,
        raise_size=(table.min_bet, table.min_bet, 2 * table.min_bet, 2 * table.min_bet) if limit else (),
        first_player=((first + 1) % players, 0, 0, 0),
        max_raises=(4,) * 4 if limit else (NO_RAISE_LIMIT,) * 4,
        num_suits=4,
        num_ranks=13,
        num_hole_cards=4 if omaha else 2,
        num_board_cards=(0, 3, 1, 1),
        hole_cards_used=2 if omaha else 0,
        dead=dead if any(dead) else (),
        min_bet=0 if table.min_bet == max(1, *blind) else table.min_bet,
        whole_antes=0 in stack and not table.trimmed,
    )
    assert GameDef.parse(str(game)) == game
    return game


def pokerkit_table(table: Table) -> PokerKitState:
    """The same table. PokerKit turns heads-up posts round by itself."""
    antes, posts = table.antes, table.posts
    if len(posts) == 2:
        antes, posts = antes[::-1], posts[::-1]
    bets = (table.min_bet, 2 * table.min_bet) if table.betting is Betting.LIMIT else (table.min_bet,)
    variant: Any = {
        Betting.LIMIT: FixedLimitTexasHoldem,
        Betting.NO_LIMIT: NoLimitTexasHoldem,
        Betting.POT_LIMIT: PotLimitOmahaHoldem,
    }[table.betting]
    posted = table.trimmed, antes, posts, *bets, table.stacks, len(posts)
    state: PokerKitState = variant.create_state(AUTOMATIC, *posted, divmod=exact_split)
    return state


def rules_differ(state: State) -> bool:
    """Whether a casino forbids a raise that the reference allows, or allows another."""
    step = state
    while step.actions and step.parent is not None:
        action, step = step.action, step.parent
        if state.game.no_limit and action is not None and action.kind == "r" and action.size < step.min_raise_to:
            return True
    return not any(
        have > state.max_spent and position != state.actor and not state.has_folded(position)
        for position, have in enumerate(state.game.stack)
    )


def assert_same_choices(theirs: PokerKitState, state: State) -> tuple[int, int] | None:
    """The same turn, call and raises. Return the bounds of a raise, None where nobody should raise."""
    actor = state.actor
    assert theirs.actor_index == actor
    assert theirs.checking_or_calling_amount == state.to_call
    assert theirs.can_fold() == state.can_fold
    assert theirs.total_pot_amount == state.pot
    bounds = state.raise_bounds()
    if rules_differ(state):
        return None
    earlier = state.spent[actor] - theirs.bets[actor]  # chips of earlier rounds: PokerKit counts bets by the round
    low = theirs.min_completion_betting_or_raising_to_amount
    high = theirs.max_completion_betting_or_raising_to_amount
    if low is None or high is None:
        assert bounds is None
    elif state.game.no_limit:
        assert bounds == (low + earlier, high + earlier)
    else:
        assert bounds == (0, 0) and low == high == state.max_spent - earlier + state.game.raise_size[state.round]
    return bounds


def walk(rng: random.Random, table: Table, game: GameDef) -> State:
    """One hand played in both engines. Asserts equal turns, legal actions, payoffs, and that lines read back."""
    holes, board = random_deal(game, rng.getrandbits(32))
    theirs, state = pokerkit_table(table), State.start(game)
    deal(theirs, holes, board)
    while not state.finished:
        if is_idle(state):
            action = CALL
            if theirs.actor_index == state.actor:  # PokerKit asks too, at times, in a hand's first round
                theirs.check_or_call()
                deal(theirs, holes, board)
        else:
            bounds = assert_same_choices(theirs, state)
            legal = legal_ids(state)
            action = action_of(choose(rng, legal if bounds else [chosen for chosen in legal if chosen < 2]), game)
            play(theirs, state, action)
            deal(theirs, holes, board)
        state = state.apply(action).with_board(board)
    assert not theirs.status, (table, state, theirs.actor_index, theirs.bets, theirs.stacks, theirs.operations[-3:])
    values = settle(state, holes)
    assert values == pytest.approx([float(won) for won in theirs.payoffs], abs=1e-9), (table, state, holes)
    assert sum(values) == pytest.approx(0, abs=1e-9)
    line = str(HandRecord(7, state, holes, values, tuple(f"p{p}" for p in range(game.num_players))))
    assert str(read_entry(line, game, "log")) == line
    seen = f"MATCHSTATE:0:7:{state_text(state, visible_holes(state, holes, 0))}"
    assert str(parse_match_state(seen, game)) == str(read_match_state(seen, game)[0]) == seen
    return state


def play(theirs: PokerKitState, state: State, action: Action) -> None:
    if action.kind == "r":
        fixed = state.max_spent + state.game.raise_size[state.round] if not state.game.no_limit else 0
        theirs.complete_bet_or_raise_to((action.size or fixed) - state.spent[state.actor] + theirs.bets[state.actor])
    elif action == FOLD:
        theirs.fold()
    else:
        theirs.check_or_call()


def walks(count: int, seed: int) -> None:
    rng = random.Random(seed)
    played = showdowns = raised = short = 0
    while played < count:
        table = random_table(rng)
        try:
            game = game_of(table)
        except GameDefError as error:
            assert "all in before the first action" in str(error)
            continue
        state = walk(rng, table, game)
        played += 1
        showdowns += state.showdown
        raised += "r" in state.betting
        short += any(not chips for chips in game.stack)
    assert showdowns > count / 4 and raised > count / 2 and short > count / 200


def test_pokerkit_agrees_on_antes_and_straddles() -> None:
    walks(120, seed=5)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_pokerkit_agrees_on_antes_and_straddles_at_length() -> None:
    walks(20_000, seed=6)
