"""The betting rules, against the reference dealer's recorded answers and its documented departures."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import IllegalAction, ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import parse_match_state, read_log_state, state_text
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, raise_to
from tests.conftest import VECTORS, vector_folders
from tests.protocol.walks import after, positions

SHIPPED = Path(__file__).parents[2] / "configs" / "games"
NOLIMIT_2P = GameDef.load(SHIPPED / "holdem.nolimit.2p.reverse_blinds.game")
NOLIMIT_3P = GameDef.load(SHIPPED / "holdem.nolimit.3p.game")
LIMIT_2P = GameDef.load(SHIPPED / "holdem.limit.2p.reverse_blinds.game")
LIMIT_3P = GameDef.load(SHIPPED / "holdem.limit.3p.game")
KUHN_3P = GameDef.load(SHIPPED / "kuhn.limit.3p.game")
UNEVEN = GameDef.load(VECTORS / "nolimit.3p.uneven_stacks.game")


def make(**changes: str) -> GameDef:
    """A three-player no-limit hold'em definition with some lines changed (None of them by default)."""
    lines = {
        "betting": "nolimit", "numPlayers": "3", "numRounds": "4", "stack": "1000 1000 1000", "blind": "5 10 0",
        "raiseSize": "10 10 20 20", "firstPlayer": "3 1 1 1", "maxRaises": "255 255 255 255", "numSuits": "4",
        "numRanks": "13", "numHoleCards": "2", "numBoardCards": "0 3 1 1",
    } | changes  # fmt: skip
    betting = lines.pop("betting")
    return GameDef.parse(betting + "\n" + "".join(f"{key} = {value}\n" for key, value in lines.items()))


class Row(NamedTuple):
    game: GameDef
    text: str
    finished: bool
    player: int
    fold: bool
    bounds: tuple[int, int] | None
    values: str


@cache
def recorded(folder: Path) -> list[Row]:
    games: dict[str, GameDef] = {}
    rows = []
    for line in (folder / "states.tsv").read_text().splitlines()[1:]:
        name, text, finished, player, fold, raise_, low, high, values = line.split("\t")
        game = games.setdefault(name, GameDef.load(folder / f"{name}.game"))
        over = finished == "1"
        rows.append(
            Row(
                game=game,
                text=text,
                finished=over,
                player=-1 if over else int(player),
                fold=fold == "1",
                bounds=(int(low), int(high)) if raise_ == "1" else None,
                values=values,
            )
        )
    return rows


@pytest.mark.parametrize("folder", vector_folders(), ids=lambda folder: folder.parent.name)
def test_every_recorded_state_agrees(folder: Path) -> None:
    rows = recorded(folder)
    assert len(rows) > 1000
    for row in rows:
        hand, state, holes, _, end = read_log_state(row.text, row.game)
        assert end == len(row.text)
        assert f"STATE:{hand}:{state_text(state, holes)}" == row.text
        assert (state.finished, state.actor, state.can_fold) == (row.finished, row.player, row.fold), row.text
        assert state.raise_bounds() == row.bounds, row.text
        if state.finished:
            assert ",".join(f"{value:.6f}" for value in settle(state, holes)) == row.values, row.text


# --- whose turn


@pytest.mark.parametrize(
    ("game", "betting", "actor"),
    [
        (NOLIMIT_2P, "", 1),
        (NOLIMIT_2P, "c", 0),
        (NOLIMIT_2P, "cc/", 0),
        (NOLIMIT_2P, "cc/c", 1),
        (NOLIMIT_3P, "", 2),
        (NOLIMIT_3P, "c", 0),
        (NOLIMIT_3P, "cc", 1),
        (NOLIMIT_3P, "ccc/", 0),
        (NOLIMIT_3P, "cfc/", 1),
        (NOLIMIT_3P, "cfc/c", 2),
        (NOLIMIT_3P, "r20000fc///", -1),
        (UNEVEN, "ccc/cr400c", 0),
        (UNEVEN, "ccc/cr400cc/", 0),
        (UNEVEN, "ccc/cr400cc/c", 2),  # position 1 is all in and skipped
        (KUHN_3P, "cc", 2),
        (KUHN_3P, "ccr", 0),
        (KUHN_3P, "ccrff", -1),
    ],
)
def test_next_actor(game: GameDef, betting: str, actor: int) -> None:
    state = after(game, betting)
    assert state.actor == actor
    assert state.betting == betting


