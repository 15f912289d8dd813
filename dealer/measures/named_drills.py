"""Drills by name, by spot, and by the folder of a saved solve, and the drills of the betting before the flop.

The betting before the flop, heads-up, is solved as a whole for the 169 classes, with the blueprint's values of flops.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import shipped_strategies
from limpet.configs.fitting import meant
from limpet.configs.loading import ConfigError, mistakes, shipped_names
from limpet.dealer.measures.drill_questions import (
    MOST_DEALS,
    AskedAbout,
    Drill,
    PushFoldDrill,
    Question,
    Side,
    SpotDrill,
)
from limpet.dealer.measures.drill_session import drills_folder
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.equity import holdem_equity
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.flop_values import FlopValues
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.resolving.before_flop import BeforeFlop, BeforeFlopHand, preflop_values
from limpet.strategies.holdem.solutions.answer import hand_text
from limpet.strategies.holdem.solutions.lines import action_names, find_node, first_street, split_line
from limpet.strategies.holdem.solutions.solve import TABLES, Solve, load_solve, prepare, read_record
from limpet.strategies.holdem.solutions.spot import Spot, load_spot
from limpet.strategies.shortstacks.solve import check_prizes, pushfold
from limpet.strategies.shortstacks.spot import ShortSpot

BLUEPRINT = "hunl-200bb"
SIZES = (("min", 0.75, 1), (0.75, 1), (0.75, 1), (0.75,))
"""Raises, re-raises and so on, besides all-in: the smallest, or as fractions of the pot after a call."""
ITERATIONS = 1500
ALL = AskedAbout()
SEATS = ("BB", "SB")


@dataclass(frozen=True, eq=False)
class _Shown:
    """A decision, its actions in words, and range against range, the actor's first.

    `strategy` and `values` ``[action, 1326]`` are frequencies, and what each hand wins by each action, in big blinds.
    """

    state: State
    names: tuple[str, ...]
    strategy: NDArray[np.float32]
    values: NDArray[np.float32]
    ranges: tuple[Side, Side]


@dataclass(eq=False)
class PreflopDrill:
    """Decisions before the flop: both hands are dealt from the deck, and both play the solution."""

    solved: BeforeFlop
    flops: FlopValues
    wanted: AskedAbout
    _shown: dict[int, _Shown] = field(default_factory=dict)

    def draw(self, random: np.random.Generator) -> Question:
        for _ in range(MOST_DEALS):
            cards = random.permutation(52)[:4]
            hands = [hand_space().index(tuple(cards[at : at + 2].tolist())) for at in (0, 2)]
            if asked := [node for node in self._play(hands, random) if self._is_wanted(node)]:
                node = asked[random.integers(len(asked))]
                return self._question(node, hands[int(self.solved.tree.player[node])])
        raise ConfigError(f"no such decision came up in {MOST_DEALS} hands; ask for other positions")

    def again(self, line: str, hand: str) -> Question:
        place = find_node(self.solved.tree, split_line(line), self._chip, open_cards=True)
        return self._question(place.node, hand_space().index(parse_cards(hand)))

    @property
    def _chip(self) -> float:
        return 1 / self.solved.tree.game.big_blind

    @cached_property
    def _words(self) -> dict[int, tuple[str, ...]]:
        return {place.node: place.words for place in first_street(self.solved.tree, self._chip)}

    def _play(self, hands: list[int], random: np.random.Generator) -> list[int]:
        tree, node, nodes = self.solved.tree, 0, list[int]()
        while tree.player[node] >= 0:
            nodes.append(node)
            row = self.solved.rows(tree.state(node)).column(hands[int(tree.player[node])]).astype(np.float64)
            node = int(tree.child(node, int(random.choice(len(row), p=row / row.sum()))))
        return nodes

    def _is_wanted(self, node: int) -> bool:
        tree = self.solved.tree
        return self.wanted.takes("preflop", int(tree.player[node]), _is_raised(tree.state(node)))

    def _question(self, node: int, hand: int) -> Question:
        if node not in self._shown:
            self._shown[node] = self._decision(node)
        shown = self._shown[node]
        state = shown.state
        line = ", ".join(self._words[node])
        return Question(
            line=line,
            hand=hand_text(hand),
            said=line,
            seat=SEATS[state.actor],
            street="preflop",
            board="",
            pot=state.pot * self._chip,
            facing=_is_raised(state),
            names=shown.names,
            labels=shown.names,
            frequencies=tuple(map(float, shown.strategy[:, hand])),
            values=tuple(map(float, shown.values[:, hand])),
            ranges=shown.ranges,
        )

    def _decision(self, node: int) -> _Shown:
        state = self.solved.tree.state(node)
        actor, ranges = state.actor, self._ranges(state)
        solved, _ = preflop_values(BeforeFlopHand(self.solved), state, ranges, self.flops, best=True)
        own, theirs = ranges[actor], ranges[1 - actor]
        met = own * hand_space().compatible(theirs)
        equity = float(met @ holdem_equity(theirs, ()) / met.sum())
        won = float(met @ solved.values[actor] / met.sum())
        share = (won + state.spent[actor] * self._chip) / (state.pot * self._chip)
        return _Shown(
            state,
            action_names(self.solved.tree, node, self._chip),
            solved.strategy,
            solved.actions,
            (Side(equity, share), Side(1 - equity, 1 - share)),
        )

    def _ranges(self, state: State) -> NDArray[np.float64]:
        """Return float64 ``[2, 1326]``: how often each position comes to a state with each hand."""
        before, action = state.parent, state.action
        if before is None or action is None:
            return np.ones((2, hand_space().size))
        ranges, rows = self._ranges(before), self.solved.rows(before)
        ranges[before.actor] *= rows.dense(np.zeros(hand_space().size, np.bool_))[rows.actions.index(action)]
        return ranges


def _is_raised(state: State) -> bool:
    """Return whether the actor answers a raise, not a blind or a call alone."""
    return "r" in state.betting


def preflop_drill(wanted: AskedAbout) -> PreflopDrill:
    """Return the drill of the shipped blueprint's game, solved; some two seconds."""
    folder = shipped_strategies() / BLUEPRINT
    file = StrategyFile.open(folder)
    flops = FlopValues.open(folder, file.tree)
    menu = msgspec.convert({"sizes": [SIZES]}, BetMenu)
    solved = BeforeFlop(State.start(file.game), menu, np.ones((2, hand_space().size)), flops)
    solved.solve(ITERATIONS)
    return PreflopDrill(solved, flops, wanted)


