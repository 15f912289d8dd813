"""Game definitions: read as the reference reads them, printed as it prints them, rejected where it would go wrong."""

import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import NO_RAISE_LIMIT, NO_STACK_LIMIT, Betting, GameDef
from tests.conftest import vector_folders
from tests.protocol.walks import games, play

SHIPPED = Path(__file__).parents[2] / "configs" / "games"

# The files as the reference's release and its common forks print them, a line an item.
FACTS = {
    "holdem.limit.2p.reverse_blinds": "limit; numPlayers = 2; numRounds = 4; blind = 10 5; raiseSize = 10 10 20 20; "
    "firstPlayer = 2 1 1 1; maxRaises = 3 4 4 4; numSuits = 4; numRanks = 13; numHoleCards = 2; "
    "numBoardCards = 0 3 1 1",
    "holdem.limit.3p": "limit; numPlayers = 3; numRounds = 4; blind = 5 10 0; raiseSize = 10 10 20 20; "
    "firstPlayer = 3 1 1 1; maxRaises = 3 4 4 4; numSuits = 4; numRanks = 13; numHoleCards = 2; "
    "numBoardCards = 0 3 1 1",
    "holdem.nolimit.2p.reverse_blinds": "nolimit; numPlayers = 2; numRounds = 4; stack = 20000 20000; "
    "blind = 100 50; firstPlayer = 2 1 1 1; numSuits = 4; numRanks = 13; numHoleCards = 2; numBoardCards = 0 3 1 1",
    "holdem.nolimit.3p": "nolimit; numPlayers = 3; numRounds = 4; stack = 20000 20000 20000; blind = 50 100 0; "
    "firstPlayer = 3 1 1 1; numSuits = 4; numRanks = 13; numHoleCards = 2; numBoardCards = 0 3 1 1",
    "holdem.nolimit.6p": "nolimit; numPlayers = 6; numRounds = 4; stack = 20000 20000 20000 20000 20000 20000; "
    "blind = 50 100 0 0 0 0; firstPlayer = 3 1 1 1; numSuits = 4; numRanks = 13; numHoleCards = 2; "
    "numBoardCards = 0 3 1 1",
    "kuhn.limit.2p": "limit; numPlayers = 2; numRounds = 1; blind = 1 1; raiseSize = 1; firstPlayer = 1; "
    "maxRaises = 1; numSuits = 1; numRanks = 3; numHoleCards = 1; numBoardCards = 0",
    "kuhn.limit.3p": "limit; numPlayers = 3; numRounds = 1; blind = 1 1 1; raiseSize = 1; firstPlayer = 1; "
    "maxRaises = 1; numSuits = 1; numRanks = 4; numHoleCards = 1; numBoardCards = 0",
    "leduc.limit.2p": "limit; numPlayers = 2; numRounds = 2; blind = 1 1; raiseSize = 2 4; firstPlayer = 1 1; "
    "maxRaises = 2 2; numSuits = 2; numRanks = 3; numHoleCards = 1; numBoardCards = 0 1",
    "leduc.nolimit.2p": "nolimit; numPlayers = 2; numRounds = 2; stack = 1200 1200; blind = 100 100; "
    "firstPlayer = 1 1; numSuits = 2; numRanks = 3; numHoleCards = 1; numBoardCards = 0 1",
}
OURS = {"toy-one-card", "draw5-pl-hu", "draw5-tiny", "draw-triple", "omaha-pl-hu"}
"""Definitions that the reference does not ship; `test_draws` and `test_omaha` have their rules."""

KUHN = """GAMEDEF
limit
numPlayers = 2
numRounds = 1
blind = 1 1
raiseSize = 1
maxRaises = 1
numSuits = 1
numRanks = 3
numHoleCards = 1
numBoardCards = 0
END GAMEDEF
"""
FIVE = "nolimit\nnumPlayers=5\nnumRounds=1\nblind=1 2 0 0 0\nnumSuits=4\nnumRanks=13\nnumHoleCards=2\nnumBoardCards=0\n"