def test_a_first_player_who_is_all_in_by_the_blind_is_skipped() -> None:
    game = make(stack="1000 10 1000", firstPlayer="2 2 2 2")
    assert State.start(game).actor == 2
    assert after(game, "cc/").actor == 2


# --- no-limit raise bounds


@pytest.mark.parametrize(
    ("game", "betting", "bounds"),
    [
        (NOLIMIT_2P, "", (200, 20000)),  # twice the largest blind
        (NOLIMIT_2P, "c", (200, 20000)),
        (NOLIMIT_2P, "r300", (500, 20000)),  # 2 * 300 - 100
        (NOLIMIT_2P, "r300r1000", (1700, 20000)),
        (NOLIMIT_2P, "r300c/", (400, 20000)),  # what is spent plus the largest blind
        (NOLIMIT_2P, "r300c/r900", (1500, 20000)),  # a pot-size bet is r900: raise-to counts the whole hand
        (NOLIMIT_2P, "r300c/r900c/", (1000, 20000)),
        (NOLIMIT_2P, "r19900", (20000, 20000)),  # the minimum, 39700, is out of reach: all in is a raise
        (NOLIMIT_2P, "r20000", None),  # the other is all in
        (NOLIMIT_2P, "r19950c/", (20000, 20000)),
        (NOLIMIT_3P, "r20000", None),  # a call is all that the stack allows
        (NOLIMIT_3P, "r20000c", None),
        # The documented departure from the protocol's text: an all-in under-raise leaves the minimum alone.
        (UNEVEN, "r300c", (400, 400)),
        (UNEVEN, "r300cr400", (500, 20000)),
        (UNEVEN, "r300cr400r500", (600, 20000)),
        (UNEVEN, "r350cr400", (600, 20000)),  # 2 * 400 - 350 would be less than the minimum was
        # Blinds and stacks at their corners.
        (make(blind="0 0 0"), "", (1, 1000)),  # nothing posted: at least one chip
        (make(blind="0 0 0"), "ccc/", (1, 1000)),
        (make(blind="0 0 0"), "r7", (14, 1000)),
        (make(blind="0 0 0"), "r7cc/", (8, 1000)),
        (make(blind="10 10 10"), "", (20, 1000)),
        (make(blind="100 3 50"), "", (200, 1000)),
        (make(blind="100 3 50"), "ccc/", (200, 1000)),
        (make(stack="1000 1000 15"), "", (15, 15)),  # 20 is out of reach, 15 exceeds the blind
        (make(stack="1000 1000 10"), "", None),  # all in is a call
        (make(stack="1000 1000 7"), "", None),
        (make(stack="1000 10 1000"), "fc", None),  # everybody else is folded or all in
        (make(stack="1000 10 1000"), "", (20, 1000)),
    ],
)  # fmt: skip
def test_raise_bounds(game: GameDef, betting: str, bounds: tuple[int, int] | None) -> None:
    state = after(game, betting)
    assert state.raise_bounds() == bounds
    if bounds is not None:
        low, high = bounds
        assert state.is_legal(raise_to(low)) and state.is_legal(raise_to(high))
        assert not state.is_legal(raise_to(low - 1)) and not state.is_legal(raise_to(high + 1))
        assert state.apply(raise_to(high)).spent[state.actor] == high
    elif not state.finished:
        assert not any(state.is_legal(raise_to(chips)) for chips in (1, state.max_spent + 1, 1000, 20000))


def test_an_under_raise_reopens_the_betting() -> None:
    state = after(UNEVEN, "r300cr400")
    assert state.actor == 2  # it raised to 300 and was called; casino rules would let it only call or fold
    assert state.raise_bounds() is not None
    assert after(UNEVEN, "r300cr400cc").betting == "r300cr400cc/"


def test_raise_caps_count_the_raises_of_a_round() -> None:
    game = make(maxRaises="2 0 1 255")
    assert after(game, "r20").raise_bounds() == (30, 1000)
    assert after(game, "r20r40").raise_bounds() is None
    assert after(game, "r20r40cc/").raise_bounds() is None
    assert after(game, "r20r40cc/ccc/").raise_bounds() is not None
    assert after(game, "r20r40cc/ccc/r50").raise_bounds() is None
    assert after(game, "r20r40cc/ccc/r50cc/r60r70r80").raise_bounds() is not None


