"""The definition of a hold'em game from its stacks and blinds."""

from limpet.protocol.gamedef import NO_RAISE_LIMIT, Betting, GameDef

LIMIT_RAISES = (3, 4, 4, 4)
"""Most raises per round of limit hold'em; the big blind counts as the first bet of the first round."""


def holdem(
    stack: tuple[int, ...],
    blind: tuple[int, ...],
    raise_size: tuple[int, ...] = (),
    comments: tuple[str, ...] = (),
    ante: int = 0,
) -> GameDef:
    """Return hold'em of one hand: limit where `raise_size` has the bet of each round, else no-limit.

    `stack` and `blind` are chips per position, of which `ante` chips of each blind are known to be an ante. Three and more players act first left of the big blind, two on the button.
    """
    players = len(stack)
    return GameDef(
        betting=Betting.LIMIT if raise_size else Betting.NO_LIMIT,
        num_players=players,
        num_rounds=4,
        stack=stack,
        blind=blind,
        raise_size=raise_size,
        first_player=(2 if players > 2 else 1, 0, 0, 0),
        max_raises=LIMIT_RAISES if raise_size else (NO_RAISE_LIMIT,) * 4,
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3, 1, 1),
        comments=comments,
        ante=ante,
    )


def has_holdem_cards(game: GameDef) -> bool:
    """Return whether a game's deck, private cards and board are those of hold'em."""
    return (game.num_suits, game.num_ranks, game.num_hole_cards, game.num_board_cards) == (4, 13, 2, (0, 3, 1, 1))