def with_line(text: str, key: str, line: str) -> str:
    """`text` with its line of that key replaced."""
    return "".join(f"{line}\n" if old.startswith(key) else old for old in text.splitlines(keepends=True))


# --- the files that ship


@pytest.mark.parametrize("name", FACTS)
def test_shipped_files_are_verbatim(name: str) -> None:
    lines = FACTS[name].split("; ")
    assert (SHIPPED / f"{name}.game").read_text() == "\n".join(["GAMEDEF", *lines, "END GAMEDEF"]) + "\n"


def test_every_shipped_file_is_named_here() -> None:
    assert {path.stem for path in SHIPPED.glob("*.game")} == set(FACTS) | OURS


@pytest.mark.parametrize(
    "path", [*SHIPPED.glob("*.game"), *(p for f in vector_folders() for p in f.glob("*.game"))], ids=lambda p: p.stem
)
def test_printing_gives_the_file_again(path: Path) -> None:
    text, game = path.read_text(), GameDef.load(path)
    assert GameDef.parse(str(game)) == game
    # printGame leaves out comments, and a first player that is 1 in every round.
    left_out = ("firstPlayer = 1", "firstPlayer = 1 1")
    wanted = [line for line in text.splitlines() if line not in left_out and not line.startswith("#")]
    assert str(game).splitlines() == wanted


def test_reading_fills_every_field() -> None:
    game = GameDef.load(SHIPPED / "holdem.limit.2p.reverse_blinds.game")
    assert game == GameDef(
        betting=Betting.LIMIT,
        num_players=2,
        num_rounds=4,
        stack=(NO_STACK_LIMIT, NO_STACK_LIMIT),
        blind=(10, 5),
        raise_size=(10, 10, 20, 20),
        first_player=(1, 0, 0, 0),
        max_raises=(3, 4, 4, 4),
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3, 1, 1),
    )
    assert not game.no_limit
    assert game.big_blind == 10
    assert game.board_sizes == (0, 3, 4, 5)
    assert len(game.deck) == 52 == len(game.card_set)


# --- what the reference's reader lets pass


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace("GAMEDEF\n", "", 1), id="no GAMEDEF line"),
        pytest.param(lambda text: text.replace("END GAMEDEF\n", ""), id="no END GAMEDEF line"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: text.upper(), id="upper case"),
        pytest.param(lambda text: text.lower(), id="lower case"),
        pytest.param(lambda text: text.replace(" = ", " "), id="no ="),
        pytest.param(lambda text: text.replace(" = ", "="), id="no spaces"),
        pytest.param(lambda text: text.replace(" = ", "\t==  = "), id="many ="),
        pytest.param(lambda text: text.replace("blind = 1 1", "blind = 1 = 1"), id="= between"),
        pytest.param(lambda text: text.replace("blind = 1 1", "blind = +1 +01"), id="signs and zeros"),
        pytest.param(lambda text: text.replace("blind = 1 1", "blind1 1"), id="number at once"),
        pytest.param(lambda text: text.replace("blind = 1 1", "blind = 1 1 # the antes"), id="trailing comment"),
        pytest.param(lambda text: text.replace("blind = 1 1", "blind = 1 1.5"), id="fraction cut off"),
        pytest.param(lambda text: text.replace("blind = 1 1", "blind = 1 1 7 7 7"), id="more than needed"),
        pytest.param(lambda text: text.replace("limit\n", "limit betting\n"), id="word after limit"),
        pytest.param(lambda text: text.replace("limit\n", ""), id="limit is the default"),
        pytest.param(lambda text: text.replace("limit\n", "nolimit\nlimit\n"), id="last betting type wins"),
        pytest.param(lambda text: text.replace("blind", "blind = 9 9\nblind"), id="last duplicate wins"),
        pytest.param(lambda text: text.replace("numRanks", "numRanks = 9\nnumRanks"), id="last number wins"),
        pytest.param(lambda text: text.replace("numRanks = 3", "numRanks = 3\nnumRanks = x"), id="unread number"),
        pytest.param(lambda text: "# a comment\n; another\n\n" + text, id="comments and blank lines"),
        pytest.param(lambda text: text.replace("limit\n", "limit\n blind = 9 9\n"), id="indented line is ignored"),
        pytest.param(lambda text: text.replace("limit\n", "limit\nantique = 9\nseats 4\n"), id="unknown keys"),
        pytest.param(lambda text: text + "numPlayers = 7\n", id="nothing counts after END GAMEDEF"),
        pytest.param(lambda text: text.replace("END GAMEDEF", "end gamedefinition"), id="END by prefix"),
        pytest.param(
            lambda text: text.replace("limit\n", "limit\nfirstPlayer = 1 1 1 1\n"), id="more rounds than played"
        ),
        pytest.param(lambda text: text.replace("limit\n", "limit\nfirstPlayer = 1 9\n"), id="unplayed round unchecked"),
        pytest.param(lambda text: text.replace("limit\n", "limit\nfirstPlayer =\n"), id="empty first player"),
        pytest.param(lambda text: text.replace("limit\n", "limit\nstack = 2147483647 2147483647\n"), id="no stacks"),
    ],
)
def test_tolerant_reading(change: Callable[[str], str]) -> None:
    changed = change(KUHN)
    assert changed != KUHN
    assert GameDef.parse(changed) == GameDef.parse(KUHN)


