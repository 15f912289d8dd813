#!/usr/bin/env python3
"""Plays millions of duplicate sets of a bot against what slumbot2019 trained, in the compiled match engine.

    cd benchmarks; python -m opponents.slumbot_many blueprint FOLDER CARDS BETTING BATCH --sets 2000000

Each hand ends as in a match of the same seed in one process or over the protocol. BOT is a blueprint, or a bot that
solves: such a one is played as it plays before the flop, by its blueprint from there on. `--rivers N` adds what solving
rivers wins, by full ranges, at N rivers that such hands came to, and `--flops N` what solving from the flop on wins, along lines
drawn from N flops. What each spot says is a line of a file in FOLDER, and the same command goes on from there.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from opponents.slumbot_seat import HANDS, Buckets, Node, Slumbot, readings, translated

from limpet.common.folders import MeasureFile, data_folder
from limpet.common.jit import Longs
from limpet.common.statistics import bootstrap_interval, estimate
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deal, Deals
from limpet.protocol.cards import cards_text
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import contested_pot
from limpet.protocol.state import CALL, State, action_order
from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.holdem.blueprint.blueprint_hand import NO_ROW, BlueprintAnswer, BlueprintSeat, RowShare
from limpet.strategies.holdem.blueprint.walk import Branch, WeightedNode, WeightedNodes
from limpet.strategies.holdem.measures.full_ranges import RangePlay, build_without_clock, reach_after
from limpet.strategies.holdem.measures.joint_betting import JointBetting
from limpet.strategies.holdem.measures.line_play import LinePlay
from limpet.strategies.holdem.measures.match_engine import DealtBatch, MatchEngine
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.resolve import Resolve

AT_ONCE = 1 << 15
"""Number of deals that are played at once. Results do not depend on it."""
FLOP, RIVER = 1, 3
SPOT_SETS = 100_000
"""Number of duplicate sets whose flops or rivers may be drawn."""
FOLLOW = (1.0, 1 / 4, 1 / 8)
"""Pots of the spot for which one line is followed to flop, turn and river: as many in small pots as in large ones."""
STREETS = ("before the flop", "flop", "turn", "river")
POTS = {2.0: "up to 2 bb", 20.0: "2 to 20 bb", 200.0: "20 to 200 bb", inf: "over 200 bb"}
LINES_SHOWN = 8
"""Number of lines before the flop that are shown, those that lose most."""


class SlumbotSeat:
    """What slumbot2019 trained, as a seat of the match engine; the same for both positions."""

    key = ("slumbot2019",)

    def __init__(self, slumbot: Slumbot) -> None:
        self._averages, self.buckets = slumbot.averages, slumbot.buckets
        cards: Any = SimpleNamespace(cards_hash="slumbot2019", cards=Lossless())
        self.file: Any = SimpleNamespace(manifest=cards, game=slumbot.game, cards=None)
        self._nodes: list[Node] = []
        self._number: dict[int, int] = {}
        self._row: list[int] = []
        rows, waiting, end = [], [slumbot.averages.root], 0
        while waiting:
            node = waiting.pop()
            if not node.after:
                continue
            shares = self._averages.of(node)
            self._number[id(node)] = len(self._nodes)
            self._nodes.append(node)
            self._row.append(end)
            rows.append(shares.T.ravel())
            end += shares.size
            waiting += node.after
        self._table = np.concatenate(rows)

    def table(self, marked: bool = False) -> NDArray[np.float32]:
        return self._table

    def plan(self, nodes: WeightedNodes, state: State) -> BlueprintAnswer:
        if not nodes:
            return BlueprintAnswer((CALL,), (RowShare(NO_ROW, (0,)),))
        number = nodes[0].node
        node = self._nodes[number]
        real = [translated(node, successor, state) for successor in node.after]
        ordered = sorted(set(real), key=action_order)
        return BlueprintAnswer(tuple(ordered), (RowShare(self._row[number], tuple(map(ordered.index, real))),))

    def follow(self, nodes: WeightedNodes, state: State, after: State) -> list[Branch]:
        assert after.action is not None
        if not nodes:
            return [Branch(1.0, ())]
        read = readings(self._nodes[nodes[0].node], state, after.action)
        return [Branch(chance, self._placed(node)) for chance, node in read]

    def _placed(self, node: Node | None) -> WeightedNodes:
        return (WeightedNode(self._number[id(node)]),) if node and node.after else ()


class BeforeFlopSeat:
    """A position of a bot that solves before the flop, and plays its blueprint's rows after it. Rows are asked for by betting."""

    def __init__(self, bot: Resolve, position: int) -> None:
        self._bot, self._position = bot, position
        self._blueprint: BlueprintSeat = bot.blueprint.seats[position]
        self.file, self.key = self._blueprint.file, (*self._blueprint.key, "before the flop", position)
        classes, buckets = preflop_classes(), self.file.cards.bucket_vector(0, ())
        self._hands = np.array([np.flatnonzero(buckets == bucket)[0] for bucket in range(NUM_CLASSES)])
        assert np.array_equal(classes[self._hands][buckets], classes), "a bucket before the flop is a class of hands"
        self._begin = len(self._blueprint.table())
        self._answers: dict[str, BlueprintAnswer] = {}
        self._rows: list[NDArray[np.float32]] = []

    def table(self, marked: bool = False) -> NDArray[np.float32]:
        return np.concatenate((self._blueprint.table(marked), *self._rows))

    def _hand(self) -> Any:
        return self._bot.start_hand(HandKey(0, 0, self._position))

    def plan(self, nodes: WeightedNodes, state: State) -> BlueprintAnswer | None:
        if state.round:
            return self._blueprint.plan(nodes, state)
        if state.betting not in self._answers:
            rows = self._hand().rows(state)
            shares = rows.dense(hand_space().blocked(()))[:, self._hands].T.astype(np.float32).ravel()
            part = RowShare(self._begin, tuple(range(len(rows.actions))))
            self._begin += len(shares)
            self._rows.append(shares)
            self._answers[state.betting] = BlueprintAnswer(rows.actions, (part,))
        return self._answers[state.betting]

    def follow(self, nodes: WeightedNodes, state: State, after: State) -> list[Branch]:
        if state.round:
            return self._blueprint.follow(nodes, state, after)
        if after.finished or not after.round:
            return [Branch(1.0, nodes)]
        return [Branch(1.0, self._hand().blueprint.nodes(after))]


