"""Chances of trackers' statistics: hands told by hand, and a plain twin that reads each definition off the prefix."""

import random
from collections import Counter
from itertools import pairwise

import pytest

from limpet.dealer.reports.tracker_chances import (
    THREE_BET,
    WENT_TO_SHOWDOWN,
    Chance,
    chances,
    number_of_statistics,
    statistics,
)
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import street_names
from limpet.protocol.state import CALL, FOLD, State, raise_to
from tests.dealer.helpers import load
from tests.protocol.walks import after

SIX = GameDef.parse(
    "GAMEDEF\nnolimit\nnumPlayers = 6\nnumRounds = 4\n"
    "stack = 20000 20000 20000 20000 20000 20000\nblind = 50 100 0 0 0 0\nfirstPlayer = 3 1 1 1\nnumSuits = 4\n"
    "numRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 3 1 1\nEND GAMEDEF\n"
)
HEADS_UP = load("holdem.nolimit.2p.reverse_blinds")


def told(game: GameDef, betting: str, *names: str) -> dict[str, list[tuple[int, bool]]]:
    """Return the position and whether it was taken of each chance for the statistics of some names."""
    table = statistics(street_names(game))
    found: dict[str, list[tuple[int, bool]]] = {name: [] for name in names}
    for position, number, taken in chances(after(game, betting)):
        if table[number].name in found:
            found[table[number].name].append((position, taken))
    return found


@pytest.mark.parametrize(
    ("betting", "expected"),
    [
        # Under the gun folds, the hijack folds, the cutoff raises, the button calls, the small blind raises, all fold.
        (
            "ffr250cr1100fff",
            {
                "steal": [(4, True)],
                "3-bet": [(5, False), (0, True)],
                "squeeze": [(0, True)],
                "fold to steal": [],
                "fold to 3-bet": [(4, True)],
                "4-bet": [(1, False), (4, False), (5, False)],
                "VPIP": [(2, False), (3, False), (4, True), (5, True), (0, True), (1, False)],
                "PFR": [(2, False), (3, False), (4, True), (5, False), (0, True), (1, False)],
            },
        ),
        # The button steals, the small blind folds, the big blind raises, the button raises again, and a fold.
        (
            "fffr250fr900r2200f",
            {
                "steal": [(4, False), (5, True)],
                "fold to steal": [(0, True), (1, False)],
                "3-bet steal": [(0, False), (1, True)],
                "fold to 3-bet": [(5, False)],
                "fold to 4-bet": [(1, True)],
                "4-bet": [(5, True)],
            },
        ),
        # Everybody folds: the big blind had no decision.
        ("fffff", {"steal": [(4, False), (5, False), (0, False)], "VPIP": [(p, False) for p in (2, 3, 4, 5, 0)]}),
    ],
)
def test_before_the_flop(betting: str, expected: dict[str, list[tuple[int, bool]]]) -> None:
    assert {name: sorted(found) for name, found in told(SIX, betting, *expected).items()} == {
        name: sorted(found) for name, found in expected.items()
    }


def test_continued_bets_follow_each_other() -> None:
    names = [
        f"{kind} {street}" for kind in ("c-bet", "fold to c-bet", "check-raise") for street in ("flop", "turn", "river")
    ]
    # The button raises and is called; it bets flop and turn, and checks the river behind.
    found = told(HEADS_UP, "r250c/cr400c/cr1200c/cc", *names)
    assert [found[f"c-bet {street}"] for street in ("flop", "turn", "river")] == [
        [(1, True)],
        [(1, True)],
        [(1, False)],
    ]
    assert found["fold to c-bet flop"] == found["fold to c-bet turn"] == [(0, False)]
    assert found["check-raise flop"] == [(0, False)]
    # A flop checked behind leaves no c-bet of the turn; a bet into the raiser takes the chance away.
    assert told(HEADS_UP, "r250c/cc/cr500f", *names)["c-bet turn"] == []
    assert told(HEADS_UP, "r250c/r350r900f", *names)["c-bet flop"] == []
    # The c-bet is raised after a check.
    found = told(HEADS_UP, "r250c/cr400r1200f", *names)
    assert found["check-raise flop"] == [(0, True)] and found["fold to c-bet flop"] == [(0, False)]
    # A raiser of the flop who had not c-bet it has no c-bet of the turn.
    assert told(HEADS_UP, "r250c/r350r900c/cc/cc", *names)["c-bet turn"] == []


def test_nobody_can_raise_an_all_in() -> None:
    found = list(chances(after(HEADS_UP, "r20000c///")))
    assert not [chance for chance in found if chance.statistic == THREE_BET]
    showdown = [c for c in found if c.statistic == WENT_TO_SHOWDOWN]
    assert showdown == [Chance(0, WENT_TO_SHOWDOWN, True), Chance(1, WENT_TO_SHOWDOWN, True)]


# --- A plain twin: each definition is read off the letters of the actions before a decision.

Decision = tuple[int, str, bool]
"""Who acts, the letter, and whether there is something to call."""