def test_short_lists_of_first_players_and_raise_caps_are_filled_with_defaults() -> None:
    text = "nolimit\nnumPlayers 3\nnumRounds 4\nstack 9 9 9\nblind 1 2 0\nnumSuits 4\nnumRanks 13\nnumHoleCards 2\n"
    text += "numBoardCards 0 3 1 1\n"
    game = GameDef.parse(text + "firstPlayer = 3\nmaxRaises = 2 1\n")
    assert game.first_player == (2, 0, 0, 0)
    assert game.max_raises == (2, 1, NO_RAISE_LIMIT, NO_RAISE_LIMIT)
    assert GameDef.parse(text).first_player == (0, 0, 0, 0)
    assert GameDef.parse(text).max_raises == (NO_RAISE_LIMIT,) * 4
    # A shorter repeat leaves the values behind it: the reference reads into the same array.
    assert GameDef.parse(text + "firstPlayer = 1 2 3 2\nfirstPlayer = 3 1\n").first_player == (2, 0, 2, 1)


def test_more_raise_sizes_than_a_game_can_have_rounds_are_refused() -> None:
    """The reference reads up to ten values into an array of four; up to four it takes, however many rounds there are."""
    assert GameDef.parse(KUHN.replace("raiseSize = 1", "raiseSize = 1 2 3 4")).raise_size == (1,)
    for text in (KUHN.replace("raiseSize = 1", "raiseSize = 1 2 3 4 5"), "nolimit\n\n\n\n\n\nraiseSize 1 2 3 4 5\n"):
        with pytest.raises(
            GameDefError, match=r"^my.game:[67]: raiseSize: 5 values, but .* at most 4 rounds; write one"
        ):
            GameDef.parse(text, "my.game")


def test_a_shorter_repeat_of_a_counted_list_is_short() -> None:
    with pytest.raises(GameDefError, match="blind"):
        GameDef.parse(KUHN.replace("blind = 1 1", "blind = 1 1\nblind = 1"))


def test_a_raise_of_nothing_is_a_game() -> None:
    text = KUHN.replace("raiseSize = 1", "raiseSize = 0")
    assert GameDef.parse(text).raise_size == (0,)


def test_printing_order_and_defaults() -> None:
    game = GameDef.parse(KUHN)
    full = replace(game, stack=(5, NO_STACK_LIMIT), first_player=(1,))
    assert str(game) == KUHN
    assert str(full).splitlines() == [
        "GAMEDEF", "limit", "numPlayers = 2", "numRounds = 1", "stack = 5 2147483647", "blind = 1 1", "raiseSize = 1",
        "firstPlayer = 2", "maxRaises = 1", "numSuits = 1", "numRanks = 3", "numHoleCards = 1", "numBoardCards = 0",
        "END GAMEDEF",
    ]  # fmt: skip
    assert "raiseSize" not in str(replace(game, betting=Betting.NO_LIMIT, raise_size=()))
    assert "maxRaises" not in str(replace(game, max_raises=(NO_RAISE_LIMIT,)))