Report = Callable[[Solve], None]
Stop = Callable[[], bool]


class NamedDrill(NamedTuple):
    """A drill that ships: decisions of a spot that ships with some of its fields changed, or of the betting before the flop."""

    text: str
    wanted: AskedAbout
    spot: str = ""
    fields: Mapping[str, Any] = {}


NAMED = {
    "preflop": NamedDrill("before the flop, 200 big blinds deep; ready in a few seconds", AskedAbout()),
    "defence": NamedDrill("before the flop, facing a raise; ready in a few seconds", AskedAbout(facing=True)),
    "flops": NamedDrill(
        "flops as the raiser, out of position; ready in half a minute",
        AskedAbout("flop", position=0),
        "f1",
        {"target": 1.0},
    ),
    "turns": NamedDrill(
        "turns with draws on both sides; ready in a few seconds", AskedAbout("turn"), "turn-flush-draw"
    ),
    "rivers": NamedDrill(
        "rivers that face a bet; ready in a second",
        AskedAbout("river", facing=True),
        "f1",
        {"board": "KsTh7s4d2c", "stack": 60, "menu": {"sizes": [[[0.33, 0.75, 1.5]]]}, "target": 0.1},
    ),
}
NUMBER = r"\d{1,6}(?:\.\d{1,6})?"
PUSH_FOLD = re.compile(rf"pushfold-({NUMBER}(?:,{NUMBER})*)(?:\+({NUMBER}))?(?::({NUMBER}(?:,{NUMBER})*))?")
"""Push or fold: heads-up so many big blinds deep, ``pushfold-10``, or with these stacks, the first to act first, each with an
ante, and prizes from the first place down: ``pushfold-8,12,10+0.1:50,30``."""
LIMITS = ("iterations", "seconds", "target", "threads", "note")
"""Fields of a spot that change how well it is solved, and not what is asked."""


