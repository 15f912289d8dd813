"""A dealer killed at any moment loses nothing: resumed, it writes the log of an unbroken match."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from limpet.common.folders import replace_file
from limpet.dealer.table.files import LineFile, ResumeError, read_text, resume
from limpet.dealer.table.table import Table
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import read_transactions
from limpet.protocol.messages import MatchState, read_match_state
from tests.dealer.helpers import VECTORS, Sitting, load, terms, text_of
from tests.oracles.match_log import read_log
from tests.protocol.walks import candidate

KUHN = load("kuhn.limit.2p")
LEDUC = load("leduc.nolimit.2p")


def choose(match: MatchState) -> str:
    """A player whose action depends on what it sees and on nothing else."""
    return str(candidate(match.state, zlib.crc32(str(match).encode())))


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


class Files:
    """A match's files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.log, self.transactions = folder / "gv.log", folder / "gv.tlog"

    def go_on(self, game: GameDef, hands: int) -> Sitting:
        """Resume what is there and play to the end, as the server does with the files."""
        sitting = Sitting(terms(game, hands), versions=False)
        resume(sitting.table, self.log, self.transactions)
        sitting.start()
        sitting.play(choose)
        for path, lines in ((self.transactions, sitting.transactions), (self.log, sitting.log)):
            file = LineFile(path, append=True)
            file.write(lines)
            file.close()
        return sitting


def _unbroken(game: GameDef, hands: int) -> tuple[str, list[str]]:
    """The log, and the transactions."""
    sitting = Sitting(terms(game, hands)).play(choose)
    return text_of([str(sitting.table.terms.header), *sitting.log]), sitting.transactions


@pytest.mark.parametrize(("game", "hands"), [(KUHN, 3), (LEDUC, 2), (load("holdem.nolimit.3p"), 2)])
def test_every_way_to_die(tmp_path: Path, game: GameDef, hands: int) -> None:
    """Each transaction whole, torn or missing, and the log at every point that could have been reached by then."""
    log, transactions = _unbroken(game, hands)
    everything = text_of(transactions)
    files = Files(tmp_path)
    states = [line for line in log.splitlines(keepends=True) if line.startswith("STATE")]
    header = log[: log.index("STATE")]
    ends = [at + 1 for at, letter in enumerate(everything) if letter == "\n"]
    for cut in {0, *ends, *[end - 1 for end in ends], *[end - 20 for end in ends]}:
        written = everything[:cut].split("\n")[:-1]
        table = Table(terms(game, hands))
        logged = len(table.replay(read_transactions(text_of(written), game)))
        # The last finished hand may be missing, torn or there; the others are there for certain.
        before = header + "".join(states[: max(0, logged - 1)])
        last = "".join(states[max(0, logged - 1) : logged])
        for torn in {0, 1 if last else 0, len(last) // 2, max(0, len(last) - 1), len(last)}:
            _write(files.transactions, everything[:cut])
            _write(files.log, before + last[:torn])
            files.go_on(game, hands)
            assert files.log.read_text() == log, (cut, torn)
            again = read_transactions(files.transactions.read_text(), game)
            assert [t[:2] for t in again] == [t[:2] for t in read_transactions(everything, game)]


def test_died_while_writing_the_header_or_the_score(tmp_path: Path) -> None:
    log, transactions = _unbroken(KUHN, 3)
    files = Files(tmp_path)
    for cut in range(0, log.index("STATE") + 1, 5):
        _write(files.transactions, "")
        _write(files.log, log[:cut])
        files.go_on(KUHN, 3)
        assert files.log.read_text() == log
    for cut in range(log.index("SCORE"), len(log) + 1, 3):
        _write(files.transactions, text_of(transactions))
        _write(files.log, log[:cut])
        files.go_on(KUHN, 3)
        assert files.log.read_text() == log


def test_nothing_to_resume_is_a_beginning(tmp_path: Path) -> None:
    Files(tmp_path).go_on(KUHN, 3)
    assert Files(tmp_path).log.read_text() == _unbroken(KUHN, 3)[0]


def test_the_comment_of_a_match_that_ended_early_goes(tmp_path: Path) -> None:
    log, transactions = _unbroken(KUHN, 4)
    files = Files(tmp_path)
    half = Table(terms(KUHN, 4))
    played = half.replay(read_transactions(text_of(transactions[:5]), KUHN))
    half.stop("seat 1 (P0) disconnected")
    _write(files.transactions, text_of(transactions[:5]))
    _write(files.log, text_of([str(half.terms.header), *played, *half.outbox.log]))
    assert "# match ended in hand" in files.log.read_text()
    files.go_on(KUHN, 4)
    assert files.log.read_text() == log


def test_limits_may_change(tmp_path: Path) -> None:
    """A match that ended for want of time goes on with more; the header tells the new limits."""
    log, transactions = _unbroken(KUHN, 3)
    files = Files(tmp_path)
    _write(files.transactions, text_of(transactions[:4]))
    _write(files.log, log[: log.index("STATE")].replace("--t_hand 600000", "--t_hand 5"))
    files.go_on(KUHN, 3)
    assert files.log.read_text() == log


def test_without_a_log(tmp_path: Path) -> None:
    _, transactions = _unbroken(KUHN, 3)
    path = tmp_path / "gv.tlog"
    _write(path, text_of(transactions[:4]) + "c 1 17952")
    table = Table(terms(KUHN, 3))
    resume(table, None, path)
    assert path.read_text() == text_of(transactions[:4])
    assert table.score.hands >= 1 and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("seed", "hands", "change_log", "change_transactions", "message"),
    [
        (1, 3, None, None, r"gv\.log:1: '# name/game/hands/seed gv some\.game 3 0' should be '.* 3 1'"),
        (0, 4, None, None, r"gv\.log:1: .* should be '.* 4 0'"),
        (0, 1, None, None, "the match is over after 1 hands"),
        (0, 3, ("P0|P1", "P0|PX"), None, r"gv\.log:5: 'STATE:0:.*PX' should be 'STATE:0:.*P1'"),
        (0, 3, None, ("", None), r"gv\.log:5: 'STATE:0:.*' is not in the transaction log"),
        (0, 3, None, (" 0 ", " 7 "), r"gv\.tlog:1: .*hand 0 should go on here"),
        (0, 3, None, ("c", "what"), r"gv\.tlog:\d+: 'what"),
    ],
)
def test_files_of_another_match_are_refused_and_left_alone(
    tmp_path: Path,
    seed: int,
    hands: int,
    change_log: tuple[str, str] | None,
    change_transactions: tuple[str, str | None] | None,
    message: str,
) -> None:
    log, transactions = _unbroken(KUHN, 3)
    text = text_of(transactions)
    if change_log is not None:
        log = log.replace(*change_log)
    if change_transactions is not None:
        old, new = change_transactions
        text = "" if new is None else text.replace(old, new)
    files = Files(tmp_path)
    _write(files.log, log)
    _write(files.transactions, text)
    with pytest.raises(ResumeError, match=message):
        resume(Table(terms(KUHN, hands, seed)), files.log, files.transactions)
    assert (files.log.read_text(), files.transactions.read_text()) == (log, text)


