"""Random legal walks, step by step beside two independent engines: OpenSpiel's universal_poker and PokerKit.

OpenSpiel runs the reference dealer's code for any definition. PokerKit follows casino rules, which differ where an
all-in is smaller than the minimum raise (so stacks are even here) and in the odd chip of a split pot (so it is told to
split exactly).
"""

import random
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import pytest
from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem, OmahaHoldemHand, StandardHighHand
from pokerkit import State as PokerKitState

from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.gamedef import NO_RAISE_LIMIT, Betting, GameDef
from limpet.protocol.messages import read_log_state, state_text
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, raise_to
from limpet.strategies.players.openspiel import universal_poker
from tests.protocol.walks import random_deal, random_game

# --- any definition, with OpenSpiel

WALKS_PER_GAME = 25


def comparable_game(rng: random.Random) -> GameDef:
    """A random definition that OpenSpiel plays.

    It has a blind: without one a hand checked to the end leaves an empty pot, on which the reference's settlement
    aborts. In no-limit games it has stacks, so that OpenSpiel can list the raises.
    """
    while True:
        game = random_game(rng.randint, most_chips=60)
        if max(game.blind) and (not game.no_limit or max(game.stack) < MAX_CHIPS // 4):
            return game


def legal_ids(state: State) -> list[int]:
    """Our legal actions as OpenSpiel numbers them: 0 fold, 1 call, the raise-to (limit: 2)."""
    bounds = state.raise_bounds()
    raises: range | tuple[int, ...] = ()
    if bounds is not None:
        raises = range(bounds[0], bounds[1] + 1) if state.game.no_limit else (2,)
    return [*([0] if state.can_fold else []), 1, *raises]


def action_of(chosen: int, game: GameDef) -> Action:
    if chosen < 2:
        return (FOLD, CALL)[chosen]
    return raise_to(chosen) if game.no_limit else RAISE


def choose(rng: random.Random, legal: list[int]) -> int:
    """Folds rarely, and small and middling raises as often as an all-in, so that walks reach the last round."""
    draw = rng.random()
    if draw < 0.06 or len(legal) == 1:
        return legal[0]
    raises = [chosen for chosen in legal if chosen > 1]
    if draw < 0.5 or not raises:
        return 1
    return rng.choice((raises[0], raises[-1], rng.choice(raises), rng.choice(raises[: 1 + len(raises) // 8])))


Choose = Callable[[random.Random, list[int]], int]


def openspiel_walk(theirs: Any, game: GameDef, rng: random.Random, choose: Choose = choose) -> State:
    """One hand played in both engines. Asserts the same turns, legal actions, betting text and payoffs."""
    state = State.start(game)
    while not theirs.is_terminal():
        if theirs.is_chance_node():
            theirs.apply_action(rng.choice(theirs.legal_actions()))
            continue
        legal = legal_ids(state)
        assert theirs.current_player() == state.actor, (game, state)
        assert sorted(theirs.legal_actions()) == legal, (game, state)
        chosen = choose(rng, legal)
        theirs.apply_action(chosen)
        state = state.apply(action_of(chosen, game))
    assert state.finished
    line = str(theirs).split("ACPC State: ")[1].split("\n")[0]
    _, read, holes, _, end = read_log_state(line, game)
    assert end == len(line)
    assert f"STATE:0:{state_text(read, holes)}" == line
    assert read.with_board(()) == state, game
    assert settle(read, holes) == pytest.approx(theirs.returns(), abs=1e-9), (game, line)
    return read


def openspiel_walks(walks: int, seed: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    rng = random.Random(seed)
    showdowns = raised = lowered = 0
    for _ in range(walks // WALKS_PER_GAME):
        game = comparable_game(rng)
        table = universal_poker(pyspiel, game)
        for _ in range(WALKS_PER_GAME):
            state = openspiel_walk(table.new_initial_state(), game, rng)
            showdowns += state.showdown
            raised += "r" in state.betting
            lowered += bet_was_lowered(state)
    assert showdowns > walks / 4 and raised > walks / 4
    assert lowered > walks / 100, "limit raises from stacks below the bet"


def test_openspiel_agrees_on_any_game() -> None:
    openspiel_walks(2_500, seed=1)


SHORT_STACKS = """limit
numPlayers=3
numRounds=2
stack={stack}
blind=0 2 12
raiseSize=10 10
maxRaises=3 2
numSuits=4
numRanks=4
numHoleCards=1
numBoardCards=0 1
"""


@pytest.mark.parametrize("stack", ["5 50 50", "50 6 50", "5 9 30", "5 9 13"])
def test_openspiel_agrees_on_every_hand_where_limit_raises_lower_the_bet(stack: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = GameDef.parse(SHORT_STACKS.format(stack=stack))
    table = universal_poker(pyspiel, game)
    pending: list[list[int]] = [[]]
    lowered = won_alone = 0
    while pending:
        planned = pending.pop()
        chosen: list[int] = []

        def next_choice(
            _: random.Random, legal: list[int], planned: list[int] = planned, so: list[int] = chosen
        ) -> int:
            if len(so) < len(planned):
                so.append(planned[len(so)])
            else:
                pending.extend([*so, other] for other in legal[1:])
                so.append(legal[0])
            return so[-1]

        state = openspiel_walk(table.new_initial_state(), game, random.Random(0), next_choice)
        lowered += bet_was_lowered(state)
        won_alone += state.max_spent < max(state.spent) and state.remaining == 1
    assert lowered > 10 and won_alone > 0


def bet_was_lowered(state: State) -> bool:
    """True if a limit raise from a stack below the bet lowered it at some moment of the hand."""
    return any(step.max_spent < max(step.spent) for step in state.path())


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_openspiel_agrees_on_any_game_at_length() -> None:
    openspiel_walks(200_000, seed=2)


# --- hold'em, with PokerKit

AUTOMATIC = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
DEEP = 1_000_000


def remember_ranks(kind: Any) -> None:
    """Let PokerKit look up ranks: at a showdown it ranks every hand again for each that may still win, and each pot."""
    found = lru_cache(maxsize=256)(kind.from_game)
    kind.from_game = staticmethod(lambda holes, board=(): found(tuple(holes), tuple(board)))


for hands in (StandardHighHand, OmahaHoldemHand):
    remember_ranks(hands)


def exact_split(amount: int, shares: int) -> tuple[Any, Any]:
    """Split pots are fractions in the reference: no odd chip."""
    return Fraction(amount, shares), 0


def holdem(rng: random.Random) -> GameDef:
    """Two or three players, limit or no-limit; three with even stacks, two with any."""
    players, limit = rng.randint(2, 3), rng.random() < 0.4
    big = 2 * rng.randint(1, 50)
    blind = (big, big // 2) if players == 2 else (big // 2, big, 0)
    deepest = big * rng.choice((2, 5, 20, 200))
    stack = (DEEP,) * players if limit else (rng.randint(big + 1, big + deepest),) * players
    if players == 2 and not limit and rng.random() < 0.5:
        stack = (stack[0], rng.randint(big + 1, big + deepest))
    return GameDef(
        betting=Betting.LIMIT if limit else Betting.NO_LIMIT,
        num_players=players,
        num_rounds=4,
        stack=stack,
        blind=blind,
        raise_size=(big, big, 2 * big, 2 * big) if limit else (),
        first_player=(players - 1, 0, 0, 0),
        max_raises=(4,) * 4 if limit else (NO_RAISE_LIMIT,) * 4,  # PokerKit does not count the big blind as a bet
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3, 1, 1),
    )


def pokerkit_state(game: GameDef) -> PokerKitState:
    """The same table. PokerKit turns heads-up blinds round by itself: (50, 100) gives position 0 the big blind."""
    blinds = tuple(sorted(game.blind)) if game.num_players == 2 else game.blind
    if game.no_limit:
        return NoLimitTexasHoldem.create_state(
            AUTOMATIC, True, 0, blinds, game.big_blind, game.stack, game.num_players, divmod=exact_split
        )
    small_bet, big_bet = game.raise_size[0], game.raise_size[-1]
    return FixedLimitTexasHoldem.create_state(
        AUTOMATIC, True, 0, blinds, small_bet, big_bet, game.stack, game.num_players, divmod=exact_split
    )


def card_text(cards: tuple[int, ...]) -> str:
    return "".join(CARD_TEXT[card] for card in cards)


def deal(theirs: PokerKitState, holes: tuple[tuple[int, ...], ...], board: tuple[int, ...]) -> None:
    """Deal whatever PokerKit waits for."""
    while True:
        if theirs.can_burn_card():
            theirs.burn_card("??")
        elif theirs.can_deal_hole():
            position = theirs.hole_dealee_index
            assert position is not None
            theirs.deal_hole(card_text(holes[position]))
        elif theirs.can_deal_board():
            dealt = sum(1 for _ in theirs.get_board_cards(0))
            theirs.deal_board(card_text(board[dealt : (3, 3, 3, 4, 5)[dealt]]))
        else:
            return


def assert_same_choices(theirs: PokerKitState, state: State) -> None:
    """The same player to act, the same amount to call, and the same raises."""
    game, actor = state.game, state.actor
    assert theirs.actor_index == actor
    assert theirs.checking_or_calling_amount == state.to_call
    earlier = state.spent[actor] - theirs.bets[actor]  # chips of earlier rounds: PokerKit counts bets by the round
    assert theirs.can_fold() == state.can_fold
    low = theirs.min_completion_betting_or_raising_to_amount
    high = theirs.max_completion_betting_or_raising_to_amount
    if low is None or high is None:
        bounds = None
    elif game.no_limit:
        bounds = (low + earlier, high + earlier)
    else:
        assert low == high == state.max_spent - earlier + game.raise_size[state.round]
        bounds = (0, 0)
    assert bounds == state.raise_bounds()


def pokerkit_act(theirs: PokerKitState, state: State, action: Action) -> None:
    """Take our action in PokerKit's state. Raises `ValueError` where PokerKit does not let it be taken."""
    if action.kind == "f":
        theirs.fold()
    elif action.kind == "c":
        theirs.check_or_call()
    else:
        earlier = state.spent[state.actor] - theirs.bets[state.actor]
        fixed = state.max_spent + state.game.raise_size[state.round] if not state.game.no_limit else 0
        theirs.complete_bet_or_raise_to((action.size or fixed) - earlier)


def pokerkit_walk(rng: random.Random) -> State:
    """One hand played in both engines. Asserts the same turns, legal actions and payoffs."""
    game = holdem(rng)
    holes, board = random_deal(game, rng.getrandbits(32))
    theirs, state = pokerkit_state(game), State.start(game)
    deal(theirs, holes, board)
    while not state.finished:
        assert_same_choices(theirs, state)
        action = action_of(choose(rng, legal_ids(state)), game)
        pokerkit_act(theirs, state, action)
        deal(theirs, holes, board)
        state = state.apply(action).with_board(board)
    assert not theirs.status
    assert settle(state, holes) == pytest.approx([float(won) for won in theirs.payoffs], abs=1e-9), (game, state, holes)
    return state


def pokerkit_walks(walks: int, seed: int) -> None:
    rng = random.Random(seed)
    showdowns = raised = 0
    for _ in range(walks):
        state = pokerkit_walk(rng)
        showdowns += state.showdown
        raised += "r" in state.betting
    assert showdowns > walks / 4 and raised > walks / 2


@pytest.mark.timeout(900)
def test_pokerkit_agrees_on_holdem() -> None:
    pokerkit_walks(200, seed=3)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_pokerkit_agrees_on_holdem_at_length() -> None:
    pokerkit_walks(50_000, seed=4)