class FoundDrill(NamedTuple):
    """A drill that is not solved yet, and the file of its answers.

    `begin` solves or loads it, with `report` and `stop` as for `Solve.run`. It raises `ConfigError` and `MemoryError`.
    """

    path: Path
    begin: Callable[[Report, Stop], Drill]


def find_drill(name: str, wanted: AskedAbout = ALL) -> FoundDrill:
    """Return a drill by its name, that of a spot, a spot's file, or the folder of a saved solve.

    wanted: in place of the decisions that a name asks about, where it says anything. Raises `ConfigError`, `ProtocolError`,
    and `MemoryError` for a spot that does not fit.
    """
    if match := PUSH_FOLD.fullmatch(name):
        if wanted != ALL:
            raise ConfigError(
                f"{name} asks about pushes and calls; streets and positions are for drills of solved spots"
            )
        return _pushfold(name, *(tuple(map(float, part.split(","))) if part else () for part in match.groups()))
    folder = Path(name)
    if (folder / TABLES).is_file():
        with mistakes():
            path = _path(folder.resolve().name, read_record(folder).spot, wanted)
        return FoundDrill(path, lambda report, stop: SpotDrill(_loaded(folder), wanted))
    named = NAMED.get(name)
    if named is not None:
        wanted = named.wanted if wanted == ALL else wanted
        if not named.spot:
            if wanted.street is not None:
                raise ConfigError(f"{name} asks about decisions before the flop; leave the street out")
            path = _file(name, SIZES, wanted)
            return FoundDrill(path, lambda report, stop: preflop_drill(wanted))
        spot = load_spot(named.spot, **dict(named.fields))
    else:
        spot = load_spot(_spot_named(name))
    spot.size().require()

    def begin(report: Report, stop: Stop) -> Drill:
        solve = prepare(spot)
        solve.run(report, stop)
        return SpotDrill(solve, wanted)

    return FoundDrill(_path(Path(name).stem, spot, wanted), begin)


def _spot_named(name: str) -> str:
    """Return the name or file of a spot. Raises `ConfigError` for a bare name of neither a drill nor a spot."""
    if re.search(r"[/\\.]", name) or name in shipped_names("spots"):
        return name
    if name.startswith("push"):
        raise ConfigError(
            f"{name}: write pushfold-10 for two stacks of 10 big blinds, or pushfold-8,12,10+0.1:50,30,20"
        )
    names = (*NAMED, "pushfold-10", *shipped_names("spots"))
    near = meant(name, names)
    raise ConfigError(f"{name}: no drill and no spot has this name; {near and near + ' '}they are {', '.join(names)}")


def _pushfold(name: str, stacks: tuple[float, ...], ante: tuple[float, ...], prizes: tuple[float, ...]) -> FoundDrill:
    """Return the drill of short stacks in big blinds, one number for both of two. Raises `ConfigError` and `ProtocolError`."""
    if (depth := max(stacks)) <= 1:
        raise ConfigError(f"{name}: nobody decides anything {depth:g} big blinds deep; write more than 1")
    stacks = stacks if len(stacks) > 1 else stacks * 2
    spot = ShortSpot(stacks, ante=sum(ante), payouts=prizes or None)
    check_prizes(spot)
    usual = ShortSpot((depth, depth)) == spot
    path = drills_folder() / f"pushfold-{depth:g}.json" if usual else _file(name, asdict(spot), ALL)
    return FoundDrill(path, lambda report, stop: PushFoldDrill(pushfold(stacks, ante=spot.ante, payouts=spot.payouts)))


def _loaded(folder: Path) -> Solve:
    with mistakes():
        return load_solve(folder)


def _path(name: str, spot: Spot, wanted: AskedAbout) -> Path:
    return _file(name, {key: value for key, value in msgspec.to_builtins(spot).items() if key not in LIMITS}, wanted)


def _file(name: str, asked: object, wanted: AskedAbout) -> Path:
    """Return the file of a drill, whose name tells apart games and decisions of one name."""
    digest = hashlib.sha256(msgspec.json.encode([asked, asdict(wanted)], order="deterministic")).hexdigest()[:8]
    return drills_folder() / f"{re.sub(r'[^A-Za-z0-9_-]+', '-', name)[:60]}-{digest}.json"
