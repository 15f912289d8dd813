"""AIVAT of draw poker: every correction is 0 on average over all hands of a small game, whatever the weights."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.draws import Hands
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, Action, State, discard, raise_to
from limpet.strategies.base.records import PlayedRow
from limpet.strategies.draw import luck
from limpet.strategies.draw.luck import DrawValues, aivat_of_draws, edge, outlook

TINY = load_game("draw5-tiny")


class Mixing:
    """A player of draw5-tiny who mixes all actions before the draw and all discards in it, and then checks and calls."""

    def chances(self, state: State, hand: Hole) -> dict[Action, float]:
        if state.phase is DRAW:
            return {discard(()): 0.5, discard((min(hand),)): 0.375, discard((max(hand),)): 0.125}
        if state.round:
            return {CALL: 1.0}
        actions = [CALL, *([FOLD] if state.can_fold else []), *map(raise_to, state.raise_sizes() or ())]
        share = (1 + max(hand)) / 60  # mixes by its cards
        return {action: 1 - share if action == CALL else share / (len(actions) - 1) for action in actions}

    def column(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        chances = self.chances(state, hole)
        return PlayedRow(tuple(chances), np.array(list(chances.values())), list(chances).index(action))


class Plain(Mixing):
    """A player of draw5-tiny who checks and calls, and draws one card to its higher one."""

    def chances(self, state: State, hand: Hole) -> dict[Action, float]:
        return {discard((min(hand),)) if state.phase is DRAW else CALL: 1.0}


def hands_of(players: tuple[Mixing, Mixing]) -> Iterator[tuple[float, HandRecord]]:
    """Yield every hand that the players may play, with its probability."""
    deals = []
    for first in combinations(TINY.deck, 2):
        left = [card for card in TINY.deck if card not in first]
        for second in combinations(left, 2):
            deals += [(first, second, stub) for stub in permutations(card for card in left if card not in second)]
    for first, second, stub in deals:
        lines = [(1 / len(deals), State.start(TINY), Hands((first, second), stub))]
        while lines:
            chance, state, hands = lines.pop()
            if state.finished:
                values = settle(state, hands.now)
                yield chance, HandRecord(0, state, hands.dealt, values, ("a", "b"), hands.draws)
                continue
            for action, part in players[state.actor].chances(state, hands.now[state.actor]).items():
                lines.append((chance * part, state.apply(action), hands.after(state, action)))


@pytest.fixture
def few_outlooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the outlooks: thousands of hands of a small deck come back to a few of them."""
    monkeypatch.setattr(luck, "outlook", cache(outlook))
    monkeypatch.setattr(DrawValues, "hand_outlook", cache(DrawValues.hand_outlook))


@pytest.mark.usefixtures("few_outlooks")
@pytest.mark.parametrize("position", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_all_corrections_are_0_on_average(position: int) -> None:
    players = (Mixing(), Plain()) if position == 0 else (Plain(), Mixing())
    values = DrawValues(TINY)
    values.weights = np.array([2.5, 0.5])
    total, means, raw, spread = 0.0, np.zeros(6), 0.0, np.zeros(2)
    for chance, record in hands_of(players):
        found = aivat_of_draws(record, position, values, dict(enumerate(players)))
        other = aivat_of_draws(record, 1 - position, values, {})
        assert other.deal == pytest.approx(-found.deal) and sum(other.cards) == pytest.approx(-sum(found.cards))
        parts = [found.outcome, found.deal, sum(found.cards), sum(found.own), sum(found.others), found.value]
        assert found.others == (0, 0) and other.own == other.others == (0, 0)
        total += chance
        means += chance * np.array(parts)
        raw += chance * record.values[position]
        spread += chance * np.array([record.values[position] ** 2, found.value**2])
    assert total == pytest.approx(1)
    assert means == pytest.approx([raw, 0, 0, 0, 0, raw], abs=1e-9)


@pytest.mark.usefixtures("few_outlooks")
def test_corrections_are_not_nothing_and_weights_are_learnt() -> None:
    values = DrawValues(TINY)
    hands = list(hands_of((Plain(), Plain())))
    records = [record for _, record in hands]

    def spread() -> float:
        return float(np.std([aivat_of_draws(record, 0, values, {}).value for record in records]))

    raw = float(np.std([record.values[0] for record in records]))
    assert spread() < 0.9 * raw
    before = spread()
    values.learn([(record, 0) for record in records])
    assert spread() < before and (values.weights > 0).all()


def test_outlooks_and_edges() -> None:
    deck = load_game("draw5-pl-hu").deck
    flush, pair = parse_cards("AhKh9h5h"), parse_cards("2c2d")
    rest = tuple(sorted(set(deck) - {*flush, *pair, *parse_cards("Qs7c6d3s")}))
    drawn = outlook(flush, 1, rest)
    assert drawn.sum() == pytest.approx(1) and len(rest) == 42
    made = outlook(parse_cards("AhKh9h5h2h"), 0, ())
    assert drawn[8226:].sum() == pytest.approx(9 / 42)  # nine hearts are left
    assert edge(made, drawn) == pytest.approx(-edge(drawn, made)) and edge(made, made) == 0
    pairs = outlook(pair, 3, rest)
    assert edge(pairs, drawn) == pytest.approx(-edge(drawn, pairs)) and -1 < edge(pairs, drawn) < 1


def test_more_than_two_players_are_refused() -> None:
    text = str(load_game("draw5-pl-hu"))
    three = GameDef.parse(
        text.replace("numPlayers = 2", "numPlayers = 3")
        .replace("30000 30000", "30000 30000 30000")
        .replace("100 50", "50 100 0")
        .replace("firstPlayer = 2 1", "firstPlayer = 3 1")
    )
    with pytest.raises(ValueError, match="for two players, and 3 play here"):
        DrawValues(three)