def test_names_need_not_be_utf8(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "x", append=False)
    file.write(["caf\udce9", "é"])
    file.close()
    assert (tmp_path / "x").read_bytes() == b"caf\xe9\n\xc3\xa9\n"
    replace_file(tmp_path / "y", read_text(tmp_path / "x"))
    assert (tmp_path / "y").read_bytes() == (tmp_path / "x").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x", "y"]
    assert read_text(tmp_path / "none") == ""


# Real processes, really killed.

DEALERS = """
import os, sys
from limpet.dealer.table import server
from limpet.bot.commands.playing.dealer import dealer
from limpet.protocol.ranking import rank
rank([0])
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        dealer(line.split())
    print("process", child, flush=True)
    print("exit", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Forks dealers that have their imports behind them: 20 starts from nothing would take most of a minute."""


class Dealers:
    """Starts dealer processes, one after another."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", DEALERS], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def start(self, arguments: str) -> tuple[int, list[int]]:
        """The process and its ports."""
        assert self.process.stdin is not None
        self.process.stdin.write(arguments + "\n")
        self.process.stdin.flush()
        lines = [self._line(), self._line()]
        lines.sort(key=lambda line: not line.startswith("process"))
        return int(lines[0].split()[1]), [int(port) for port in lines[1].split()]

    def end(self) -> tuple[int, str]:
        """The exit code, and the score if one was printed."""
        score = ""
        while not (line := self._line()).startswith("exit"):
            score = line
        return int(line.split()[1]), score

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=30)

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


class Player(threading.Thread):
    """Plays `choose` on one connection until it ends. `seen` counts the lines it was sent."""

    def __init__(self, port: int, game: GameDef) -> None:
        super().__init__(daemon=True)
        self.game = game
        self.lines = 0
        self.playing = threading.Event()
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.start()

    def run(self) -> None:
        part = b""
        try:
            self.socket.sendall(b"VERSION:2.0.0\r\n")
            while received := self.socket.recv(65536):
                self.playing.set()
                *lines, part = (part + received).split(b"\r\n")
                for line in lines:
                    match = read_match_state(line.decode(), self.game)[0]
                    if match.my_turn:
                        self.socket.sendall(line + b":" + choose(match).encode() + b"\r\n")
        except OSError:
            pass  # the dealer was killed
        finally:
            self.playing.set()
            self.socket.close()


@pytest.fixture
def dealers(tmp_path: Path) -> Iterator[Dealers]:
    for path in VECTORS.glob("*.game"):
        shutil.copy(path, tmp_path / path.name)
    dealers = Dealers(tmp_path)
    yield dealers
    dealers.close()


def kill_if_there(process: int) -> None:
    """Kill a process, unless it has just ended by itself."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _play(dealers: Dealers, arguments: str, game: GameDef, kill_after: float | None = None) -> tuple[int, str]:
    process, ports = dealers.start(arguments)
    players = [Player(port, game) for port in ports]
    killer = None
    if kill_after is not None:
        players[0].playing.wait(timeout=30)
        killer = threading.Timer(kill_after, kill_if_there, (process,))
        killer.start()
    code, score = dealers.end()
    if killer is not None:
        killer.cancel()
    for player in players:
        player.join(timeout=30)
        assert not player.is_alive()
    return code, score


