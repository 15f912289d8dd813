"""The IRC poker database is read: hands written by hand, and random hands in its three files, which come back or are refused."""

import random
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest

from limpet.protocol.archives.hand_file import Skip
from limpet.protocol.archives.hands import IrcFile, open_hands, read_hands
from limpet.protocol.cards import cards_text
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import settle
from limpet.protocol.situation import holdem
from limpet.protocol.state import CALL, FOLD, RAISE, State, raise_to

HDB = "801234567  12  77  4  2/90  2/90  2/170 2/170 Kd 7s 2c 9h 3d\n"
ROSTER = "801234567  4 ann bob cy dee\n"
PLAYERS = {
    "ann": "801234567  4  1 Bf    -     -     -       990    10    0",
    "bob": "801234567  4  2 Bc    k     kc    k      1500    80  170 Ks Kh",
    "cy": "801234567  4  3 f     -     -     -       700     0    0",
    "dee": "801234567  4  4 r     k     b     k      2000    80    0 7c 7h",
}


def written(folder: Path, hdb: str = HDB, roster: str = ROSTER, players: dict[str, str] | None = None) -> Path:
    """Write the files of hands, and return the first one."""
    (folder / "pdb").mkdir(parents=True, exist_ok=True)
    (folder / "hdb").write_text(hdb)
    (folder / "hroster").write_text(roster)
    for name, line in (PLAYERS if players is None else players).items():
        (folder / "pdb" / f"pdb.{name}").write_text("".join(f"{name} {one}\n" for one in line.splitlines()))
    return folder / "hdb"


def irc_texts(hand: HandRecord) -> tuple[str, str, dict[str, str]]:
    """Return a hand's lines of the three files, as the database would have them; each bet that nobody called counts as put in."""
    state, names = hand.state, hand.names
    order = list(range(len(names))) if len(names) > 2 else [1, 0]
    letters = [[""] * 4 for _ in names]
    letters[order[0]][0] = letters[order[1]][0] = "B"
    pots = ["0/0"] * 4
    for before, after in pairwise(state.path()):
        assert after.action is not None
        actor, kind = before.actor, after.action.kind
        bets = before.max_spent > (before.round_start().max_spent if before.round else 0)
        letter = {"f": "f", "c": "c" if before.to_call else "k", "r": "r" if bets else "b"}[kind]
        if kind != "f" and after.spent[actor] == state.game.stack[actor]:
            letter = "A"
        letters[actor][before.round] += letter
        if after.round > before.round or after.finished:
            in_ = sum(not after.has_folded(position) for position in range(len(names)))
            if in_ > 1:
                ends = 4 if after.finished else before.round + 1
                pots[before.round : ends] = [f"{in_}/{after.pot}"] * (ends - before.round)
    # The number of players and the pot stand at the beginning of the next street, the last ones at the showdown.
    board = " ".join(cards_text(state.board)[at : at + 2] for at in range(0, 2 * len(state.board), 2))
    players = {}
    for number, position in enumerate(order):
        spent, shown = state.spent[position], state.showdown and not state.has_folded(position)
        told = cards_text(hand.holes[position]) if shown else ""
        won = hand.values[position] + spent
        acts = " ".join(one or "-" for one in letters[position])
        players[names[position]] = (
            f"{hand.hand} {len(names)} {number + 1} {acts} {state.game.stack[position]} {spent} {won:.0f} {told[:2]} {told[2:]}"
        )
    roster = f"{hand.hand} {len(names)} {' '.join(names[position] for position in order)}\n"
    return f"{hand.hand} 1 1 {len(names)} {' '.join(pots)} {board}\n", roster, players


def random_hand(source: random.Random, number: int, limit: bool) -> HandRecord:
    count = source.randrange(2, 7)
    stack = tuple(source.randrange(2, 60) * 20 for _ in range(count))
    posts = (5, 10, *[0] * (count - 2)) if count > 2 else (10, 5)
    state = State.start(holdem(stack, posts, (10, 10, 20, 20) if limit else ()))
    while not state.finished:
        luck, bounds = source.random(), state.raise_bounds()
        if state.can_fold and luck < 0.3:
            state = state.apply(FOLD)
        elif luck > 0.7 and bounds is not None:
            sizes = (bounds[0], min(2 * bounds[0], bounds[1]), bounds[1])
            state = state.apply(RAISE if limit else raise_to(source.choice(sizes)))
        else:
            state = state.apply(CALL)
    cards = source.sample(range(52), 2 * count + 5)
    state = state.with_board(tuple(cards[-5:]))
    holes = tuple((cards[2 * position], cards[2 * position + 1]) for position in range(count))
    return HandRecord(number, state, holes, settle(state, holes), tuple(f"p{position}" for position in range(count)))


