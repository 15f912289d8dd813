"""Sit-and-goes with true antes: all-in or fold goes as with antes in the blinds, and prices, pots and prizes are the same."""

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.dealer.contests.sng_rules import (
    Level,
    Structure,
    TournamentState,
    net_chips,
    next_hand,
    settle,
    start,
)
from limpet.dealer.table.deals import Deals
from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import rank_hands
from limpet.protocol.settlement import settle as fractional
from limpet.protocol.situation import Situation, definition_text, game_of
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.shortstacks.decisions import table_spot

FOLDED = Structure(name="test", start_stack=100, levels=[Level(9, 10, 20, 4)], payouts=[50, 30, 20])
TRUE = msgspec.structs.replace(FOLDED, true_antes=True)


def played(
    structure: Structure, standing: TournamentState, choices: list[int], seed: int
) -> tuple[GameDef, State, TournamentState]:
    """Return a hand in which everybody folds, calls or goes all-in, and the tournament after it."""
    hand = next_hand(structure, standing, 0)
    state, cards = start(hand.game), next(Deals(next_hand(FOLDED, standing, 0).game, seed))
    for choice in choices * 20:
        if state.finished:
            break
        if choice == 0 and state.can_fold:
            state = state.apply(FOLD)
        elif choice == 2 and state.raise_bounds():
            state = state.apply(raise_to(hand.game.stack[state.actor]))
        else:
            state = state.apply(CALL)
    state = state.with_board(cards.board)
    ranks = rank_hands(cards.holes, state.board) if state.showdown else ()
    won = net_chips(state.paid, state.folded, ranks)
    values = fractional(state, cards.holes)
    assert all(abs(chips - value) < len(won) for chips, value in zip(won, values, strict=True))
    return hand.game, state, settle(standing, hand, won)


@given(
    st.lists(st.integers(1, 150), min_size=3, max_size=6),
    st.lists(st.integers(0, 2), min_size=1, max_size=8),
    st.integers(0, 2**32 - 1),
)
def test_all_in_call_or_fold_ends_alike_whatever_antes_are(stacks: list[int], choices: list[int], seed: int) -> None:
    standing = TournamentState(0, tuple(stacks), 1, ())
    folded, before, expected = played(FOLDED, standing, choices, seed)
    game, state, after = played(TRUE, standing, choices, seed)
    assert after == expected and state.pot == before.pot
    assert game.starting_stack == folded.stack and not folded.dead
    assert table_spot(game) == table_spot(folded)


def test_the_comment_of_a_hand_says_that_its_antes_are_true() -> None:
    hand = next_hand(TRUE, TournamentState(0, (100, 3, 60), 1, ()), 5)
    game = hand.game
    assert game.dead == (4, 3, 4) and sorted(game.blind) == [0, 0, 10] or game.min_bet == 20
    line = str(hand.situation)
    assert line.endswith(" antes=dead") and Situation.parse(line) == hand.situation == Situation.of(game)
    assert game_of(hand.situation) == game == GameDef.parse(definition_text(game))
    assert not str(next_hand(FOLDED, TournamentState(0, (100, 3, 60), 1, ()), 5).situation).endswith("dead")


def test_a_game_with_antes_of_its_own_has_a_situation() -> None:
    game = game_of(Situation(0, 0, 0, 10, 20, 4, (100, 90, 60), (0, 1, 2), (1.0, 0.0, 0.0), true_antes=True))
    alone = Situation.of(replace(game, comments=()))
    assert (alone.small_blind, alone.big_blind, alone.ante, alone.stacks) == (10, 20, 4, (100, 90, 60))
    assert table_spot(replace(game, comments=())) == table_spot(game)


def test_a_smaller_raise_is_legal_than_with_antes_in_the_blinds() -> None:
    standing = TournamentState(0, (100, 100, 100), 1, ())
    bounds = [State.start(next_hand(structure, standing, 0).game).raise_bounds() for structure in (FOLDED, TRUE)]
    assert bounds == [(48, 100), (40, 96)]


@pytest.mark.parametrize("structure", [FOLDED, TRUE])
def test_a_structure_without_the_switch_prints_none(structure: Structure) -> None:
    assert ("true_antes" in msgspec.to_builtins(structure)) == (structure is TRUE)
