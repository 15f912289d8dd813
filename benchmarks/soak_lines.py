"""Fuzzed lines at everything that reads: the dealer's table, the client, the readers of logs and of definitions.

A line is a real one, or a real one that was cut, spliced, repeated, swapped or overwritten, or bytes at random, or one
that is far too long. What may come of a line is said by the documented errors and nothing else; beyond that, quick and
slow readers must agree, and a table that has heard all this must still hold every hand once.
"""

import random
import re
import tempfile
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from soak_tables import ROOT, SHIPPED, Broken, any_game, check_table

from limpet.bot.client.protocol import BadLine, Conversation, Decide, HandOver, response
from limpet.dealer.table.deals import Deals
from limpet.dealer.table.table import Table
from limpet.protocol.archives.acpc import HandReader, LogStream
from limpet.protocol.draws import Hands
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.matchlog import HandRecord, parse_transaction, read_entry, read_transactions
from limpet.protocol.messages import LineSplitter, parse_match_state, read_match_state
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, State
from tests.dealer.helpers import Sitting, terms
from tests.protocol.walks import answer

AT_ONCE = 4_000
"""Lines, about, that one table or reader hears in its life."""
FAR_TOO_LONG = 1 / 3_000
"""Share of lines of more than 65,536 bytes."""
MOST_ACTIONS = 4 * 64
"""Actions that a hand may have: the reference's limit of a round, for each round."""

_NUMBER = re.compile(rb"\d+")
_NUMBERS = (
    b"0",
    b"00",
    b"-1",
    b"+7",
    b"255",
    b"256",
    b"2147483647",
    b"2147483648",
    b"4294967296",
    b"9" * 25,
    b"9" * 5000,
)
_PIECES = (
    b"MATCHSTATE:", b"STATE:", b"SCORE:", b"VERSION:2.0.0", b"# name/game/hands/seed ", b"#", b";", b":", b"::", b"|", b"/",
    b"r", b"c", b"f", b"r1", b"As", b"2c2c", b"Zz", b"\r", b"\0", b"\t", b" ", b" # 1.5", b"\xff", "²".encode(), b"\x1b[2J",
    b"=", b"-", b".", b"1e9", b"nan", b"END GAMEDEF",
)  # fmt: skip


