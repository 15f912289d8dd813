"""Games small enough to check by hand or by plain recursion."""

from collections.abc import Iterator
from itertools import combinations
from typing import TypeVar

import numpy as np

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.solvers.deals import EnumeratedDeals, enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import BATCH, SampledSolver

ALL_IN = BetMenu(sizes=(((),),))
POT_AND_ALL_IN = BetMenu(sizes=(((1.0,),),))
Deal = tuple[tuple[int, ...], ...]
Sampled = TypeVar("Sampled", bound=SampledSolver)


def no_limit(stacks: str, blinds: str, suits: int, ranks: int, holes: int, board: str) -> GameDef:
    """A no-limit game; lists are written as in a definition."""
    return GameDef.parse(
        f"nolimit\nnumPlayers = {len(stacks.split())}\nnumRounds = {len(board.split())}\nstack = {stacks}\n"
        f"blind = {blinds}\nnumSuits = {suits}\nnumRanks = {ranks}\nnumHoleCards = {holes}\nnumBoardCards = {board}\n"
    )


def limit(suits: int, ranks: int, holes: int, board: tuple[int, ...], players: int = 2) -> GameDef:
    """A limit game with blinds and raises of 1."""
    return GameDef.parse(
        f"limit\nnumPlayers = {players}\nnumRounds = {len(board)}\nblind = {'1 ' * players}\n"
        f"raiseSize = {'1 ' * len(board)}\nnumSuits = {suits}\nnumRanks = {ranks}\nnumHoleCards = {holes}\n"
        f"numBoardCards = {' '.join(map(str, board))}\n"
    )


def plain_deals(game: GameDef) -> list[Deal]:
    """Every deal of a game: the cards of each player, then those of each round."""

    def deals(left: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[Deal]:
        if not sizes:
            yield ()
            return
        for cards in combinations(left, sizes[0]):
            for rest in deals(tuple(card for card in left if card not in cards), sizes[1:]):
                yield (cards, *rest)

    return list(deals(game.deck, (game.num_hole_cards,) * game.num_players + game.num_board_cards))


def jam_or_fold() -> BettingTree:
    """Ten big blinds, heads-up: the small blind moves in or folds, the big blind calls or folds."""
    game = GameDef.parse(str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("20000", "1000"))
    return BettingTree(
        root=State.start(game),
        player=np.array([1, -1, 0, -1, -1], np.int8),
        round=np.array([0, 0, 0, 0, 3], np.int8),
        first_edge=np.array([0, 2, 2, 4, 4, 4], np.int32),
        edge_child=np.array([1, 2, 3, 4], np.int32),
        edge_kind=np.array([0, 2, 0, 1], np.uint8),
        edge_size=np.array([0, 1000, 0, 0], np.int32),
        spent=np.array([[100, 50], [100, 50], [100, 1000], [100, 1000], [1000, 1000]], np.int32),
        folded=np.array([0, 2, 0, 1, 0], np.int32),
    )


def deals_behind(run: SampledSolver) -> EnumeratedDeals:
    """Return all deals of a solver's game, from which it draws."""
    assert isinstance(run.sampler, EnumeratedDeals)
    return run.sampler


def sampled_solver(
    kind: type[Sampled], name: str, threads: int = 1, period: int = BATCH * 10, periods: int = 30, seed: int = 1
) -> Sampled:
    """Return a sampling solver of a small game that ships, with pot bets where it is no-limit."""
    game = load_game(name)
    menu = POT_AND_ALL_IN if game.no_limit else None
    return kind(build_tree(game, menu), enumerate_deals(game), seed, threads, period, periods)