class BeforeFlop(Strategy):
    """A bot that solves, as it plays before the flop, and its blueprint after it."""

    def __init__(self, bot: Resolve) -> None:
        super().__init__(bot.game, Strategy.Options(), Path())
        self._bot = bot

    def start_hand(self, key: HandKey) -> HandStrategy:
        return BeforeFlopHand(self._bot.start_hand(key))


class BeforeFlopHand(HandStrategy):
    """One hand of `BeforeFlop`."""

    def __init__(self, hand: ResolveHand) -> None:
        self._hand = hand

    def rows(self, state: State) -> Rows:
        return (self._hand.blueprint if state.round else self._hand).rows(state)


class Engine(MatchEngine):
    """A match engine in which slumbot2019's own program looks up its buckets."""

    def __init__(self, game: GameDef, seats: Sequence[Sequence[Any]], seeds: Sequence[int], buckets: Buckets) -> None:
        super().__init__(game, seats, seeds, 0, data_folder() / "tables")
        self._sources[self._cards["slumbot2019"]] = OwnBuckets(game, buckets)  # type: ignore[call-overload]


class OwnBuckets:
    """Buckets of dealt hands, see `dealt_buckets.LiveBuckets`."""

    def __init__(self, game: GameDef, buckets: Buckets) -> None:
        self._sizes, self._buckets = game.board_sizes, buckets

    def fill(self, round_: int, which: Longs, dealt: DealtBatch, buckets: NDArray[np.int32]) -> None:
        boards = dealt.board[which, : self._sizes[round_]]
        for position in range(2):
            buckets[which, position, round_] = self._buckets.of_hands(boards, dealt.holes[which, position])


