"""What the cards of players who folded are worth in a push-or-fold answer: epsilon with real deals, with a 95 % interval.

    python benchmarks/folded_cards.py [--players 3 6 9] [--stack 10] [--deals 4000000] [--seed 1] [--payouts 50,30,20]

`limpet pushfold` puts the cards of a player who folds back into the deck. Here all hands of a table are dealt at once, so that
who folded says which cards are left. The model's answer is played. On one half of the deals all-in or fold is chosen for each
decision and class where one is better by two standard errors; elsewhere the answer is kept. What that wins is measured on the
other half, and the other way round. It is a lower bound of epsilon in the real game. Showdowns have the chances of the model,
without the folded cards' effect on the board.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Estimate, estimate
from limpet.strategies.cards.isomorphism import preflop_class
from limpet.strategies.shortstacks.game import DEALS, Game, outcome_shares, tables_for
from limpet.strategies.shortstacks.solve import Solution, solve
from limpet.strategies.shortstacks.spot import ShortSpot, Slot, pairs, slot_numbers, slots, triples

Array = NDArray[np.float64]
CHUNK = 20_000
SURE = 2
"""Standard errors by which an action must be better on one half of the deals to be taken on the other."""
CLASSES = np.array([[preflop_class(a, b) if a != b else 0 for b in range(52)] for a in range(52)])


class Deals:
    """Values of every decision on a chunk of deals, under the profile of a solution."""

    def __init__(self, solution: Solution, classes: NDArray[np.int64]) -> None:
        """classes: ``[seat, deal]``."""
        self.game, self.classes, self.players = solution.game, classes, solution.game.players
        self.numbers = slot_numbers(self.players)
        self.frequency = {
            slot: solution.profile.frequencies[number][classes[slot[-1]]] for slot, number in self.numbers.items()
        }
        self.reach: dict[Slot, Array] = {}
        self.gain: dict[Slot, Array] = {}
        one = np.ones(classes.shape[1])
        unopened = np.repeat(self.game.leaves.folded[:, None], len(one), 1)
        reach = [one]
        for pusher in range(self.players - 1):
            reach.append(reach[-1] * (1 - self.frequency[pusher,]))
        for pusher in range(self.players - 2, -1, -1):
            act = self.after_push(pusher, reach[pusher] * self.frequency[pusher,])
            self.note((pusher,), reach[pusher], act, unopened)
            unopened = self.mixed((pusher,), act, unopened)

    def note(self, slot: Slot, reach: Array, act: Array, fold: Array) -> None:
        self.reach[slot], self.gain[slot] = reach, act[slot[-1]] - fold[slot[-1]]

    def mixed(self, slot: Slot, act: Array, fold: Array) -> Array:
        pushed = self.frequency[slot]
        return np.asarray(pushed * act + (1 - pushed) * fold)

    def after_push(self, pusher: int, reach: Array) -> Array:
        """Return ``[seat, deal]``: what everybody wins after a push."""
        folded = np.repeat(self.game.leaves.pushed[pusher][:, None], len(reach), 1)
        seats = range(pusher + 1, self.players)
        open_reach = dict(zip(seats, self._open(reach, [(pusher, seat) for seat in seats]), strict=True))
        for seat in reversed(seats):
            slot = (pusher, seat)
            act = self.after_call(slot, open_reach[seat] * self.frequency[slot])
            self.note(slot, open_reach[seat], act, folded)
            folded = self.mixed(slot, act, folded)
        return folded

    def after_call(self, pair: Slot, reach: Array) -> Array:
        a, b = (self.classes[seat] for seat in pair)
        chances = self.game.tables.pairs[:, a, b]
        folded: Array = np.einsum("od,os->sd", chances, self.game.leaves.called[pairs(self.players).index(pair)])
        behind = [(*pair, seat) for seat in range(pair[1] + 1, self.players)]
        for slot, open_reach in reversed(list(zip(behind, self._open(reach, behind), strict=True))):
            act = self.three(slot)
            self.note(slot, open_reach, act, folded)
            folded = self.mixed(slot, act, folded)
        return folded

    def three(self, slot: Slot) -> Array:
        a, b, d = (self.classes[seat] for seat in slot)
        table = self.game.tables.triples
        deals = table[DEALS, a, b, d].astype(np.float64)
        values = self.game.leaves.overcalled[triples(self.players).index(slot)]
        total = np.zeros((self.players, len(a)))
        for (share, is_mirrored), won in zip(outcome_shares().tolist(), values, strict=True):
            chance = (table[share, b, a, d] if is_mirrored else table[share, a, b, d]) / np.maximum(deals, 1)
            total += won[:, None] * chance
        return total

    def _open(self, reach: Array, behind: list[Slot]) -> list[Array]:
        """Return the probability that each of some seats is still to answer."""
        result = []
        for slot in behind:
            result.append(reach)
            reach = reach * (1 - self.frequency[slot])
        return result


def dealt(players: int, deals: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return ``[seat, deal]``: classes of hands dealt from one deck."""
    cards = random.permuted(np.tile(np.arange(52, dtype=np.int8), (deals, 1)), axis=1)[:, : 2 * players]
    return np.ascontiguousarray(CLASSES[cards[:, ::2], cards[:, 1::2]].T)


def measured(solution: Solution, deals: int, seed: int) -> list[Estimate]:
    """Return what a best response of each seat wins over its value, by the real deals."""
    players = solution.game.players
    gains, squares = np.zeros((2, 2, len(slots(players)), solution.game.tables.classes))
    for learn in (True, False):
        random = np.random.default_rng(seed)
        won: list[list[Array]] = [[] for _ in range(players)]
        for chunk in range(deals // CHUNK):
            half, classes = chunk % 2, dealt(players, CHUNK, random)
            played = Deals(solution, classes)
            better = [np.zeros(CHUNK) for _ in range(players)]
            for number, slot in enumerate(slots(players)):
                own, weighed = classes[slot[-1]], played.reach[slot] * played.gain[slot]
                if learn:
                    gains[half, number] += np.bincount(own, weighed, gains.shape[-1])
                    squares[half, number] += np.bincount(own, weighed**2, gains.shape[-1])
                else:
                    gain = gains[1 - half, number][own]
                    is_sure = np.abs(gain) > SURE * np.sqrt(squares[1 - half, number][own])
                    better[slot[-1]] += is_sure * ((gain > 0) - played.frequency[slot]) * weighed
            for seat, more in enumerate(better):
                won[seat].append(more)
    return [estimate(np.concatenate(parts)) for parts in won]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="+", default=[3, 6, 9])
    parser.add_argument("--stack", type=float, default=10)
    parser.add_argument("--deals", type=int, default=4_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--payouts", help="prizes between commas; chips without")
    asked = parser.parse_args()
    payouts = tuple(map(float, asked.payouts.split(","))) if asked.payouts else None
    print("| players | epsilon of the model | with real deals, by seat |\n|-|-|-|")
    for players in asked.players:
        solution = solve(Game(ShortSpot((asked.stack,) * players, payouts=payouts), tables_for(players)))
        cells = [f"{each.mean:+.5f} ± {each.half_width:.5f}" for each in measured(solution, asked.deals, asked.seed)]
        print(
            f"| {players} | {solution.epsilon.value:.5f} {solution.game.spot.unit} | {', '.join(cells)} |", flush=True
        )


if __name__ == "__main__":
    main()