def put_together(folder: Path, hands: Iterable[HandRecord]) -> Path:
    hdb, roster, players = "", "", dict[str, str]()
    for hand in hands:
        line, names, deeds = irc_texts(hand)
        hdb, roster = hdb + line, roster + names
        for name, deed in deeds.items():
            players[name] = players.get(name, "") + deed + "\n"
    return written(folder, hdb, roster, players)


def test_a_hand_of_three_files(tmp_path: Path) -> None:
    (hand,) = read_hands(written(tmp_path / "holdem" / "199505"))
    assert str(hand) == "STATE:801234567:frfc/cc/crc/cc:|KsQd||7c7h/Kd7s2c/9h/3d:-10|80|0|-80:ann|bob|cy|dee" or str(
        hand
    )


@pytest.mark.parametrize("limit", [True, False])
def test_random_hands_come_back_or_are_refused(tmp_path: Path, limit: bool) -> None:
    source = random.Random(7)
    hands = {10**8 + number: random_hand(source, 10**8 + number, limit) for number in range(300)}
    path = put_together(tmp_path / ("holdem" if limit else "nolimit") / "199505", hands.values())
    skipped: list[Skip] = []
    read = list(read_hands(path, skipped=skipped))
    for hand in read:
        expected = hands[hand.hand]
        assert (hand.state.betting, hand.values, hand.names) == (
            expected.state.betting,
            expected.values,
            expected.names,
        )
        assert hand.state.board == expected.state.board and hand.state.spent == expected.state.spent
    assert len(read) + len(skipped) == len(hands)
    assert len(read) >= (290 if limit else 120)
    reasons = Counter(skip.reason for skip in skipped)
    assert limit or reasons["nothing tells the size of a bet"] > 20


@pytest.mark.parametrize(
    ("player", "old", "new", "reason"),
    [
        ("cy", "3 f", "3 Bf", "the blinds are not posted by the first two"),
        ("cy", "3 f  ", "3 k  ", "cy does nothing in a turn"),
        ("dee", "b     k ", "b     - ", "not over after"),
        ("bob", "k     kc ", "k     kk ", "bob cannot check there"),
        ("bob", "k     kc    k ", "f     -     - ", "bob folds where checking was free"),
        ("dee", "b     k ", "b     x ", "'x' is no action"),
        ("dee", " 80  ", " 90  ", "dee put in 90, but 80 by the betting"),
        ("bob", " 170 ", " 160 ", "differ by -10"),
        ("bob", "Ks Kh", "Ks Kd", "a card appears twice"),
        ("bob", "Ks Kh", "Ks", "other than two cards"),
        ("cy", "3 f", "2 f", "no order of deal"),
        ("ann", "801234567", "801234568", "ann has no line"),
    ],
)
def test_odd_hands_are_refused_with_the_reason(tmp_path: Path, player: str, old: str, new: str, reason: str) -> None:
    assert old in PLAYERS[player]
    path = written(tmp_path / "holdem2" / "199505", players=PLAYERS | {player: PLAYERS[player].replace(old, new)})
    refused(path, reason)


def refused(path: Path, reason: str) -> None:
    skipped: list[Skip] = []
    assert list(read_hands(path, skipped=skipped)) == []
    assert reason in skipped[0].reason


def test_hands_of_other_games_and_missing_lines_are_refused(tmp_path: Path) -> None:
    refused(written(tmp_path / "omaha" / "199505"), "omaha is no limit or no-limit hold'em")
    refused(written(tmp_path / "holdem", roster=""), "hroster has no players")
    refused(written(tmp_path / "holdem", hdb=HDB.replace("2/170 2/170 ", "")), "the pots of four streets")
    refused(written(tmp_path / "holdem", hdb=HDB.replace("2/90  2/90", "2/90  2/95")), "the pot is 95 after 2 rounds")
    refused(written(tmp_path / "holdem", hdb=HDB.replace("  4  2/90", "  5  2/90")), "4 players of 5 are told")


def test_a_player_who_quits_folds_and_files_may_lie_side_by_side(tmp_path: Path) -> None:
    path = written(tmp_path, players={})
    for name, line in PLAYERS.items():
        (tmp_path / f"pdb.{name}").write_text(f"{name} {line.replace('Bf ', 'BQ ')}\n")
    file = open_hands(path)
    assert isinstance(file, IrcFile)
    ((place, hand),) = file.hands()
    assert (place.time, hand.state.betting, file.match) == (801234567, "frfc/cc/crc/cc", tmp_path.name)
