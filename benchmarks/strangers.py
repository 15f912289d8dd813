"""What the exploiter wins from opponents that no config names, more than the blueprint wins from them on the same deals.

    python benchmarks/strangers.py --sessions 20 --hands 300
    python benchmarks/strangers.py people --people models/people/bot.yaml
    python benchmarks/strangers.py adversary --hands 1000

A session is a match that the exploiter begins anew, played twice: the second time the seats change hands. The blueprint plays the
same deals against the same opponent, by the exploiter's seed, so that the two part only where one exploits. Hands count by AIVAT,
which knows the opponent: the luck of the cards and of the opponent's choices is taken out. Intervals are over sessions, which are
independent. `people` is a model that `limpet model` learnt from hands of people, `changing` is the folder up to the middle of a
session and then the maniac. `adversary` calls for 55 hands, and from then on puts in all its chips from the turn on with strong
hands, and no chip more with others.
"""

import argparse
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import estimate
from limpet.configs.loading import load_game
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import Recomputed
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Stateless, Strategy, same_for_all
from limpet.strategies.cards.equity import known_strengths
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.opponents.expert import Preflop, StreetStyle, Style
from limpet.strategies.players.expert import Expert
from limpet.strategies.players.simple import Call
from limpet.strategies.subjects import equity_values, luck_free

GAME = load_game("holdem.nolimit.2p.reverse_blinds")
VALUES = equity_values(GAME)
SEED = 7
"""Seed of the opponents' choices."""
TURN, STRONG = 2, 0.85
"""Round from which the adversary waits no longer, and the chance to beat a random hand from which its hands are strong."""
MANIAC_STREET = StreetStyle(
    bet=0.9, lead=0.8, bluff=1.0, raise_=0.6, bluff_raise=1.0, caution=0.2, size=1.0, reraise=1.0
)
MANIAC = Style(
    respect=0.0,
    preflop=Preflop(open=1.0, limper=1.0, limp=0.0, bet=0.8, raise_=0.5, bluff=1.0, caution=0.2, size=1.0),
    flop=MANIAC_STREET, turn=MANIAC_STREET, river=MANIAC_STREET,
)  # fmt: skip
FOLDER_STREET = StreetStyle(bet=0.3, lead=0.2, bluff=0.1, raise_=0.1, bluff_raise=0.0, caution=2.5)
FOLDER = Style(
    respect=0.5,
    preflop=Preflop(open=0.5, limp=0.2, bet=0.15, raise_=0.1, bluff=0.0, caution=2.0),
    flop=FOLDER_STREET, turn=FOLDER_STREET, river=FOLDER_STREET,
)  # fmt: skip


@dataclass
class Changing(Strategy):
    """Plays as one strategy up to a hand of the match, and as another from it on."""

    first: Strategy
    second: Strategy
    change: int

    def __post_init__(self) -> None:
        super().__init__(GAME, Strategy.Options(), Path())

    def start_hand(self, key: HandKey) -> HandStrategy:
        return (self.first if key.hand < self.change else self.second).start_hand(key)


class StrongOnly(Stateless):
    """Calls up to the flop; from the turn on strong hands move all-in, and others check and fold."""

    def rows(self, state: State) -> Rows:
        if state.round < TURN:
            return same_for_all({CALL: 1.0}, game_hands(state.game).size)
        bounds, strong = state.raise_bounds(), known_strengths(state.board) >= STRONG
        actions = (FOLD if state.can_fold else CALL, raise_to(bounds[1]) if bounds else CALL)
        if actions[0] == actions[1]:
            return same_for_all({CALL: 1.0}, len(strong))
        return Rows(actions, np.array([~strong, strong], np.float32))


def expert(style: Style) -> Strategy:
    return Expert(GAME, Expert.Options(style=style), Path())


def opponents(hands: int, people: str | None) -> dict[str, Strategy]:
    """Return the opponents by name. people: config of the learnt model, None to leave it out."""
    found: dict[str, Strategy] = {"maniac": expert(MANIAC), "folder": expert(FOLDER)}
    if people:
        found["people"] = load_bot(people, GAME).build()
    found["changing"] = Changing(found["folder"], found["maniac"], hands // 2)
    found["adversary"] = Changing(Call(GAME, Call.Options(), Path()), StrongOnly(GAME, Strategy.Options(), Path()), 55)
    return found


def session(player: Agent, opponent: Strategy, seed: int, hands: int) -> list[NDArray[np.float64]]:
    """Return the chips that the player wins in each hand, less the luck that AIVAT sees, for both seatings."""
    chips, rows = [], Recomputed(opponent, SEED)
    for seat in range(2):
        agents = [Agent(opponent, SEED), player]
        if seat == 0:
            agents.reverse()
        for agent in agents:
            agent.start_match()
        won = []
        for number, record in enumerate(play_hands(GAME, agents, islice(Deals(GAME, seed), hands))):
            theirs = (seat + number + 1) % 2
            won.append(-luck_free(record, theirs, VALUES, {theirs: rows}).value)
        chips.append(np.array(won))
    return chips


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="opponents; all but the adversary by default")
    parser.add_argument("--config", default="exploiter")
    parser.add_argument("--people", help="config of a model that was learnt from hands of people")
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--hands", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    bots = [load_bot(name, GAME) for name in (asked.config, "blueprint")]
    table = opponents(asked.hands, asked.people)
    for name in asked.names or [name for name in table if name != "adversary"]:
        won: list[list[float]] = []
        for number in range(asked.sessions):
            agents = [Agent(bot.build(), bots[0].config.seed) for bot in bots]
            chips = [session(agent, table[name], asked.seed + number, asked.hands) for agent in agents]
            won.append([1000 * float(np.mean(each)) / GAME.big_blind for each in chips])
            counters = ", ".join(f"{key} {value:,}" for key, value in agents[0].strategy.report().items())
            print(f"session {number + 1}: {won[-1][0]:+,.0f}, blueprint {won[-1][1]:+,.0f}; {counters}", flush=True)
        own, usual = np.array(won).T
        cells = [estimate(values) for values in (own, usual, own - usual)]
        print(f"|{name}|" + "|".join(f"{cell.mean:+,.0f} ± {cell.half_width:,.0f}" for cell in cells) + "|", flush=True)


if __name__ == "__main__":
    main()