# --- what is rejected, and how it is told


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["numPlayers", "missing", "2 to 10"]),
        (with_line(KUHN, "numPlayers", "numPlayers = 1"), ["test.game:3", "numPlayers", "1 is not from 2 to 10"]),
        (with_line(KUHN, "numPlayers", "numPlayers = 11"), ["test.game:3", "11 is not from 2 to 10"]),
        (with_line(KUHN, "numPlayers", "numPlayers = two"), ["test.game:3", "no number", "numPlayers = N"]),
        (with_line(KUHN, "numPlayers", "numPlayers = 258"), ["test.game:3", "258"]),
        (with_line(KUHN, "numRounds", "numRounds = 5"), ["test.game:4", "numRounds", "5 is not from 1 to 4"]),
        (with_line(KUHN, "numRounds", "numRounds = 0"), ["test.game:4", "0 is not from 1 to 4"]),
        (with_line(KUHN, "numRounds", ""), ["numRounds", "missing"]),
        (with_line(KUHN, "blind", "blind = 1"), ["test.game:5", "blind", "1 values", "needs 2"]),
        (with_line(KUHN, "blind", "blind = 1,1"), ["test.game:5", "blind", "1 values", "needs 2"]),
        (with_line(KUHN, "blind", ""), ["test.game: blind", "missing", "needs 2"]),
        (with_line(KUHN, "blind", "blind = 1 -1"), ["test.game:5", "blind", "-1"]),
        (with_line(KUHN, "blind", "blind = 1 1\nstack = 0 5"), ["test.game:6", "stack", "0 is not"]),
        (with_line(KUHN, "blind", "blind = 1 1\nstack = 5"), ["test.game:6", "stack", "1 values", "needs 2"]),
        (with_line(KUHN, "blind", "blind = 1 6\nstack = 5 5"), ["test.game:5", "posts 6", "stack of 5"]),
        (with_line(KUHN, "blind", "blind = 5 5\nstack = 5 5"), ["test.game:5", "all in", "stack larger"]),
        (with_line(KUHN, "blind", "blind = 1 99999999999"), ["test.game:5", "99999999999"]),
        (with_line(KUHN, "blind", "blind = 1 " + "9" * 9999), ["test.game:5", "blind"]),
        (with_line(KUHN, "raiseSize", ""), ["raiseSize", "missing"]),
        (with_line(KUHN, "raiseSize", "raiseSize = -1"), ["test.game:6", "raiseSize", "-1"]),
        (with_line(KUHN, "maxRaises", "maxRaises = 256"), ["test.game:7", "256 is not from 0 to 255"]),
        (with_line(KUHN, "maxRaises", "maxRaises = -1"), ["test.game:7", "-1 is not from 0 to 255"]),
        (with_line(KUHN, "maxRaises", "firstPlayer = 3"), ["test.game:7", "firstPlayer", "3 is not from 1 to 2"]),
        (with_line(KUHN, "maxRaises", "firstPlayer = 0"), ["test.game:7", "firstPlayer", "0 is not from 1 to 2"]),
        (with_line(KUHN, "numSuits", "numSuits = 5"), ["test.game:8", "5 is not from 1 to 4"]),
        (with_line(KUHN, "numRanks", "numRanks = 14"), ["test.game:9", "14 is not from 1 to 13"]),
        (with_line(KUHN, "numRanks", "numRanks = 1"), ["numHoleCards", "2 cards", "deck of 1"]),
        (with_line(KUHN, "numHoleCards", "numHoleCards = 4"), ["test.game:10", "4 is not from 1 to 3"]),
        (with_line(KUHN, "numBoardCards", "numBoardCards ="), ["test.game:11", "numBoardCards", "needs 1"]),
        (with_line(KUHN, "numBoardCards", "numBoardCards = 2"), ["4 cards", "deck of 3"]),
        (with_line(KUHN, "numBoardCards", "numBoardCards = 8"), ["test.game:11", "8 board cards", "at most 7"]),
        (FIVE, ["stack", "missing", "5 or more"]),
    ],
)  # fmt: skip
def test_rejected_with_place_value_and_remedy(text: str, parts: list[str]) -> None:
    with pytest.raises(GameDefError) as error:
        GameDef.parse(text, "test.game")
    assert str(error.value).startswith("test.game")
    for part in parts:
        assert part in str(error.value)


