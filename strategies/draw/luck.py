"""AIVAT for heads-up draw poker: winnings with the luck of the deal, of drawn cards and of known players' choices taken out.

A correction is the mean of a value over all that might have happened, less the value of what did happen; its expectation is
0 whatever the values are (`aivat` has the paper). Unlike there, only the hands that were held share in a result, because a
draw's hands are too many to sum over: 2,598,960 of each player.

The value of a state is the chips that a showdown would move, by the ranks that both hands may have then. A player who is
still to draw is taken to draw once more, as player `formula` does; in the very draw that is corrected, the cards that come
are final. Before the deal both players win nothing on average, because the value looks at their hands alone.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.draws import exchange
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import settle_ranks
from limpet.protocol.state import Action, State
from limpet.strategies.base.records import ColumnSource, PlayedRow
from limpet.strategies.cards.ranking_kernels import NUM_RANKS, rank_batch
from limpet.strategies.holdem.luck.aivat import Corrected, check_holes
from limpet.strategies.players.formula import thrown_away

ColumnSources = Mapping[int, ColumnSource]
Cards = tuple[int, ...]
Outlook = NDArray[np.float64]
"""float64 ``[rank]``: probability of each rank that a hand may have at the showdown."""


@lru_cache(maxsize=16)
def _choices(cards: int, count: int) -> NDArray[np.int8]:
    """Return int8 ``[choice, count]``: all sets of `count` of the numbers below `cards`."""
    return np.array(list(combinations(range(cards), count)), np.int8)


def outlook(kept: Cards, count: int, rest: Cards) -> Outlook:
    """Return the outlook of a hand that keeps some cards and draws `count` cards out of `rest`, all sets equally likely."""
    new = np.array(rest, np.int8)[_choices(len(rest), count)]
    hands = np.concatenate([np.tile(np.array(kept, np.int8), (len(new), 1)), new], axis=1)
    return np.bincount(rank_batch(np.ascontiguousarray(hands)), minlength=NUM_RANKS) / len(hands)


def edge(mine: Outlook, other: Outlook) -> float:
    """Return the probability that one outlook wins, less that it loses. Cards that both might draw are not told apart."""
    return float(mine @ _edges_of_ranks(other))


def _edges_of_ranks(other: Outlook) -> NDArray[np.float64]:
    """Return float64 ``[rank]``: the edge that a hand of each rank has."""
    return 2 * np.cumsum(other) - other - 1


class DrawValues:
    """The value function of heads-up draw poker, with `weights` of the luck of the deal and of drawn cards, float64 ``[2]``.

    A showdown now moves fewer chips than the hand will in the end. The weights say by which factor luck counts for more than
    that; they are 1 at first, and `learn` fits them to the hands before. Any weights leave the estimate unbiased.
    """

    def __init__(self, game: GameDef) -> None:
        """Raise `ValueError` for more than two players."""
        if game.num_players != 2:
            raise ValueError(
                f"luck is taken out of draw poker for two players, and {game.num_players} play here; the raw result of "
                "limpet match is what there is"
            )
        self.game = game
        self.weights: NDArray[np.float64] = np.ones(2)
        self._products, self._targets = np.zeros((2, 2)), np.zeros(2)

    def learn(self, hands: Sequence[tuple[HandRecord, int]]) -> None:
        """Fit the weights to all hands learned from so far, each with the position that is evaluated, by least squares."""
        for record, position in hands:
            raw = _corrections(record, position, self, {})
            luck = -np.array([raw.deal, sum(raw.cards)])
            self._products += np.outer(luck, luck)
            self._targets += luck * record.values[position]
        self.weights = np.asarray(np.linalg.lstsq(self._products, self._targets, rcond=None)[0], np.float64)

    def hand_outlook(self, hand: Cards, draws: bool, rest: Cards) -> Outlook:
        """Return the outlook of a hand; `draws` says that it is taken to draw once, by the rule."""
        kept: Cards = tuple(sorted(hand))
        if draws:
            thrown = thrown_away(np.array([kept], np.int8), self.game)[0]
            kept = tuple(card for card, out in zip(kept, thrown, strict=True) if not out)
        return outlook(kept, len(hand) - len(kept), rest)

    def edges(self, hands: Sequence[Cards], draws: bool, rest: Cards) -> tuple[float, float]:
        """Return the edge of each position, who are both still to draw, or both not."""
        first = edge(*(self.hand_outlook(hand, draws, rest) for hand in hands))
        return first, -first


def aivat_of_draws(record: HandRecord, position: int, values: DrawValues, sources: ColumnSources) -> Corrected:
    """Return the corrected result of `position` in a finished hand of draw poker with everybody's cards.

    Arguments and errors are those of `aivat.aivat`. Without sources only the luck of the cards is taken out.
    """
    plain = _corrections(record, position, values, sources)
    deal, drawn = values.weights.tolist()
    return plain._replace(deal=deal * plain.deal, cards=tuple(drawn * part for part in plain.cards))


def _corrections(record: HandRecord, position: int, values: DrawValues, sources: ColumnSources) -> Corrected:
    """Return the outcome of a hand and its corrections, with weights of 1."""
    check_holes(record)
    game = values.game
    cards, actions = np.zeros(game.num_rounds), np.zeros((2, game.num_rounds))
    rest = tuple(sorted(game.card_set.difference(*record.holes)))
    edges: tuple[float, float] | None = values.edges(record.holes, True, rest)
    assert edges is not None
    deal = -game.big_blind * edges[position]
    for state, action, hands in record.decisions():
        actor = state.actor
        sign = 1 if actor == position else -1
        row = sources[actor].column(record.hand, state, actor, hands[actor], action) if actor in sources else None
        if state.phase is DRAW:
            drawn = exchange(record.holes, record.draws, state.round, actor)
            choice, came = _draw_corrections(state, action, hands, drawn.hand, values, rest, row)
            cards[state.round] += sign * came
            actions[actor, state.round] += sign * choice
            rest = tuple(card for card in rest if card not in drawn.new)
            edges = None
        elif row is not None and len(row.actions) > 1:
            if edges is None:
                edges = values.edges(hands, any(game.num_draws[state.round + 1 :]), rest)
            results = [_value_after(state.apply(each), position, edges[position]) for each in row.actions]
            actions[actor, state.round] += row.probabilities @ results - results[row.chosen]
    own, others = actions[position], actions[1 - position]
    parts = (tuple(part.tolist()) for part in (cards, own, others))
    return Corrected(record.values[position], deal, *parts)


def _value_after(state: State, position: int, edge: float) -> float:
    """Return the value of a state of the betting: exact after a fold, else the chips that a showdown would move."""
    if state.remaining == 1:
        return settle_ranks(state.spent, state.folded, ())[position]
    return min(state.spent) * edge


def _draw_corrections(
    state: State, action: Action, hands: Sequence[Cards], after: Cards, values: DrawValues, rest: Cards,
    row: PlayedRow | None,
) -> tuple[float, float]:  # fmt: skip
    """Return the corrections of a draw in chips of the player who draws: for the discards chosen, and for the cards that came.

    after: the hand after the draw. row: how the player chose the discards, None where that is not known.
    """
    hand, chips = hands[state.actor], min(state.spent)
    edges = _edges_of_ranks(values.hand_outlook(hands[1 - state.actor], state.actions == 0, rest))

    def mean(discards: Cards) -> float:
        kept = tuple(card for card in hand if card not in discards)
        return chips * float(outlook(kept, len(discards), rest) @ edges)

    expected = mean(action.cards)
    choice = 0.0
    if row is not None:
        choice = sum(p * mean(each.cards) for p, each in zip(row.probabilities, row.actions, strict=True) if p > 0)
        choice -= expected
    return choice, expected - chips * float(outlook(after, 0, rest) @ edges)