@pytest.mark.parametrize(("game", "raises"), [(NOLIMIT_2P, 63), (NOLIMIT_3P, 62)], ids=["2p", "3p"])
def test_no_raise_after_the_reference_runs_out_of_room_for_actions(game: GameDef, raises: int) -> None:
    # A raise is refused where it and everybody's calls might be more than 64 actions in the round.
    state = State.start(game)._replace(min_raise_to=101)
    for count in range(raises):
        assert state.raise_bounds() is not None, count
        state = state.apply(raise_to(101 + count))._replace(min_raise_to=102 + count)
    assert state.raise_bounds() is None
    while state.round == 0:
        state = state.apply(CALL)
    assert state.raise_bounds() is not None  # the next round counts anew


def test_the_room_for_actions_in_play_by_the_rules() -> None:
    game = make(betting="limit", numPlayers="2", stack="2000 2000", blind="10 5", firstPlayer="2 1 1 1")
    betting = ""
    while (state := after(game, betting)).raise_bounds() is not None:
        betting += "r"
    assert len(betting) == 63
    assert state.apply(CALL).round == 1


# --- limit


def test_limit_raises_are_fixed() -> None:
    state = after(LIMIT_2P, "rrr")
    assert (state.max_spent, state.spent) == (40, (30, 40))
    assert state.raise_bounds() is None  # the cap before the flop is 3
    state = after(LIMIT_2P, "rrrc/rrrr")
    assert state.spent == (70, 80)
    assert state.raise_bounds() is None
    assert after(LIMIT_2P, "rrrc/rrrrc/r").spent == (100, 80)
    assert State.start(LIMIT_2P).raise_bounds() == (0, 0)
    assert not State.start(LIMIT_2P).is_legal(raise_to(20))


def test_limit_raises_are_capped_at_the_stack() -> None:
    game = make(betting="limit", stack="1000 14 1000")
    state = after(game, "cc")
    assert state.actor == 1
    assert state.raise_bounds() == (0, 0)
    state = state.apply(RAISE)
    assert state.spent == (10, 14, 10)
    assert after(game, "ccrr").max_spent == 24  # the next raise is a whole one again
    assert after(game, "ccrcc").round == 1


def test_a_limit_raise_from_a_stack_below_the_bet_lowers_the_bet() -> None:
    # The reference does not ask whether the stack exceeds the bet, and caps the new bet at the stack.
    game = make(betting="limit", stack="1000 14 1000")
    state = after(game, "rr")
    assert (state.actor, state.max_spent) == (1, 30)
    state = state.apply(RAISE)
    assert (state.max_spent, state.spent) == (14, (30, 14, 20))
    assert state.to_call == -6
    assert state.can_fold
    assert after(game, "rrrcc").spent == (14, 14, 14)


# --- folding and calling


@pytest.mark.parametrize(
    ("game", "betting", "can_fold"),
    [
        (NOLIMIT_2P, "", True),
        (NOLIMIT_2P, "c", False),  # the big blind has nothing to call
        (NOLIMIT_2P, "cc/", False),
        (NOLIMIT_2P, "cc/r200", True),
        (NOLIMIT_2P, "f", False),
        (KUHN_3P, "", False),  # antes are even
        (KUHN_3P, "ccr", True),
    ],
)
def test_folding_needs_something_to_call(game: GameDef, betting: str, can_fold: bool) -> None:
    state = after(game, betting)
    assert state.can_fold is can_fold
    assert state.is_legal(FOLD) is can_fold


def test_a_call_is_capped_at_the_stack() -> None:
    state = after(UNEVEN, "r1000f")
    assert state.to_call == 300
    state = state.apply(CALL)
    assert state.spent == (50, 400, 1000)
    assert state.betting == "r1000fc///"


def test_to_call() -> None:
    assert State.start(NOLIMIT_2P).to_call == 50
    assert after(NOLIMIT_2P, "c").to_call == 0
    assert after(NOLIMIT_2P, "r20000").to_call == 19900
    assert after(NOLIMIT_2P, "f").to_call == 0


# --- the ends of rounds and hands