def _chips(players: int, stack: int, raise_size: int | None = None, max_raises: int = 255, rounds: int = 1) -> str:
    """A game of so many chips: no-limit unless there is a raise size."""
    betting = "nolimit" if raise_size is None else f"limit\nraiseSize = {' '.join([str(raise_size)] * rounds)}"
    per_round = f"maxRaises = {' '.join([str(max_raises)] * rounds)}\nnumBoardCards = {' '.join('0' * rounds)}"
    return (
        f"{betting}\nnumPlayers = {players}\nnumRounds = {rounds}\nstack = {' '.join([str(stack)] * players)}\n"
        f"blind = {' '.join('1' * players)}\n{per_round}\nnumSuits = 4\nnumRanks = 13\nnumHoleCards = 1\n"
    )


@pytest.mark.parametrize(
    ("most", "beyond", "named"),
    [
        (_chips(2, 2**30 - 1), _chips(2, 2**30), "test.game:4: stack: 1073741824"),
        (_chips(3, 2**30 - 1), _chips(3, 2**31 - 1), "test.game:4: stack: 2147483647"),
        (_chips(4, (2**31 - 1) // 3), _chips(4, 2**31 // 3 + 1), "test.game:4: stack: 715827883 715827883"),
        (_chips(10, (2**31 - 1) // 9), _chips(10, 2**31 // 9 + 1), "test.game:4: stack: 238609295"),
        (_chips(2, 2**31 - 1, 9 * 10**8, 2), _chips(2, 2**31 - 1, 9 * 10**8, 3), "test.game:2: raiseSize: 900000000"),
        (_chips(2, 2**31 - 1, 9 * 10**8, 1, 2), _chips(2, 2**31 - 1, 9 * 10**8, 1, 3), "test.game:2: raiseSize: 9"),
        (_chips(2, 2**31 - 1, 2**31 - 2, 1), _chips(2, 2**31 - 1, 2**31 - 1, 1), "test.game:2: raiseSize: 2147483647"),
        (_chips(2, 100, 2**31 - 101), _chips(2, 100, 2**31 - 100), "test.game:2: raiseSize: 2147483548"),
        (_chips(2, 2**31 - 1, 34087042), _chips(2, 2**31 - 1, 34087043), "test.game:2: raiseSize: 34087043"),
        (_chips(3, 2**31 - 1, 10**9, 1), _chips(3, 2**31 - 1, 10**9 + 10**8, 1), "test.game:5: stack: 2147483647"),
    ],
)
def test_games_whose_chips_could_overflow_the_reference_are_refused(most: str, beyond: str, named: str) -> None:
    assert GameDef.parse(most, "test.game").num_players
    with pytest.raises(GameDefError, match=named) as error:
        GameDef.parse(beyond, "test.game")
    assert "reference" in str(error.value) and ";" in str(error.value)


def test_a_no_limit_game_needs_stacks() -> None:
    text = "".join(line for line in _chips(2, 5).splitlines(True) if not line.startswith("stack"))
    with pytest.raises(GameDefError, match="test.game: stack: no line.* write stacks of at most 1073741823"):
        GameDef.parse(text, "test.game")


def _scaled(game: GameDef, factor: int) -> GameDef:
    """The same game with all chips multiplied; a stack without limit stays one."""
    stack = tuple(chips if chips == NO_STACK_LIMIT else chips * factor for chips in game.stack)
    blind, sizes = (tuple(chips * factor for chips in series) for series in (game.blind, game.raise_size))
    return replace(game, stack=stack, blind=blind, raise_size=sizes)


@given(games(), st.binary(min_size=20, max_size=80))
@settings(max_examples=60)
def test_the_reference_never_counts_beyond_32_bits_in_a_game_that_is_accepted(game: GameDef, choices: bytes) -> None:
    """With the most chips that are accepted, every sum of the reference that can grow is worked out here exactly."""
    assume(game.no_limit is False or MAX_CHIPS // 4 not in game.stack)
    factor = 1
    for power in range(30, -1, -1):
        with suppress(GameDefError):
            GameDef.parse(str(_scaled(game, factor + 2**power)))
            factor += 2**power
    large = _scaled(game, factor)
    state = play(large, choices, ())
    sums = [2 * max(large.blind)] if large.no_limit else []  # the first minimum raise, which limit games have not
    for step in state.path():
        if step.parent is not None and step.action is not None and step.action.kind == "r":
            before = step.parent
            sums.append(2 * step.action.size or before.max_spent + large.raise_size[before.round])
    below = 0
    for level in sorted({chips for chips in state.spent if chips}):
        sums.append((level - below) * (sum(chips >= level for chips in state.spent) - 1))
        below = level
    assert max(sums, default=0) <= MAX_CHIPS


def test_five_players_with_stacks_are_fine() -> None:
    assert GameDef.parse(FIVE + "stack = 9 9 9 9 9\n").stack == (9,) * 5


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(GameDefError, match=r"nowhere\.game.*No such file"):
        GameDef.load(tmp_path / "nowhere.game")
    with pytest.raises(GameDefError, match="directory"):
        GameDef.load(tmp_path)


def test_a_binary_file_is_an_error_of_the_definition(tmp_path: Path) -> None:
    path = tmp_path / "binary.game"
    path.write_bytes(random.Random(1).randbytes(4096))
    with pytest.raises(GameDefError, match=r"binary\.game"):
        GameDef.load(path)


# --- properties


@given(games())
def test_round_trip(game: GameDef) -> None:
    again = GameDef.parse(str(game))
    assert again == game
    assert str(again) == str(game)
    assert hash(again) == hash(game)
    assert again.rules_hash == game.rules_hash


@given(st.text(alphabet=st.sampled_from("limtnoupayersRdkbcfGAMED =\t\r\n0123456789-+#"), max_size=300) | st.text())
def test_any_text_is_a_game_or_a_clear_error(text: str) -> None:
    try:
        game = GameDef.parse(text, "fuzz.game")
    except GameDefError as error:
        assert str(error).startswith("fuzz.game")
    else:
        assert GameDef.parse(str(game)) == game


def test_the_rules_hash_leaves_out_the_stacks_only() -> None:
    game = GameDef.load(SHIPPED / "holdem.nolimit.2p.reverse_blinds.game")
    assert replace(game, stack=(5000, 5000)).rules_hash == game.rules_hash
    assert replace(game, stack=(5000, 5000)) != game
    changes: dict[str, Any] = {
        "blind": (50, 100), "first_player": (0, 0, 0, 0), "max_raises": (3, 4, 4, 4), "num_ranks": 12, "num_suits": 3,
        "num_hole_cards": 1, "num_board_cards": (0, 3, 1, 2),
    }  # fmt: skip
    hashes = {replace(game, **{name: value}).rules_hash for name, value in changes.items()}
    assert len(hashes | {game.rules_hash}) == len(changes) + 1


def test_a_game_pickled_in_another_process_is_the_same_key() -> None:
    path = SHIPPED / "kuhn.limit.2p.game"
    script = (
        "import pickle, sys; from limpet.protocol.gamedef import GameDef; "
        f"game = GameDef.load({str(path)!r}); hash(game); sys.stdout.buffer.write(pickle.dumps(game))"
    )
    there = pickle.loads(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout)
    assert {there: 1}[GameDef.load(path)] == 1
