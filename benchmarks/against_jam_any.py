"""Exact return of the player `tournament` heads-up against one who jams any two cards, without a card being dealt.

    python benchmarks/against_jam_any.py
    python benchmarks/against_jam_any.py --short 10 15 25 --structure mine.yaml

Against `jam-any` every hand is over before the flop: somebody folds, or both are all-in. So the player's rows for all 1,326
hands and the exact table of hand against hand say how likely each pair of stacks is after every hand, until one has all
chips. The line before the last is a player who folds where going all-in wins fewer chips than folding, and the last one the
best that anybody can do against any two cards.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.dealer.contests.sng_rules import (
    Hand,
    Structure,
    TournamentState,
    load_structure,
    net_chips,
    next_hand,
    settle,
    start,
)
from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import Situation
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.strategy import HandKey, sized_raise
from limpet.strategies.cards.preflop_tables import BOARDS, hand_matrix
from limpet.strategies.players.tournament import PushFold, TournamentPlayer

HERO, JAMMER = 0, 1
MOST_HANDS = 300
LEAST = 1e-12
"""Probability of a pair of stacks below which it is no longer followed."""

Array = NDArray[np.float64]
Play = Callable[[State, Array], dict[Action, Array]]
"""Function that splits hands' probabilities ``[1326]`` in a state over the actions that are taken with them."""
Results = dict[int, float]
"""Probability of each number of net chips of the player."""


@lru_cache(maxsize=1)
def chances() -> tuple[Array, Array]:
    """Return P(win) and P(tie) of each hand against a random one, float64 ``[1326]``."""
    wins, ties = (table.sum(axis=1) / (1225 * BOARDS) for table in hand_matrix())
    return wins, ties


def by_player(options: TournamentPlayer.Options, game: GameDef) -> Play:
    """Return the play of the player `tournament` in one hand."""
    hand = TournamentPlayer(game, options, Path(".")).start_hand(HandKey(1, 0, 0))

    def play(state: State, reach: Array) -> dict[Action, Array]:
        rows = hand.rows(state)
        return dict(zip(rows.actions, rows.dense(np.zeros(1326, np.bool_)) * reach, strict=True))

    return play


def by_chips(state: State, reach: Array) -> dict[Action, Array]:
    """Return the play that wins most chips of one hand against any two cards."""
    if not state.can_fold:
        return {CALL: reach}
    wins, ties = chances()
    most = min(state.game.stack)
    goes_on = 2 * most * (wins + ties / 2) - most > -state.spent[state.actor]
    return {FOLD: reach * ~goes_on, sized_raise(state, "max") or CALL: reach * goes_on}


def results(hero: int, state: State, reach: Array, play: Play) -> Iterator[tuple[int, float]]:
    """Yield the player's net chips in each end of a hand, with its probability."""
    if not state.finished:
        for action, part in (
            play(state, reach) if state.actor == hero else {sized_raise(state, "max") or CALL: reach}
        ).items():
            if part.any():
                yield from results(hero, state.apply(action), part, play)
    elif not state.showdown:
        yield net_chips(state.spent, state.folded, ())[hero], float(reach.sum())
    else:
        assert "/" not in state.betting.strip("/"), "a hand against jam-any ends before the flop"
        wins, ties = chances()
        for rank, share in ((2, wins), (1, ties), (0, 1 - wins - ties)):
            ranks = [1, 1]
            ranks[hero] = rank
            yield net_chips(state.spent, state.folded, ranks)[hero], float(reach @ share)


def hand_results(options: TournamentPlayer.Options | None, hand: Hand) -> Results:
    """Return the results of one hand, by chips where there are no options."""
    found: Results = {}
    play = by_chips if options is None else by_player(options, hand.game)
    for won, probability in results(hand.seats.index(HERO), start(hand.game), np.full(1326, 1 / 1326), play):
        found[won] = found.get(won, 0.0) + probability
    return found


def winning(structure: Structure, options: TournamentPlayer.Options | None) -> tuple[float, float]:
    """Return P(the player wins the tournament), and the mean number of hands. Either player posts first half of the time."""
    stacks = (structure.start_stack,) * 2
    now = {TournamentState(0, stacks, seat, ()): 0.5 for seat in (HERO, JAMMER)}
    known: dict[tuple[object, ...], Results] = {}
    won = hands = 0.0
    for _ in range(MOST_HANDS):
        after: dict[TournamentState, float] = {}
        for standing, probability in now.items():
            hand = next_hand(structure, standing, 0)
            spot: Situation = hand.situation
            key = (hand.game.stack, hand.game.blind, hand.seats, spot.small_blind, spot.big_blind, spot.ante)
            if key not in known:
                known[key] = hand_results(options, hand)
            hands += probability
            for net, share in known[key].items():
                net_by_position = [net if seat == HERO else -net for seat in hand.seats]
                end = settle(standing, hand, net_by_position)
                if end.over:
                    won += probability * share * (end.stacks[HERO] > 0)
                elif probability * share > LEAST:
                    after[end] = after.get(end, 0.0) + probability * share
        now = after
    return won, hands


def most_winnable(structure: Structure) -> float:
    """Return P(win) of the player who plays best for the whole tournament: whoever folds waits for a better hand."""
    wins, ties = chances()

    @cache
    def best(standing: TournamentState) -> float:
        if standing.over:
            return float(standing.stacks[HERO] > 0)
        if standing.hand >= MOST_HANDS:
            return standing.stacks[HERO] / sum(standing.stacks)
        hand = next_hand(structure, standing, 0)
        hero = hand.seats.index(HERO)

        def worth(net: int) -> float:
            return best(settle(standing, hand, [net if p == hero else -net for p in range(2)]))

        most = min(hand.game.stack)
        goes_on = wins * worth(most) + ties * worth(0) + (1 - wins - ties) * worth(-most)
        state = start(hand.game)
        if state.finished or (state.actor == hero and not state.can_fold):
            return float(goes_on.mean())
        return float(np.maximum(goes_on, worth(-hand.game.blind[hero])).mean())

    stacks = (structure.start_stack,) * 2
    return sum(best(TournamentState(0, stacks, seat, ())) for seat in (HERO, JAMMER)) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--structure", default="turbo")
    parser.add_argument("--short", type=float, nargs="+", default=[10.0])
    parser.add_argument("--round", type=float, default=0.5)
    asked = parser.parse_args()
    structure = load_structure(asked.structure, 2)
    pushfold = PushFold.Options(round=asked.round, round_share=0.15, target=0.2, seconds=None)
    print("| player | hands | wins % | ROI % | ROI % without rake |\n|-|-:|-:|-:|-:|", flush=True)
    players = {f"short {short:g}": TournamentPlayer.Options(short=short, pushfold=pushfold) for short in asked.short}
    for name, options in {**players, "most chips of each hand": None}.items():
        won, hands = winning(structure, options)
        print(f"| {name} | {hands:.1f} | {returns(won, structure)} |", flush=True)
    print(f"| best for the whole tournament | | {returns(most_winnable(structure), structure)} |")


def returns(won: float, structure: Structure) -> str:
    """Return the cells of a row: wins, return with rake and without, in %."""
    fair = 2 * won - 1
    return f"{100 * won:.2f} | {100 * (2 * won * (1 - structure.rake) - 1):+.2f} | {100 * fair:+.2f}"


if __name__ == "__main__":
    main()
