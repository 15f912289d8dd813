"""The private cards of a game with draws: which cards a player threw away, which came, and which it holds now.

A new card takes the place of the one that was thrown away. What a draw did to a hand is written as a *section*: the hand
from the first place that changed to its end, so that it replaces the end of the hand before. A section is empty for a
player who stood pat, has not drawn yet, or must not be seen.

>>> from limpet.protocol.cards import cards_text, parse_cards
>>> cards_text(hand_after(parse_cards("KcKhTsTh7s"), [parse_cards("TdTh7s")]))  # Ts was exchanged for Td
'KcKhTdTh7s'
"""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from limpet.protocol.cards import cards_text
from limpet.protocol.errors import GameDefError, IllegalAction, ProtocolError
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.state import Action, State

Cards = tuple[int, ...]
Draws = tuple[tuple[Cards, ...], ...]
"""Sections by round of the hand from the second on, then by position. The entry of a round without a draw is empty."""


def hand_after(hole: Cards, sections: Iterable[Cards]) -> Cards:
    """Return a player's hand after draws, from the cards it was dealt and its sections in order."""
    for section in sections:
        hole = hole[: len(hole) - len(section)] + section
    return hole


def sections_of(draws: Draws, position: int) -> list[Cards]:
    """Return the sections of one position, in order."""
    return [sections[position] for sections in draws if sections]


def hands_after(holes: Sequence[Cards], draws: Draws) -> tuple[Cards, ...]:
    """Return everybody's hand after the draws; a hand that is hidden stays empty."""
    if not draws:
        return tuple(holes)
    return tuple(hand_after(hole, sections_of(draws, position)) for position, hole in enumerate(holes))


def may_run_out(game: GameDef) -> bool:
    """Return whether draws may need more cards than the deck has, so that discards and folded cards are dealt again."""
    return game.num_hole_cards * game.num_players + game.most_drawn > len(game.deck)


def require_enough_cards(game: GameDef, source: str = "game definition") -> None:
    """Raise `GameDefError` for a game whose hands can be read and not be dealt, because a dealer never deals discards again."""
    if may_run_out(game):
        cards = game.num_hole_cards * game.num_players + game.most_drawn
        raise GameDefError(
            f"{source}: maxDiscard: {cards} cards may be dealt and drawn from a deck of {len(game.deck)}; allow fewer, or fewer players"
        )


def all_cards(state: State, holes: Sequence[Cards], draws: Draws) -> list[int]:
    """Return every card that is shown to have been dealt, discards too. A card that was dealt twice is there twice.

    Where cards may have been dealt again, these are the cards that players hold who have not folded.
    """
    cards = [card for hole in holes for card in hole]
    if may_run_out(state.game) and len(set(cards)) == len(cards):
        live = (hand for position, hand in enumerate(hands_after(holes, draws)) if not state.has_folded(position))
        return [card for hand in live for card in hand]
    hands = list(holes)
    for sections in draws:
        for position, section in enumerate(sections):
            old = hands[position][len(hands[position]) - len(section) :]
            cards += [new for before, new in zip_longest(old, section) if new != before]
            hands[position] = hand_after(hands[position], [section])
    return cards


class Exchange(NamedTuple):
    """One draw of one player, and its hand afterwards. All are empty where the hand is hidden.

    Only the hand is known of a player who showed it in the end, and whose last exchange this was.
    """

    discards: Cards
    new: Cards
    hand: Cards


def exchange(holes: Sequence[Cards], draws: Draws, round_: int, position: int) -> Exchange:
    """Return what a position exchanged in the draw before the betting of a round."""
    old = hand_after(holes[position], sections_of(draws[: round_ - 1], position))
    hand = hand_after(old, [draws[round_ - 1][position]])
    if not old:
        return Exchange((), (), hand)
    changes = [(before, now) for before, now in zip(old, hand, strict=True) if before != now]
    return Exchange(tuple(before for before, _ in changes), tuple(now for _, now in changes), hand)