def mutated(rng: random.Random, line: bytes, others: Sequence[bytes]) -> bytes:
    """`line` with a few changes; without a line end in it."""
    if rng.random() < FAR_TOO_LONG:
        return (line or b"x") * (70_000 // (len(line) or 1) + 1)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        start = rng.randrange(len(line) + 1)
        end = min(len(line), start + rng.choice((1, 1, 2, 4, 20)))
        kind = rng.randrange(10)
        if kind == 0:
            line = line[:start] + line[end:]
        elif kind == 1:
            line = line[:start] + rng.randbytes(end - start) + line[end:]
        elif kind == 2:
            line = line[:start] + rng.choice(_PIECES) + line[start:]
        elif kind == 3:
            line = line[:start]
        elif kind == 4:
            line = line[:end] + line[start:]
        elif kind == 5:
            other = rng.choice(others)
            line = line[:start] + other[rng.randrange(len(other) + 1) :]
        elif kind == 6 and (numbers := list(_NUMBER.finditer(line))):
            number = rng.choice(numbers)
            line = line[: number.start()] + rng.choice(_NUMBERS) + line[number.end() :]
        elif kind == 7:
            line = rng.randbytes(rng.randrange(60))
        elif kind == 8:
            fields = line.split(b":")
            rng.shuffle(fields)
            line = b":".join(fields)
        elif kind == 9:
            line = line[:start] + bytes(rng.choices(b"0123456789crf/|:AKsd", k=end - start)) + line[end:]
    return line.replace(b"\n", b"")


def at_dealer(rng: random.Random) -> int:
    """A match in which most lines are wrong. Returns how many lines there were."""
    game = any_game(rng)
    hands, quiet = rng.randint(1, 100), rng.random() < 0.7
    match = terms(game, hands, rng.getrandbits(32), fixed=rng.random() < 0.5)
    greeted = rng.random() < 0.9
    sitting = Sitting(match, quiet, versions=greeted)
    table = sitting.table
    if not greeted:
        table.start(sitting.now)
    splitters = [LineSplitter() for _ in range(game.num_players)]
    said = 0
    while (awaited := table.awaited) is not None:
        seat = awaited if rng.random() < 0.9 else rng.randrange(game.num_players)
        if table.waiting(seat) > 16:  # the server would not read it either
            seat = awaited
        last = sitting.last[seat].encode()
        line = last + rng.choice((b":c", b":c", b":r", b":f", b":r%d" % rng.randrange(400)))
        if not last:
            line = rng.choice((b"VERSION:2.0.0", b"VERSION: 2. 0.9 and so on", b"VERSION:2.0"))
        if rng.random() < 0.6 and said < AT_ONCE:
            line = mutated(rng, line, (last, b"VERSION:2.0.0", b"#GAMEOVER"))
        sitting.now += rng.randrange(2_000)
        for data in in_pieces(rng, line + rng.choice((b"\r\n", b"\n"))):
            for text in splitters[seat].feed(data):
                if text is None:
                    table.dropped(sitting.now, seat)
                else:
                    sitting.say(seat, text.decode("latin-1"))
        said += 1
        if rng.random() < 1e-4:
            leave(rng, sitting, rng.randrange(game.num_players))
    sitting.collect()
    check_table(sitting.log, sitting.transactions, sitting.shown, game.num_players, hands)
    again = Table(match, quiet=True)
    lines = again.replay(parse_transaction(line, game) for line in sitting.transactions)
    if lines != sitting.log[:-1] or (sitting.log[-1].startswith("SCORE") and sitting.log[-1] != str(again.score)):
        raise Broken("the transactions played again give another log")
    return said


def leave(rng: random.Random, sitting: Sitting, seat: int) -> None:
    """A player hangs up, is late, or the dealer is stopped."""
    what = rng.randrange(3)
    if what == 0:
        sitting.lose(seat)
    elif what == 1:
        sitting.wait(600_000_001)
    else:
        sitting.table.stop("the soak says so")


def in_pieces(rng: random.Random, data: bytes) -> list[bytes]:
    """`data`, now and then cut in two or three."""
    if rng.random() < 0.9:
        return [data]
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return [data[: cuts[0]], data[cuts[0] : cuts[1]], data[cuts[1] :]]


def played(rng: random.Random, game: GameDef, hands: int) -> Sitting:
    """A match of random players without a mistake."""
    sitting = Sitting(terms(game, hands, rng.getrandbits(32)))
    return sitting.play(lambda match: str(answer(match.state, match.own_hand, rng.randrange(64))))


def at_client(rng: random.Random) -> int:
    """A client that hears a match with most lines wrong. Returns how many lines there were."""
    game = any_game(rng)
    sitting = played(rng, game, 20)
    seat = rng.randrange(game.num_players)
    lines = [line.encode() for to, line in sitting.shown if to == seat][: AT_ONCE // 4]
    client = Conversation(game)
    said = 0
    while said < AT_ONCE:
        for right in lines:
            line = right if rng.random() < 0.3 else mutated(rng, right, lines)
            said += 1
            events = [event for data in in_pieces(rng, line + b"\r\n") for event in client.receive(data)]
            if len(events) > 1:
                raise Broken(f"{line!r}: {events}")
            text = line.decode("latin-1")
            strict = is_match_state(text, game)
            loose = strict or (text != text.rstrip() and is_match_state(text.rstrip(), game))
            for event in events:
                if isinstance(event, BadLine):
                    if strict:
                        raise Broken(f"{line!r} can be read, but {event}")
                    continue
                if not loose:
                    raise Broken(f"{line!r} cannot be read, but {event}")
                state = event.match.state
                if isinstance(event, Decide):
                    action = answer(state, event.match.own_hand, rng.randrange(64))
                    back = response(event, action).decode("latin-1")
                    echo, end = read_match_state(back, game)
                    if not event.match.my_turn or echo.state != state or back[end:] != f":{action}\r\n":
                        raise Broken(f"{line!r}: answered {back!r}")
                elif isinstance(event, HandOver) and not state.finished:
                    raise Broken(f"{line!r} is no end of a hand")
            if not client.whereabouts:
                raise Broken(f"{line!r}: nowhere")
    client.end()
    return said


def is_match_state(text: str, game: GameDef) -> bool:
    """True if the strict reader takes it."""
    try:
        parse_match_state(text, game)
    except ProtocolError:
        return False
    return True


def at_log_reader(rng: random.Random) -> int:
    """Lines of logs and transaction logs, one by one and as files. Returns how many lines there were."""
    game = any_game(rng)
    sitting = played(rng, game, 50)
    header = str(sitting.table.terms.header).encode().split(b"\n")
    log = [*header, *(line.encode() for line in sitting.log)]
    transactions = [line.encode() for line in sitting.transactions]
    reader = HandReader(game)
    said = 0
    while said < AT_ONCE:
        text = [line if rng.random() < 0.3 else mutated(rng, line, log) for line in log]
        for line in text:
            read_alike(line.decode("utf-8", "surrogateescape"), reader, game)
        if rng.random() < 0.25:
            read_file(b"\n".join(text) + rng.choice((b"", b"\n")), game)
        moves = [line if rng.random() < 0.3 else mutated(rng, line, transactions) for line in transactions[:100]]
        for line in moves:
            refused(parse_transaction, line.decode("utf-8", "surrogateescape"), game)
        refused(read_transactions, "\n".join(line.decode("latin-1") for line in moves), game)
        said += len(text) + len(moves)
    return said


def refused(read: Callable[..., object], *arguments: object, **options: object) -> None:
    """Call a reader that may raise `ProtocolError` and nothing else."""
    try:
        read(*arguments, **options)
    except ProtocolError as error:
        if not str(error):
            raise Broken("an error that says nothing") from error


def read_alike(line: str, reader: HandReader, game: GameDef) -> None:
    """See that the quick reader of hands says what the slow one says, or refuses what no dealer writes."""
    try:
        slow = read_entry(line, game, "here:7")
    except ProtocolError:
        slow = None
    try:
        quick = reader.read(line, "here:7")
    except ProtocolError as error:
        if not str(error).startswith("here:7: "):
            raise Broken(f"{error} does not begin with where it is") from error
        if slow is not None and not (isinstance(slow, HandRecord) and not is_possible(slow)):
            raise Broken(f"{line!r}: the slow reader says {slow!r}, the quick one {error}") from error
    else:
        if quick != slow and " # " not in line:
            raise Broken(f"{line!r}: the slow reader says {slow!r}, the quick one {quick!r}")


def is_possible(hand: HandRecord) -> bool:
    """True for a hand that a dealer can have written."""
    cards = [card for hole in hand.holes for card in hole] + list(hand.state.board)
    deck = hand.state.game.card_set
    return hand.state.finished and len(set(cards)) == len(cards) and deck.issuperset(cards) and hand.hand < 2**63


def read_file(data: bytes, game: GameDef) -> None:
    """Read a log's file in each way there is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.log"
        path.write_bytes(data)
        refused(lambda: list(LogStream(path, game, skip_bad=True)))
        refused(lambda: list(LogStream(path, game)))
        refused(lambda: list(LogStream(path, skip_bad=True)))


DEFINITIONS = [path.read_bytes().split(b"\n") for path in sorted((ROOT / "configs" / "games").glob("*.game"))]


def at_definition_reader(rng: random.Random) -> int:
    """Definitions, of which those that are taken are played. Returns how many lines there were."""
    said = 0
    while said < AT_ONCE:
        own = rng.random() < 0.5
        lines = rng.choice(DEFINITIONS) if own else str(any_game(rng)).encode().split(b"\n")
        others = rng.choice(DEFINITIONS)
        changed = [mutated(rng, line, others) if rng.random() < 0.15 else line for line in lines]
        for _ in range(rng.choice((0, 0, 1, 3))):
            where, what = rng.randrange(len(changed)), rng.randrange(3)
            if what == 0 and len(changed) > 1:
                del changed[where]
            else:
                changed.insert(where, rng.choice(changed if what == 1 else others))
        said += len(changed)
        text = b"\n".join(changed).decode("utf-8", "replace")
        try:
            game = GameDef.parse(text)
        except ProtocolError as error:
            if not str(error):
                raise Broken(f"an error that says nothing: {text!r}") from error
            continue
        if GameDef.parse(str(game)) != game:
            raise Broken(f"{text!r} is taken, but printed as another game")
        play_hand(rng, game)
    return said


def play_hand(rng: random.Random, game: GameDef) -> None:
    """Play a hand of a game to its end, which must come."""
    holes, board, stub = next(islice(Deals(game, rng.getrandbits(32)), 1))
    hands = Hands(holes, stub)
    state = State.start(game, board[: game.num_board_cards[0]])
    calls = rng.random()
    for _ in range(MOST_ACTIONS + 1):
        if state.finished:
            won = settle(state, hands.now)
            if len(won) != game.num_players or sum(won) > 1e-6 * max(1, *state.spent) or min(won) < -max(state.spent):
                raise Broken(f"{state} of {game} pays {won}")
            return
        called = rng.random() < calls and state.phase is not DRAW
        action = CALL if called else answer(state, hands.now[state.actor], rng.randrange(64))
        hands = hands.after(state, action)
        state = state.apply(action).with_board(board)
    raise Broken(f"a hand of {game} does not end: {state.betting}")


READERS = {
    "dealer": at_dealer,
    "client": at_client,
    "log reader": at_log_reader,
    "definition reader": at_definition_reader,
}
assert SHIPPED and DEFINITIONS
