"""The chips that each position wins or loses when a hand is over."""

from collections.abc import Sequence

from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import Ranking, low_order, rank_hands
from limpet.protocol.state import State


def settle(state: State, holes: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Return net chips per position at the end of a hand. `holes` are the private cards of all who have not folded.

    The board must be complete if there is a showdown. Ties split a side pot into equal fractions; there is no odd chip. Where
    half of each pot goes to the lowest hand, the two halves are settled apart.
    """
    if not state.finished:
        raise ValueError(f"the hand '{state.betting}' is not over")
    if state.remaining == 1:
        return _settled(state, [0] * len(state.spent))
    high = _settled(state, _ranks(state, holes))
    if state.game.ranking is not Ranking.HIGH_LOW:
        return high
    low = _settled(state, _ranks(state, holes, is_low=True))
    return tuple((first + second) / 2 for first, second in zip(high, low, strict=True))


def _settled(state: State, ranks: Sequence[int]) -> tuple[float, ...]:
    spent = state.spent
    if state.game.dead:
        return _settle_with_antes(state, ranks)
    best = ranks.index(max(ranks))
    if state.remaining > 1 and ranks.count(ranks[best]) == 1 and spent[best] == max(spent):
        pot = sum(spent)  # the usual end, which pays all to one player
        return tuple([float((pot if position == best else 0) - chips) for position, chips in enumerate(spent)])
    return settle_ranks(spent, state.folded, ranks)


def _ranks(state: State, holes: Sequence[Sequence[int]], is_low: bool = False) -> list[int]:
    """Return the rank of each position's hand at a showdown, the higher the better; -1 for who has folded."""
    game = state.game
    live = [position for position in range(len(state.spent)) if not state.has_folded(position)]
    ranks = [-1] * len(state.spent)
    hands = [holes[position] for position in live]
    if is_low:
        shown = low_order(hands, state.board, game.hole_cards_used)
    else:
        shown = rank_hands(hands, state.board, game.hole_cards_used, game.ranking)
    for position, rank in zip(live, shown, strict=True):
        ranks[position] = rank
    return ranks


def _settle_with_antes(state: State, ranks: Sequence[int]) -> tuple[float, ...]:
    """Return net chips per position of a game with antes, which are the main pot and may have side pots of their own."""
    values = [
        won - chips for won, chips in zip(settle_ranks(state.spent, state.folded, ranks), state.game.dead, strict=True)
    ]
    for chips, inside in dead_layers(state.game, state.folded):
        best = max(ranks[position] for position in inside)
        winners = [position for position in inside if ranks[position] == best]
        for position in winners:
            values[position] += chips / len(winners)
    return tuple(values)


def dead_layers(game: GameDef, folded: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return the layers of a game's dead chips, each with the positions that have not folded and may win it.

    Everybody may win all of them, but for a player whose own left no chips behind: it wins no more of each of the others'
    than its own, unless the game has `whole_antes`.
    """
    most = max(game.dead)
    reach = {
        position: most if game.stack[position] or game.whole_antes else chips
        for position, chips in enumerate(game.dead)
        if not folded >> position & 1
    }
    layers = []
    below, top = 0, max(reach.values())
    for level in sorted(set(reach.values())):
        # Where all who posted more have folded, the last layer holds what is left.
        end = most if level == top else level
        chips = sum(min(chips, end) - min(chips, below) for chips in game.dead)
        layers.append((chips, tuple(position for position, most_won in reach.items() if most_won >= level)))
        below = end
    return layers


def settle_ranks(spent: Sequence[int], folded: int, ranks: Sequence[int]) -> tuple[float, ...]:
    """Return net chips per position. `ranks` (higher wins) are not used when all but one have folded.

    Side pots are cut at each distinct amount; folded money stays in. The uncalled part of a bet returns as a
    pot with one player in it. The order of the float operations is the reference dealer's, so that equal hands
    print equal values.
    """
    players = len(spent)
    if players - folded.bit_count() == 1:
        pot = sum(spent)
        return tuple(
            float(-chips) if folded >> position & 1 else float(pot - chips) for position, chips in enumerate(spent)
        )
    values = [float(-chips) if folded >> position & 1 else 0.0 for position, chips in enumerate(spent)]
    below = 0
    for level in sorted({chips for chips in spent if chips > 0}):
        layer = level - below
        below = level
        inside = [p for p in range(players) if spent[p] >= level]
        showing = [p for p in inside if not folded >> p & 1]
        if not showing:  # only where a limit raise from a short stack lowered the bet and the largest bet folded
            continue
        best = max(ranks[p] for p in showing)
        winners = [p for p in showing if ranks[p] == best]
        share = float(layer * (len(inside) - len(winners))) / float(len(winners))
        for p in showing:
            if ranks[p] == best:
                values[p] += share
            else:
                values[p] -= float(layer)
    return tuple(values)


def may_vanish(game: GameDef) -> bool:
    """Return whether chips of a hand may be nobody's: in limit games of three and more players with uneven stacks.

    A raise from a stack below the bet lowers the bet. If those who bet more then fold, nobody may win what they put in.
    """
    if game.no_limit or game.num_players == 2:
        return False
    bets = sum(raises * size for raises, size in zip(game.max_raises, game.raise_size, strict=True))
    return min(game.stack) < min(max(game.stack), max(game.blind) + bets)


def vanished_text(chips: float, hands: int | None = None) -> str:
    """Return what is said about chips that nobody gets."""
    where = "" if hands is None else f" in {hands:,} hand{'s' if hands != 1 else ''}"
    return (
        f"{chips_text(round(chips, 6))} chips vanish{where}, as at the reference dealer: a limit raise from a stack below the "
        "bet lowered it, and those who had bet more folded; give all players the same stack"
    )


def chips_text(value: float) -> str:
    """Return chips as the reference logs them: six decimals at most, no trailing zeros.

    >>> chips_text(2.5), chips_text(-100.0), chips_text(1 / 3)
    ('2.5', '-100', '0.333333')
    """
    whole = int(value)
    if whole == value:
        return str(whole)
    return f"{value:.6f}".rstrip("0").rstrip(".")


def values_text(values: Sequence[float]) -> str:
    """Return the chips of several players as the reference logs them."""
    return "|".join(map(chips_text, values))