def shown_draws(state: State, draws: Draws) -> Draws:
    """Return the draws of rounds from the second to the state's, missing ones hidden; none in a game without draws."""
    game = state.game
    if not game.num_draws:
        return ()
    hidden = ((),) * game.num_players
    begun = [hidden if game.num_draws[round_] else () for round_ in range(1, state.round + 1)]
    return (*draws[: len(begun)], *begun[len(draws) :])


def draws_text(draws: Draws) -> str:
    """Return the cards of all draws as match states and logs print them, a slash before each round."""
    return "".join(["/" + "|".join(map(cards_text, sections)) for sections in draws])


def visible_draws(state: State, draws: Draws, position: int) -> Draws:
    """Return the draws that `position` may see: its own, and at a showdown those of all who have not folded."""
    visible = [p == position or (state.showdown and not state.has_folded(p)) for p in range(state.game.num_players)]
    return tuple(
        tuple(s if visible[p] else () for p, s in enumerate(sections)) for sections in shown_draws(state, draws)
    )


def check_draws(state: State, holes: Sequence[Cards], draws: Draws, shown: int | None = None) -> None:
    """Raise `ProtocolError` unless sections exchange what the betting says or are hidden, as `shown`'s must not be."""
    counts = {
        (after.parent.round, after.parent.actor): after.action.size
        for after in state.path()
        if after.parent is not None and after.action is not None and after.parent.phase is DRAW
    }
    cards = all_cards(state, holes, draws)
    if len(set(cards)) < len(cards):
        raise ProtocolError("a card appears twice")
    hands = list(holes)
    for round_, sections in enumerate(draws, 1):
        for position, section in enumerate(sections):
            count, old = counts.get((round_, position), 0), hands[position]
            tail = old[len(old) - len(section) :]
            changed = sum(new != before for before, new in zip(tail, section, strict=False))
            hidden = not section and position != shown
            whole = count > 0 and not old and len(section) == state.game.num_hole_cards  # shown after its last draw
            if not (hidden or whole) and (len(section) > len(old) or changed != count or section[:1] == tail[:1] != ()):
                raise ProtocolError(
                    f"'{cards_text(section)}' does not exchange {count} of the cards '{cards_text(old)}' from the first on"
                )
            hands[position] = hand_after(old, [section])


class Hands(NamedTuple):
    """Everybody's private cards in one hand, as the dealer knows them.

    Attributes:
        dealt: hole cards by position, as they were dealt.
        stub: cards of the deck that may be drawn, in their order: the first that is not drawn yet comes next.
        drawn: number of cards drawn so far, by all players.
    """

    dealt: tuple[Cards, ...]
    stub: Cards = ()
    draws: Draws = ()
    drawn: int = 0

    @property
    def now(self) -> tuple[Cards, ...]:
        """Hands by position after all draws so far."""
        return hands_after(self.dealt, self.draws)

    def after(self, state: State, action: Action) -> "Hands":
        """Return the hands after the actor of `state` takes a legal `action`, which changes them in a draw only.

        The places of the discards in the hand, not the order in which they are named, say which card comes first.
        Raises `IllegalAction` where the discards are not distinct cards of the actor's hand.
        """
        if state.phase is not DRAW:
            return self
        actor = state.actor
        hand = self.now[actor]
        if len(action.cards) != action.size or not distinct_cards_of(action.cards, hand):
            raise IllegalAction(f"{action} does not name {action.size} different cards of '{cards_text(hand)}'")
        if not action.size:
            return self._replace(draws=shown_draws(state, self.draws))
        indices = sorted(hand.index(card) for card in action.cards)
        new = list(hand)
        for offset, index in enumerate(indices):
            new[index] = self.stub[self.drawn + offset]
        *before, now = shown_draws(state, self.draws)
        now = (*now[:actor], tuple(new[indices[0] :]), *now[actor + 1 :])
        return self._replace(draws=(*before, now), drawn=self.drawn + action.size)


def distinct_cards_of(cards: Sequence[int], hand: Sequence[int]) -> bool:
    """Return whether `cards` are different cards, all of them in `hand`."""
    return len(set(cards)) == len(cards) and set(cards).issubset(hand)