@pytest.mark.parametrize(
    ("game", "betting", "showdown"),
    [
        (NOLIMIT_2P, "f", False),
        (NOLIMIT_2P, "cc/cc/cc/cc", True),
        (NOLIMIT_2P, "cc/cc/cc/r200f", False),
        (NOLIMIT_2P, "r20000c///", True),
        (NOLIMIT_2P, "cc/r20000c//", True),
        (NOLIMIT_2P, "cc/cc/cc/r20000c", True),
        (NOLIMIT_3P, "ff", False),
        (NOLIMIT_3P, "r20000cc///", True),
        (NOLIMIT_3P, "r20000fc///", True),
        (UNEVEN, "r20000cf///", True),
        (UNEVEN, "cr16471cf///", True),
        (UNEVEN, "r20000cc///", True),
        (KUHN_3P, "ccc", True),
        (KUHN_3P, "crfc", True),
        # One player may still act, but there is nobody to bet against.
        (make(stack="1000 10 1000"), "ff", False),
        (make(stack="1000 10 1000"), "fc///", True),
        (make(stack="10 10 1000"), "cc///", True),
        (make(stack="5 10 1000"), "c///", True),
        (make(numPlayers="2", stack="100 1000", blind="100 100", firstPlayer="1 1 1 1"), "c///", True),
    ],
)  # fmt: skip
def test_how_hands_end(game: GameDef, betting: str, showdown: bool) -> None:
    state = after(game, betting)
    assert state.finished
    assert state.showdown is showdown
    assert state.betting == betting  # the slashes of skipped rounds are written at once
    assert state.round == (game.num_rounds - 1 if showdown else betting.count("/"))
    assert not state.can_fold and state.raise_bounds() is None
    for action in (FOLD, CALL, RAISE, raise_to(1000)):
        with pytest.raises(IllegalAction, match="the hand is over"):
            state.apply(action)


def test_a_player_who_is_not_all_in_is_asked_to_call_an_all_in() -> None:
    state = after(UNEVEN, "cr16471c")  # the caller is all in for 400
    assert state.actor == 2
    assert state.raise_bounds() == (20000, 20000)


# --- values


def test_states_are_values() -> None:
    start = State.start(NOLIMIT_2P)
    copy = State(*start)
    raised = start.apply(raise_to(300))
    assert start == copy and hash(start) == hash(copy)
    assert raised == after(NOLIMIT_2P, "r300") and raised != start
    assert raised.parent is start and raised.action == raise_to(300)
    assert [state.betting for state in raised.apply(CALL).path()] == ["", "r300", "r300c/"]
    assert raised != start.apply(raise_to(301))
    assert start != State.start(NOLIMIT_3P)
    assert start != "anything else"
    with pytest.raises(AttributeError):
        start.actor = 0  # type: ignore[misc]


def test_a_hand_called_down_is_dealt_and_ends() -> None:
    board = parse_cards("2c3c4c5c6c")
    line = list(State.start(NOLIMIT_2P).called_down(board))
    assert [state.betting for state in line] == ["", "c", "cc/", "cc/c", "cc/cc/", "cc/cc/c", "cc/cc/cc/", "cc/cc/cc/c"]
    assert [len(state.board) for state in line] == [0, 0, 3, 3, 4, 4, 5, 5]
    short = replace(NOLIMIT_2P, stack=(20000, 100))
    assert [state.betting for state in State.start(short).called_down()] == ["", "c"]
    assert not list(line[-1].apply(CALL).called_down())


def test_states_read_from_a_line_equal_states_played() -> None:
    match = parse_match_state("MATCHSTATE:0:7:cc/r200:AsKd|/2c3c4c", NOLIMIT_2P)
    assert match.state == after(NOLIMIT_2P, "cc/r200").with_board(match.state.board)
    assert match.state != after(NOLIMIT_2P, "cc/r200").with_board((0, 4, 12))


def test_with_board_shows_the_cards_of_the_round() -> None:
    board = (0, 4, 8, 12, 16)
    assert after(NOLIMIT_2P, "").with_board(board).board == ()
    assert after(NOLIMIT_2P, "cc/").with_board(board).board == (0, 4, 8)
    assert after(NOLIMIT_2P, "r20000c///").with_board(board).board == board


@pytest.mark.parametrize(
    ("betting", "action", "said"),
    [
        ("", raise_to(199), "r199 is not legal after '': position 1 may play f, c, r200 to r20000"),
        ("c", FOLD, "f is not legal after 'c': position 0 may play c, r200 to r20000"),
        ("r20000", raise_to(20001), "r20001 is not legal after 'r20000': position 0 may play f, c"),
        ("", Action("c", 5), "position 1 may play"),
        ("", Action("x"), "x is not legal"),
    ],
)
def test_illegal_actions_are_told_with_what_is_legal(betting: str, action: Action, said: str) -> None:
    with pytest.raises(IllegalAction) as error:
        after(NOLIMIT_2P, betting).apply(action)
    assert said in str(error.value)
    assert isinstance(error.value, ProtocolError)