def before_flop(game: GameDef, seats: tuple[Any, Any]) -> None:
    """Have two seats answer all betting before the flop, so that their tables hold it."""
    betting, waiting = JointBetting(game, seats), [0]
    while waiting:
        for node in betting.grow(waiting.pop()):
            state = betting.states[node]
            if not state.finished and state.round == 0:
                waiting.append(node)


class Spot(NamedTuple):
    """A hand that came to a decision on a street or after it.

    Attributes:
        number: the hand's number.
        position: the bot's.
        start: the hand's state where the street begins, with the board.
        won: big blinds that the bot won in the hand as it was dealt.
    """

    number: int
    position: int
    start: State
    won: float = 0.0


class SpotTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Terms that must be the same for spots to be added to a file; its first line."""

    bot: str
    opponent: str
    street: str
    sets: int
    seed: int


class SpotWin(msgspec.Struct, frozen=True):
    """What a spot says; a line of the file.

    Attributes:
        hand: the hand's number.
        position: the bot's.
        pot: big blinds in the spot's pot.
        share: such spots a hand that it stands for. The mean over spots of shares times big blinds is what a hand brings.
        solved, rows: big blinds that the bot wins from there on by solving, and by its blueprint's rows.
        dealt: big blinds that the rows won in the hand as it was dealt.
        streets: big blinds that solving wins more, by street, see `LinePlay.street_wins`; none for rivers.
        seconds: seconds of processor time.
    """

    hand: int
    position: int
    betting: str
    board: str
    pot: float
    share: float
    solved: float
    rows: float
    dealt: float
    streets: tuple[float, ...]
    seconds: float

    @property
    def gain(self) -> float:
        """Return mbb a hand that solving wins, if all spots were like this one."""
        return 1000 * self.share * (self.solved - self.rows)


class Parts:
    """Sums of big blinds won and numbers of hands, by last street, by pot and by the betting before the flop."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], NDArray[np.float64]] = {}
        for kind, names in (("street", STREETS), ("pot", tuple(POTS.values()))):
            self._sums |= {(kind, name): np.zeros(2) for name in names}

    def add(self, end: State, position: int, won: float, hands: int) -> None:
        assert end.parent is not None
        pot = contested_pot(end) / end.game.big_blind
        before = f"{'big blind' if position == 0 else 'button'} {end.betting.split('/')[0]}"
        group = next(name for most, name in POTS.items() if pot <= most)
        for key in (("street", STREETS[end.parent.round]), ("pot", group), ("before the flop", before)):
            self._sums.setdefault(key, np.zeros(2))[:] += won, hands

    def lines(self, hands: int) -> Iterator[str]:
        shown = list(self._sums.items())
        first, lines = shown[: len(STREETS) + len(POTS)], shown[len(STREETS) + len(POTS) :]
        for (kind, name), (total, count) in first + sorted(lines, key=lambda line: line[1][0])[:LINES_SHOWN]:
            yield f"{kind:16} {name:24} {count:12,.0f} hands {1000 * total / hands:+8.1f} mbb/g"