def before_flop_twin(decisions: list[Decision], stealers: set[int], blinds: set[int]) -> Counter[tuple[int, str, bool]]:
    found: Counter[tuple[int, str, bool]] = Counter()
    for number, (actor, kind, _) in enumerate(decisions):
        before = decisions[:number]
        raisers = [who for who, letter, _ in before if letter == "r"]
        last = max((n for n, (_, letter, _) in enumerate(before) if letter == "r"), default=-1)
        called = any(letter == "c" and pays for _, letter, pays in before[last + 1 :])
        raised, folded = kind == "r", kind == "f"
        if not raisers and not called and actor in stealers:
            found[actor, "steal", raised] += 1
        if len(raisers) == 1 and raisers[0] != actor:
            found[actor, "3-bet", raised] += 1
            if called:
                found[actor, "squeeze", raised] += 1
            nobody_before = all(letter == "f" for _, letter, _ in before[:last])
            if nobody_before and raisers[0] in stealers and not called and actor in blinds:
                found[actor, "fold to steal", folded] += 1
                found[actor, "3-bet steal", raised] += 1
        if len(raisers) == 2 and raisers[1] != actor:
            found[actor, "4-bet", raised] += 1
            if actor == raisers[0]:
                found[actor, "fold to 3-bet", folded] += 1
        if len(raisers) == 3 and actor == raisers[1] and raisers[2] != actor:
            found[actor, "fold to 4-bet", folded] += 1
    for actor in {who for who, _, _ in decisions}:
        own = [(letter, pays) for who, letter, pays in decisions if who == actor]
        found[actor, "VPIP", any(letter == "r" or (letter == "c" and pays) for letter, pays in own)] += 1
        found[actor, "PFR", any(letter == "r" for letter, _ in own)] += 1
    return found


def after_flop_twin(rounds: list[list[Decision]], names: tuple[str, ...]) -> Counter[tuple[int, str, bool]]:
    found: Counter[tuple[int, str, bool]] = Counter()
    for round_ in range(1, len(rounds)):
        name, decisions = names[round_], rounds[round_]
        leader: int | None = None
        for earlier in range(round_):
            raisers = [who for who, letter, _ in rounds[earlier] if letter == "r"]
            if earlier and (not raisers or raisers[0] != leader or raisers[-1] != leader):
                # Whoever raises last has bet first, or there is no chain.
                leader = None
                break
            leader = raisers[-1] if raisers else None
            if leader is None:
                break
        bettors = [(n, who) for n, (who, letter, _) in enumerate(decisions) if letter == "r"]
        first = bettors[0][0] if bettors else len(decisions)
        for number, (actor, kind, pays) in enumerate(decisions):
            if kind != "c" or pays:
                found[actor, f"aggression {name}", kind == "r"] += 1
            if (
                actor == leader
                and number <= first
                and (number == first or actor not in [d[0] for d in decisions[:number]])
            ):
                found[actor, f"c-bet {name}", number == first] += 1
            raises_before = sum(n < number for n, _ in bettors)
            if raises_before == 1 and bettors[0][1] == leader:
                found[actor, f"fold to c-bet {name}", kind == "f"] += 1
            own = [(letter, paid) for who, letter, paid in decisions[:number] if who == actor]
            if raises_before and own == [("c", False)]:
                found[actor, f"check-raise {name}", kind == "r"] += 1
    return found


def random_hand(game: GameDef, rng: random.Random) -> State:
    """Return the end of a hand of small raises, in which nobody comes near to all-in."""
    state = State.start(game)
    while not state.finished:
        bounds = state.raise_bounds()
        kind = rng.choices("fcr", (1, 3, 3 if state.raises < 4 else 0))[0]
        if kind == "r" and bounds is not None and bounds[0] < 15000:
            state = state.apply(raise_to(bounds[0]))
        elif kind == "f" and state.can_fold:
            state = state.apply(FOLD)
        else:
            state = state.apply(CALL)
    return state


@pytest.mark.parametrize(("game", "stealers"), [(SIX, {4, 5, 0}), (HEADS_UP, {1}), (load("holdem.nolimit.3p"), {2, 0})])
def test_a_plain_twin_counts_the_same(game: GameDef, stealers: set[int]) -> None:
    rng, names = random.Random(5), street_names(game)
    table = statistics(names)
    seen: Counter[str] = Counter()
    for _ in range(400):
        end = random_hand(game, rng)
        rounds: list[list[Decision]] = [[] for _ in range(4)]
        for before, now in pairwise(end.path()):
            assert now.action is not None
            rounds[before.round].append((before.actor, now.action.kind, before.to_call > 0))
        expected = before_flop_twin(rounds[0], stealers, {0, 1})
        expected += after_flop_twin(rounds[: end.round + 1], names)
        last = len(table) - 3
        found = Counter((position, table[n].name, taken) for position, n, taken in chances(end) if 0 <= n < last)
        assert found == expected, end.betting
        seen.update(name for _, name, _ in found)
        assert all(-3 <= chance.statistic < number_of_statistics(game) - 3 for chance in chances(end))
    assert {statistic.name for statistic in table[:-3]} - set(seen) <= ({"squeeze"} if game is HEADS_UP else set())
