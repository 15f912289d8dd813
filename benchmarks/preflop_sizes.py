"""How often raises before the flop are folded to, size by size: translated into the blueprint's menu, and solved.

    python benchmarks/preflop_sizes.py [BOT] [--hands 64]

BOT is a resolving player with `preflop:` in its config. The blueprint's answers are means over hands, because each hand
translates a raise by a coin of its own. A raise that is folded to more often than the last column wins at once with any
two cards. Seconds are of the solves alone.
"""

import argparse
import time

import numpy as np

from limpet.protocol.state import State, raise_to
from limpet.strategies.botconfig import load_bot
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.strategy import HandKey

OPENED = 300
OPENS = (200, 250, 300, 400, 500, 700, 1000, 2000)
RERAISES = (600, 750, 900, 1000, 1200, 1500, 2000, 3000, 6000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", nargs="?", default="limpet-fast")
    parser.add_argument("--hands", type=int, default=64)
    asked = parser.parse_args()
    player = load_bot(asked.bot).build()
    assert isinstance(player, Resolve)
    player.warm_up()
    print("|after|raise to|folds, translated|folds, solved|seconds|an any-two-cards raise needs|\n|-|-|-|-|-|-|")
    for opened, sizes in (((), OPENS), ((OPENED,), RERAISES)):
        for size in sizes:
            before = State.start(player.game)
            for amount in opened:
                before = before.apply(raise_to(amount))
            state = before.apply(raise_to(size))
            hand = player.start_hand(HandKey(1, 0, state.actor))
            began = time.perf_counter()
            rows, ranges = hand.rows(state), hand.ranges(state)
            seconds = time.perf_counter() - began
            translated = []
            for number in range(asked.hands):
                key = HandKey(1, number, state.actor)
                translated.append(player.blueprint.start_hand(key).rows(state).dense(np.zeros(1326, np.bool_))[0])
            answers = np.mean(translated, axis=0), rows.dense(np.zeros(1326, np.bool_))[0]
            folds = [float(answer @ ranges[state.actor]) for answer in answers]
            risk = size - before.spent[before.actor]
            name = "r" + "r".join(map(str, opened)) if opened else "start"
            print(f"|{name}|{size}|{folds[0]:.1%}|{folds[1]:.1%}|{seconds:.3f}|{risk / (risk + before.pot):.1%}|")


if __name__ == "__main__":
    main()