def play(
    engine: MatchEngine, agents: tuple[Agent, Agent], sets: int, seed: int, parts: Parts, street: int = len(STREETS)
) -> tuple[NDArray[np.float64], list[Spot]]:
    """Play duplicate sets.

    Returns big blinds a hand that the first player won in each set, by its position, ``[set, position]``, and the spots of a
    street in the first `SPOT_SETS`. The agents play the hands in which the betting leaves the first's tree.
    """
    game, spots = engine.game, list[Spot]()
    deals, won = Deals(game, seed), np.zeros((sets, 2))
    for start in range(0, sets, AT_ONCE):
        count = min(AT_ONCE, sets - start)
        table, rows = engine.table(DealtBatch(*deals.take(count))), np.arange(count)
        for position in range(2):
            played = engine.play((position, 1 - position), table, rows, start + rows)
            own, states = played.net[:, position] / game.big_blind, dict(played.tree.states)
            node = played.node.astype(np.int64)
            for row in np.flatnonzero(played.outside).tolist():
                deal = Deal(tuple(map(tuple, table.dealt.holes[row].tolist())), tuple(table.dealt.board[row].tolist()))
                hand = next(play_hands(game, agents[:: 1 - 2 * position], [deal], start + row, fixed_button=True))
                own[row], node[row], states[-1 - row] = hand.values[position] / game.big_blind, -1 - row, hand.state
            ends, which = np.unique(node, return_inverse=True)
            totals = zip(ends.tolist(), np.bincount(which, own), np.bincount(which), strict=True)
            for end, total, hands in totals:
                parts.add(states[end], position, total, hands)
            won[start : start + count, position] = own
            for row in range(min(count, SPOT_SETS - start)):
                end = states[int(node[row])]
                if end.parent is not None and end.parent.round >= street:
                    first = next(state for state in end.path() if state.round == street)
                    board = tuple(table.dealt.board[row].tolist())
                    spots.append(Spot(start + row, position, first.with_board(board), float(own[row])))
        print(f"{start + count:,} sets: {estimate(won[: start + count].mean(axis=1) * 1000)}", file=sys.stderr)
    return won, spots


def spot_win(bot: Resolve, opponent: Strategy, seeds: tuple[int, int], spot: Spot, share: float) -> SpotWin:
    """Return what solving from a spot on and the blueprint's rows win there, by full ranges.

    From rivers all lines are played, from flops those that are drawn, which are the same with and without solving.
    """
    start, position, began = spot.start, spot.position, process_time()
    keys = [HandKey(seeds[seat != position], spot.number, seat) for seat in range(2)]
    own, other = bot.start_hand(keys[position]), opponent.start_hand(keys[1 - position])
    reach = np.ones((2, HANDS)) * ~hand_space().blocked(start.board)
    for before, after in pairwise(start.path()):
        state = before.with_board(start.board)
        mine = state.actor == position
        rows = BeforeFlopHand(own).rows(state) if mine else other.rows(state)
        dense = rows.dense(hand_space().blocked(state.board))
        reach = reach_after(reach, state.actor, dense[rows.actions.index(after.action)])
    values, streets, pot = [], [], start.pot / start.game.big_blind
    unit = start.game.big_blind * float(hand_space().compatible(reach[0]) @ reach[1])
    for player in (own, own.blueprint):
        if start.round == RIVER:
            lost = RangePlay(position, ()).opponent_values(start, player, other.fork(), reach)[0]
            values.append(-float(lost @ reach[1 - position]) / unit)
        else:
            players = (player, other.fork()) if position == 0 else (other.fork(), player)
            line_play = LinePlay(keys[position], [pot * part for part in FOLLOW])
            values.append(line_play.play(start, players, reach))
            streets.append(line_play.street_wins)
    more = tuple(solved - rows for solved, rows in zip(*streets, strict=True)) if streets else ()
    solved, by_rows = values
    board = cards_text(start.board)
    seconds = round(process_time() - began, 2)
    return SpotWin(spot.number, position, start.betting, board, pot, share, solved, by_rows, spot.won, more, seconds)


def drawn_spots(spots: Sequence[Spot], hands: int, count: int, seed: int) -> list[tuple[Spot, float]]:
    """Return `count` of the spots that so many hands came to, each with the number of spots a hand that it stands for.

    They are drawn as often as their pots are large, and weighted by the inverse, which leaves the mean as it is.
    """
    pots = np.array([spot.start.pot / spot.start.game.big_blind for spot in spots])
    chosen = np.random.default_rng(seed).choice(len(spots), count, p=pots / pots.sum())
    return [(spots[at], float(pots.sum() / hands / pots[at])) for at in chosen.tolist()]