# --- what the dealer makes of a bad action


@pytest.mark.parametrize(
    ("game", "betting", "action", "fixed"),
    [
        (NOLIMIT_2P, "", raise_to(199), raise_to(200)),
        (NOLIMIT_2P, "", raise_to(-5), raise_to(200)),
        (NOLIMIT_2P, "", raise_to(0), raise_to(200)),
        (NOLIMIT_2P, "", raise_to(20001), raise_to(20000)),
        (NOLIMIT_2P, "", raise_to(1215752191), raise_to(20000)),
        (NOLIMIT_2P, "", raise_to(777), raise_to(777)),
        (NOLIMIT_2P, "", FOLD, FOLD),
        (NOLIMIT_2P, "", Action("f", 7), FOLD),
        (NOLIMIT_2P, "", Action("c", 7), CALL),
        (NOLIMIT_2P, "c", FOLD, CALL),
        (NOLIMIT_2P, "r20000", raise_to(20000), CALL),
        (NOLIMIT_2P, "", Action("x"), CALL),
        (NOLIMIT_2P, "", Action(""), CALL),
        (LIMIT_3P, "", raise_to(300), RAISE),
        (LIMIT_2P, "rrr", RAISE, CALL),
    ],
)
def test_fixing(game: GameDef, betting: str, action: Action, fixed: Action) -> None:
    state = after(game, betting)
    assert state.fixed(action) == fixed
    assert state.is_legal(fixed)


# --- properties of any game


@given(positions(), st.sampled_from("fcrx"), st.integers(-(2**31), 2**31 - 1))
def test_a_fixed_action_is_legal_and_a_legal_one_is_left_alone(
    position: tuple[State, object], kind: str, size: int
) -> None:
    state, _ = position
    if state.finished:
        return
    action = Action(kind, size if kind == "r" else 0)
    fixed = state.fixed(action)
    assert state.is_legal(fixed)
    if state.is_legal(action):
        assert fixed == action


@given(positions())
def test_invariants(position: tuple[State, object]) -> None:
    state, _ = position
    game = state.game
    for step in state.path():
        assert all(0 <= chips <= stack for chips, stack in zip(step.spent, game.stack, strict=True))
        if game.no_limit or len(set(game.stack)) == 1:
            assert step.max_spent == max(step.spent)
        assert step.betting.count("/") == step.round
        assert step.pot == sum(step.spent)
        if step.finished:
            assert step is state
            continue
        assert step.spent[step.actor] < game.stack[step.actor] and not step.has_folded(step.actor)
        assert step.is_legal(CALL)
        assert step.is_legal(FOLD) == (step.spent[step.actor] != step.max_spent)
        paid = step.apply(CALL).spent[step.actor] - step.spent[step.actor]
        assert paid == step.to_call
        bounds = step.raise_bounds()
        if bounds is not None and game.no_limit:
            assert step.max_spent < bounds[0] <= bounds[1] == game.stack[step.actor]
    assert not state.showdown or state.remaining > 1
    assert after(game, state.betting) == state.with_board(())._replace(board=())


@pytest.mark.parametrize(
    "game",
    [
        NOLIMIT_2P,
        LIMIT_3P,
        UNEVEN,
        GameDef.load(SHIPPED / "draw5-pl-hu.game"),
        GameDef.load(SHIPPED / "omaha-pl-hu.game"),
    ],
)
def test_the_legal_actions_are_all_that_are_legal(game: GameDef) -> None:
    """Every action in reach is asked for in the states of a hand in which everybody raises as little as possible."""
    state = State.start(game)
    sizes = range(max(game.stack) + 2) if game.no_limit else [0]
    wanted = [FOLD, CALL, *(Action("r", size) for size in sizes), *(Action("d", count) for count in range(7))]
    for _ in range(12):
        found = state.legal_actions()
        assert list(found) == [action for action in wanted if state.is_legal(action)]
        if state.finished:
            break
        state = state.apply(found[min(2, len(found) - 1)])
    assert after(KUHN_3P, "ccc").legal_actions() == ()
