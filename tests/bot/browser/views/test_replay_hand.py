"""A hand as the page shows it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.bot.browser.views.replay import _choice, hand_view, pot_views
from limpet.configs.loading import load_game
from limpet.protocol.messages import parse_match_state, parse_state
from limpet.protocol.situation import holdem
from limpet.protocol.state import CALL, FOLD, State, raise_to

THREE = holdem((400, 1_000, 2_000), (50, 100, 0))


def test_sizes_are_those_of_the_street() -> None:
    match = parse_match_state("MATCHSTATE:2:7:r300cc/cr500:||AsKd/2c3c4c", holdem((20_000,) * 3, (50, 100, 0)))
    view = hand_view(match, ["You", "A", "B"])
    assert (view["hand"], view["street"], view["pot"], view["board"]) == (7, 1, 1_100, ["2c", "3c", "4c"])
    choice = view["choice"]
    assert choice is not None
    # The others have put 300 in before the flop, and 200 more on it.
    assert [choice[key] for key in ("call", "to", "low", "high", "base")] == [200, 200, 400, 19_700, 300]
    assert choice["pot"] == 1_300 and choice["fold"] and choice["raises"] and not choice["fixed"]
    assert [player["bet"] for player in view["players"]] == [0, 0, 200]
    assert [player["button"] for player in view["players"]] == [True, False, False]
    assert [(action["place"], action["kind"], action["to"]) for action in view["actions"][-2:]] == [
        (1, "c", 0),
        (2, "r", 200),
    ]
    assert [action["opens"] for action in view["actions"] if action["kind"] == "r"] == [False, True]


def test_pots_are_cut_where_somebody_is_all_in_and_cards_are_shown_at_the_end() -> None:
    line = "MATCHSTATE:0:0:r1000cr400:AsKd||"
    with pytest.raises(ValueError, match="not legal"):
        parse_match_state(line, THREE)
    match = parse_match_state("MATCHSTATE:0:0:r1000cc///:AsKd|QsQd|JsJd/2c3c4c/5c/7h", THREE)
    view = hand_view(match, ["You", "A", "B"])
    assert [(pot["chips"], pot["places"]) for pot in view["pots"]] == [(1_200, [0, 1, 2]), (1_200, [1, 2])]
    assert view["over"] and view["showdown"] and all(player["cards"] for player in view["players"])
    # The ace makes a straight with the board, and the queens win the side pot.
    assert [player["won"] for player in view["players"]] == pytest.approx([800.0, 200.0, -1_000.0])
    assert [player["after"] for player in view["players"]] == pytest.approx([1_200.0, 1_200.0, 1_000.0])
    assert [player["made"] for player in view["players"]] == [
        "a straight, Ace to Five",
        "a pair of Queens",
        "a pair of Jacks",
    ]
    assert sorted(view["players"][0]["best"]) == ["2c", "3c", "4c", "5c", "As"]


def test_only_hands_that_are_shown_down_are_named() -> None:
    folded = parse_match_state("MATCHSTATE:0:0:r1000fc///:AsKd||JsJd/2c3c4c/5c/7h", THREE)
    made = [(player["made"], player["best"]) for player in hand_view(folded, ["You", "A", "B"])["players"]]
    assert made[1] == ("", []) and made[2][0] == "a pair of Jacks"
    over = parse_match_state("MATCHSTATE:0:0:r1000ff:AsKd||", THREE)
    assert [player["made"] for player in hand_view(over, ["You", "A", "B"])["players"]] == ["", "", ""]


def test_unequal_bets_make_no_pots() -> None:
    match = parse_match_state("MATCHSTATE:2:0::||AsKd", THREE)
    assert hand_view(match, ["You", "A", "B"])["pots"] == []


def test_a_shove_that_nobody_has_called_makes_no_side_pot() -> None:
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    match = parse_match_state(f"MATCHSTATE:0:0:r{game.stack[1]}:AsKd|", game)
    assert hand_view(match, ["You", "A"])["pots"] == []


@given(st.lists(st.integers(0, 9), max_size=14))
def test_the_parts_of_a_pot_add_up_to_it(choices: list[int]) -> None:
    """Side pots are there exactly if somebody who has not folded is all-in for less than another has put in."""
    state = State.start(THREE)
    for choice in choices:
        if state.finished:
            break
        bounds = state.raise_bounds()
        raises = [] if bounds is None else [raise_to(size) for size in bounds]
        state = state.apply([*([FOLD] if state.can_fold else []), CALL, CALL, *raises][choice % (3 + len(raises)) - 1])
        parts = pot_views(state)
        assert not parts or sum(part["chips"] for part in parts) == state.pot
        is_short = [
            state.spent[p] == THREE.stack[p] and state.spent[p] < max(state.spent) and not state.has_folded(p)
            for p in range(3)
        ]
        assert bool(parts) == any(is_short)
        assert all(set(later["places"]) <= set(part["places"]) for part, later in pairwise(parts))


@pytest.mark.parametrize(
    ("game", "betting", "opens", "all_in"),
    [
        ("holdem.nolimit.2p.reverse_blinds", "", False, True),
        ("holdem.nolimit.2p.reverse_blinds", "c", False, True),
        ("holdem.nolimit.2p.reverse_blinds", "cc/", True, True),
        ("leduc.nolimit.2p", "", True, True),
        ("leduc.nolimit.2p", "r200", False, True),
        ("kuhn.limit.2p", "", True, False),
        ("draw5-pl-hu", "", False, False),
    ],
)
def test_a_choice_says_whether_a_raise_is_a_bet_and_may_be_all_in(
    game: str, betting: str, opens: bool, all_in: bool
) -> None:
    choice = _choice(parse_state(betting, load_game(game), "2c3c4c" if "/" in betting else ""))
    assert (choice["opens"], choice["high"] == choice["stack"] > 0) == (opens, all_in)