@pytest.mark.parametrize("moments", [8, pytest.param(20, marks=pytest.mark.slow)])
def test_kill_at_random_moments(tmp_path: Path, dealers: Dealers, moments: int) -> None:
    generator = random.Random(20)
    kills = rounds = 0
    names = ["kuhn.limit.2p", "leduc.nolimit.2p", "holdem.nolimit.3p", "leduc.limit.2p"]
    while kills < moments:
        name = names[rounds % len(names)]
        game, hands, names_text = load(name), 300, "A B C" if "3p" in name else "A B"
        rounds += 1
        assert rounds <= 12, "matches end before they can be killed: make them longer"
        seed = generator.randrange(2**32)
        # The unbroken run needs no network: the same players at a table, whose log the other tests prove.
        match = terms(game, hands, seed, game_text=f"{name}.game")
        match = type(match)(f"m{rounds}", game, match.game_text, hands, seed, tuple(names_text.split()))
        unbroken = Sitting(match).play(choose)
        arguments = f"m{rounds} {name}.game {hands} {seed} {names_text} -T -a -q --start_timeout 30000"
        code, score = -9, ""
        while code != 0:
            enough = kills >= 5 * rounds or kills >= moments
            code, score = _play(dealers, arguments, game, None if enough else generator.uniform(0, 0.06))
            assert code in (0, -signal.SIGKILL)
            kills += code != 0
        assert (tmp_path / f"m{rounds}.log").read_text() == text_of([str(match.header), *unbroken.log])
        assert score == unbroken.log[-1] + "\n"
        played = read_transactions((tmp_path / f"m{rounds}.tlog").read_text(), game)
        assert [t[:2] for t in played] == [t[:2] for t in read_transactions(text_of(unbroken.transactions), game)]
        assert len(read_log((tmp_path / f"m{rounds}.log").read_text(), game).hands) == hands
    assert kills >= moments


def test_resumed_by_the_command_after_a_player_left(tmp_path: Path, dealers: Dealers) -> None:
    """A disconnection ends the match with exit code 1; the same command then plays it to its end."""
    match = terms(KUHN, 50, 3, game_text="kuhn.limit.2p.game")
    arguments = "gv kuhn.limit.2p.game 50 3 P0 P1 -T -a --start_timeout 30000"
    _, ports = dealers.start(arguments)
    good = Player(ports[0], KUHN)
    with socket.create_connection(("127.0.0.1", ports[1]), timeout=30) as bad:
        bad.sendall(b"VERSION:2.0.0\n")
        bad.recv(10)
    assert dealers.end()[0] == 1
    good.join(timeout=30)
    assert (tmp_path / "gv.log").read_text().splitlines()[-1] == "# match ended in hand 0: seat 2 (P1) disconnected"
    code, score = _play(dealers, arguments, KUHN)
    unbroken = Sitting(match).play(choose)
    assert (code, score) == (0, unbroken.log[-1] + "\n")
    assert (tmp_path / "gv.log").read_text() == text_of([str(match.header), *unbroken.log])
    # Once more: all hands are played, so players are greeted and the score is told again.
    assert _play(dealers, arguments, KUHN) == (0, score)
    assert (tmp_path / "gv.log").read_text() == text_of([str(match.header), *unbroken.log])
