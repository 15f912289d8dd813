"""The incremental reader against the plain one, on every recorded line and on random play."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.bot.client.protocol import MatchReader
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState, parse_match_state, visible_holes
from limpet.protocol.state import CALL, FOLD, RAISE, State, raise_to

VECTORS = Path(__file__).parents[2] / "vectors"
GAMES = {path.stem: GameDef.load(path) for path in sorted(VECTORS.glob("*.game"))}
# Rounds that deal nothing, a board before the first bet, three hole cards.
ODD = """GAMEDEF
nolimit
numPlayers = 3
numRounds = 4
stack = 300 500 700
blind = 5 10 0
firstPlayer = 3 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 3
numBoardCards = {}
END GAMEDEF
"""
GAMES["odd rounds"] = GameDef.parse(ODD.format("0 3 0 1"))
GAMES["board first"] = GameDef.parse(ODD.format("2 3 0 1"))


def steps(state: State) -> list[State]:
    """The path of a state, each with the board of the last, and without its own parents."""
    return [step.with_board(state.board)._replace(parent=None) for step in state.path()]


def assert_same(read: MatchState, plain: MatchState) -> None:
    assert read._replace(state=plain.state) == plain
    assert steps(read.state) == steps(plain.state)
    assert list(read.state.path())[-1].board == plain.state.board
    for step in read.state.path():
        assert len(step.board) == read.state.game.board_sizes[step.round]


def twin(reader: MatchReader, line: str, game: GameDef) -> None:
    """Both readers give the same state, or both refuse with the same words."""
    try:
        plain = parse_match_state(line, game)
    except ProtocolError as error:
        with pytest.raises(ProtocolError) as refused:
            reader.read(line)
        assert str(refused.value) == str(error)
    else:
        assert_same(reader.read(line), plain)


def wire_lines(path: Path) -> dict[str, list[str]]:
    """The dealer's lines of a recording, by seat."""
    seats: dict[str, list[str]] = {}
    for row in path.read_text().splitlines():
        if row.startswith("> "):
            _, seat, line = row.split(" ", 2)
            seats.setdefault(seat, []).append(line)
    return seats


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.wire")), ids=lambda path: path.stem)
def test_recorded_lines(path: Path) -> None:
    game = GAMES[path.stem]
    for lines in wire_lines(path).values():
        assert len(lines) > 30
        reader = MatchReader(game)
        for line in lines:
            assert_same(reader.read(line), parse_match_state(line, game))


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.wire")), ids=lambda path: path.stem)
def test_recorded_lines_in_any_order_with_gaps(path: Path) -> None:
    """Lost, repeated and shuffled lines: whatever came before, a line is read as if it stood alone."""
    game, rng = GAMES[path.stem], random.Random(1)
    everything = [line for lines in wire_lines(path).values() for line in lines]
    reader = MatchReader(game)
    for line in rng.choices(everything, k=1000):
        assert_same(reader.read(line), parse_match_state(line, game))


def random_match_lines(game: GameDef, rng: random.Random, hands: int) -> list[str]:
    """What one seat is sent in a match of random actions."""
    lines = []
    for hand in range(hands):
        position = rng.randrange(game.num_players)
        cards = rng.sample(game.deck, game.num_players * game.num_hole_cards + game.board_sizes[-1])
        holes = tuple(tuple(cards[p :: game.num_players][: game.num_hole_cards]) for p in range(game.num_players))
        board = tuple(cards[game.num_players * game.num_hole_cards :])
        state = State.start(game).with_board(board)
        while True:
            lines.append(str(MatchState(position, hand, state, visible_holes(state, holes, position))))
            if state.finished:
                break
            legal = [CALL, CALL] + [FOLD] * state.can_fold
            if bounds := state.raise_bounds():
                sizes = (bounds[0], bounds[1], rng.randint(*bounds))
                legal += [raise_to(rng.choice(sizes)) if game.no_limit else RAISE] * 2
            state = state.apply(rng.choice(legal)).with_board(board)
    return lines


@pytest.mark.parametrize("name", GAMES)
def test_random_play(name: str) -> None:
    game, rng = GAMES[name], random.Random(name)
    reader = MatchReader(game)
    for line in random_match_lines(game, rng, 200):
        twin(reader, line, game)


@settings(max_examples=150)
@given(data=st.data())
def test_damaged_lines_are_refused_as_the_plain_reader_refuses_them(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(GAMES)))
    game = GAMES[name]
    lines = random_match_lines(game, random.Random(data.draw(st.integers(0, 10))), 2)
    reader = MatchReader(game)
    for line in lines:
        if data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(line)))
            cut = data.draw(st.integers(0, 3))
            new = data.draw(st.text(alphabet="MATCHSTE:0129/|rfcAsKd2hx \u00b2\u0663", max_size=3))
            line = line[:at] + new + line[at + cut :]
        twin(reader, line, game)


def test_cards_that_change_within_a_hand_are_taken_as_they_are_told() -> None:
    """A dealer that starts again with hand 0: the same betting, other cards."""
    game = GAMES["holdem.nolimit.2p.reverse_blinds"]
    reader = MatchReader(game)
    for line in (
        "MATCHSTATE:0:0:cc/:AsKs|/2c3c4c",
        "MATCHSTATE:0:0:cc/:AsKs|/5c6c7c",
        "MATCHSTATE:0:0:cc/c:AdKd|/8c9cTc",
        "MATCHSTATE:0:0:cc/c:AdKd|/8c9c",
        "MATCHSTATE:0:0:cc/c:AdKd|/8c9cAd",
        "MATCHSTATE:0:0::2h2d|",
        "MATCHSTATE:1:0::|2h2d",
    ):
        twin(reader, line, game)