def summary(wins: Sequence[SpotWin]) -> str:
    """Return what solving wins in mbb a hand, and how much of that hangs on few spots."""
    gains = np.array([win.gain for win in wins])
    low, high = bootstrap_interval(gains, 1)
    found, squares = estimate(gains), np.sort((gains - gains.mean()) ** 2)
    few = 100 * squares[-max(1, len(gains) // 20) :].sum() / max(float(squares.sum()), 1e-300)
    return (
        f"{found} (drawn again {low:+.1f} … {high:+.1f}) mbb/g; the 5 % farthest spots are {few:.0f} % of the variance"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", help="blueprint, limpet-fast with --rivers, or limpet with --flops")
    for name in ("folder", "cards", "betting"):
        parser.add_argument(name)
    parser.add_argument("batch", type=int)
    parser.add_argument("--sets", type=int, default=1_000_000)
    parser.add_argument("--rivers", type=int, default=0, help="number of rivers that are solved")
    parser.add_argument("--flops", type=int, default=0, help="number of flops from which on all is solved")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    bot = load_bot(args.bot)
    game, strategy = bot.game, build_without_clock(bot)
    slumbot = Slumbot(game, Slumbot.Options(args.folder, args.cards, args.betting, args.batch), Path())
    seat = SlumbotSeat(slumbot)
    if isinstance(strategy, Resolve):
        strategy.resolver.whole = False  # a spot asks about hundreds of lines
        solving = [BeforeFlopSeat(strategy, position) for position in range(2)]
        before_flop(game, (solving[0], seat))
        before_flop(game, (seat, solving[1]))
        seats: Sequence[Any] = solving
    else:
        assert isinstance(strategy, Blueprint)
        seats = strategy.seats
    parts = Parts()
    agents = (
        Agent(BeforeFlop(strategy) if isinstance(strategy, Resolve) else strategy, bot.config.seed),
        Agent(slumbot, 1),
    )
    engine = Engine(game, (seats, (seat, seat)), (bot.config.seed, 1), slumbot.buckets)
    street, count = (FLOP, args.flops) if args.flops else (RIVER, args.rivers)
    won, spots = play(engine, agents, args.sets, args.seed, parts, street if count else len(STREETS))
    won *= 1000
    print(
        f"{args.bot} wins {estimate(won.mean(axis=1))} mbb/g from slumbot2019's batch {args.batch} over {args.sets:,} duplicate sets"
    )
    print(f"in the big blind {estimate(won[:, 0])}, on the button {estimate(won[:, 1])}")
    print(*parts.lines(2 * args.sets), sep="\n")
    if not count:
        return
    assert isinstance(strategy, Resolve)
    hands, name = 2 * min(args.sets, SPOT_SETS), STREETS[street]
    terms = SpotTerms(
        bot.fingerprint(strategy), f"{args.cards} {args.betting} {args.batch}", name, args.sets, args.seed
    )
    path = Path(args.folder) / f"{bot.config.name}-{name}s-{args.batch}-{args.seed}.jsonl"
    kept = MeasureFile(path, terms, SpotWin)
    for spot, share in drawn_spots(spots, hands, count, bot.config.seed)[len(kept.found) :]:
        kept.add(spot_win(strategy, slumbot, (bot.config.seed, 1), spot, share))
        if len(kept.found) % 10 == 0:
            print(f"{len(kept.found)} spots: {summary(kept.found)}", file=sys.stderr, flush=True)
    wins = kept.found[:count]
    dealt = np.zeros(hands)
    dealt[: len(spots)] = [1000 * spot.won for spot in spots]
    drawn = estimate([1000 * win.share * win.rows for win in wins])
    print(
        f"by rows, hands that come to the {name} win {estimate(dealt)} mbb/g as dealt, and {drawn} by the drawn spots"
    )
    print(f"solving from the {name} on wins {summary(wins)}; {count:,} of {len(spots):,} spots, see {path}")


if __name__ == "__main__":
    main()
