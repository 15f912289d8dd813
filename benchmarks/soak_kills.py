"""Matches killed with SIGKILL at random moments, resumed, and compared with the same match unbroken.

Three ways to play: ``limpet dealer -T -a`` with clients over TCP, ``limpet match --in-process`` and ``limpet match`` over
TCP, where the dealer or a player is killed as often as the match. The processes are forks of one that has its imports
behind it, so that a start costs milliseconds; whoever kills is a process of its own, which no moment suits better than
another. What must be equal: logs and scores byte for byte, transactions but for their time stamps.
"""

import json
import os
import random
import select
import socket
import subprocess
import sys
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from soak_tables import SHIPPED, Broken, any_game, check_table
from soak_wire import wrong_lines

from limpet.bot.client.protocol import GREETING, Conversation, Decide, response
from limpet.dealer.matches.match import TERMS_FILE
from limpet.protocol.gamedef import GameDef
from tests.protocol.walks import answer

KILLS_OF_A_MATCH = (3, 9)
GAME_FILE = "some.game"
BOTS = {
    "kuhn.limit.2p": "kuhn",
    "kuhn.limit.3p": "kuhn3p",
    "leduc.limit.2p": "leduc",
    "leduc.nolimit.2p": "leduc-nolimit",
}

FORKS = """
import json, os, random, signal, sys, time
import limpet.bot.commands.playing.dealer, limpet.dealer.table.server
from limpet.bot.cli import main
from limpet.protocol.ranking import rank

def start(command, folder, name, kill_after, anybody):
    if command[0] == "match":  # only for the first one
        import limpet.dealer.matches.match, limpet.bot.commands.playing.match_view, limpet.strategies.players.simple
    child = os.fork()
    if child == 0:
        os.setsid()
        os.chdir(folder)
        for number, ending in (1, "out"), (2, "err"):
            os.dup2(os.open(f"{name}.{ending}", os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["limpet", *command]
        main()
        sys.exit(0)
    killers[child] = None
    if kill_after is not None:
        killers[child] = os.fork()
        if killers[child] == 0:
            time.sleep(kill_after)
            victims = [child]
            if anybody:
                victims += map(int, open(f"/proc/{child}/task/{child}/children").read().split())
            os.kill(random.choice(victims), signal.SIGKILL)
            os._exit(0)
    return child

def wait(child, block):
    found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT | (0 if block else os.WNOHANG))
    if found is None:
        return None
    end(killers.pop(child))  # before the number of its victim can be another's
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def end(process):
    if process is not None:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)

killers = {}  # of every child that runs
rank([0])
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    what, *values = json.loads(line)
    print(json.dumps({"start": start, "wait": wait}[what](*values)), flush=True)
for child, killer in killers.items():  # the soak was stopped
    end(killer)
    end(child)
"""


class Forks:
    """Runs ``limpet`` commands in forks of one warm process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", FORKS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._answer()

    def start(
        self, command: list[str], folder: Path, name: str, kill_after: float | None = None, anybody: bool = False
    ) -> int:
        """Start a command in a folder; it writes ``NAME.out`` and ``NAME.err`` there. Returns its process number.

        It is killed after `kill_after` seconds, or with `anybody` perhaps one of its children instead.
        """
        return int(self._ask("start", command, str(folder), name, kill_after, anybody))

    def wait(self, process: int) -> int:
        """Its exit status, negative for a signal."""
        return int(self._ask("wait", process, True))

    def ended(self, process: int) -> int | None:
        """Its exit status if it has one by now; it is not asked for a second time then."""
        status = self._ask("wait", process, False)
        return None if status is None else int(status)

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def _ask(self, *words: object) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


@dataclass
class Counts:
    """What one match came to."""

    kills: int = 0
    matches: int = 0
    hands: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    """Kills of each way to play, and of each number of players."""

    def add(self, kind: str, players: int, kills: int) -> None:
        self.kills += kills
        self.by_kind[kind] = self.by_kind.get(kind, 0) + kills
        key = f"{players} players"
        self.by_kind[key] = self.by_kind.get(key, 0) + kills


def killed_match(rng: random.Random, folder: Path, forks: Forks) -> Counts:
    """Play a match in `folder`, whole and killed. Raises `Broken` where the two differ."""
    draw = rng.random()
    if draw < 0.82:
        return dealer_match(rng, folder, forks)
    return bot_match(rng, folder, forks, in_process=draw < 0.95)


# --- the dealer, with clients over TCP


class Player:
    """A client of the dealer on the project's own protocol machine. What it plays depends on its name and what it sees."""

    def __init__(self, name: str, port: int, game: GameDef) -> None:
        self.name = name
        self.heard = b""
        self.folded: list[int] = []
        """Hands."""
        self._conversation = Conversation(game)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(GREETING)

    def hear(self) -> bool:
        """Read what has come and answer. False at the end of the connection."""
        try:
            data = self.socket.recv(65536)
            self.heard += data
            for event in self._conversation.receive(data):
                if isinstance(event, Decide):
                    number = zlib.crc32(f"{self.name}{event.line}".encode())
                    action = answer(event.match.state, event.match.own_hand, number)
                    if action.kind == "f":
                        self.folded.append(event.match.hand)
                    self.socket.sendall(response(event, action))
        except OSError:
            return False
        return bool(data)

    def lines(self) -> list[str]:
        """The whole lines heard."""
        return [line.decode().removesuffix("\r") for line in self.heard.split(b"\n")[:-1]]


@dataclass
class Run:
    """One process of a dealer: how it ended, its times from start to ports and to its end, and what the seats heard."""

    status: int
    to_ports: float
    seconds: float
    shown: list[tuple[int, str]]
    folds: dict[int, set[int]]


class DealerMatch:
    """One seating at ``limpet dealer``. `players` are names per seat."""

    def __init__(self, forks: Forks, folder: Path, command: list[str], players: list[str], game: GameDef) -> None:
        self.forks = forks
        self.folder = folder
        self.command = command
        self.players = players
        self.game = game
        self.runs = 0

    def run(self, kill_after: float | None = None) -> Run:
        """Start the dealer and play until it ends or is killed."""
        self.runs += 1
        name = f"run-{self.runs}"
        began = time.monotonic()
        process = self.forks.start(self.command, self.folder, name, kill_after)
        out = self.folder / f"{name}.out"
        ports: list[int] = []
        while (status := self.forks.ended(process)) is None:
            text = out.read_text() if out.exists() else ""
            if "\n" in text:
                ports = [int(port) for port in text.split("\n")[0].split()]
                break
            time.sleep(0.002)
        to_ports = time.monotonic() - began
        seats: list[Player] = []
        for player, port in zip(self.players, ports, strict=False):
            try:
                seats.append(Player(player, port, self.game))
            except OSError:  # killed
                break
        waiting = {seat.socket: seat for seat in seats}
        while waiting:
            for ready in select.select(list(waiting), [], [], 60)[0]:
                if not waiting[ready].hear():
                    del waiting[ready]
                    ready.close()
        if status is None:
            status = self.forks.wait(process)
        folds: dict[int, set[int]] = defaultdict(set)
        shown = []
        for number, seat in enumerate(seats):
            shown += [(number, line) for line in seat.lines()]
            for hand in seat.folded:
                folds[hand].add(number)
        said = (self.folder / f"{name}.err").read_text(errors="replace") if status != -9 or ports else ""
        if status not in (0, -9) or "Traceback" in said or "WARNING" in said or "ERROR" in said:
            raise Broken(f"{name} ended with {status}: {said[-3000:]}")
        return Run(status, to_ports, time.monotonic() - began, shown, folds)

    def score(self) -> str:
        """What the last run printed as its last line."""
        return (self.folder / f"run-{self.runs}.out").read_text().splitlines()[-1]


def dealer_match(rng: random.Random, folder: Path, forks: Forks) -> Counts:
    game = any_game(rng)
    seats = game.num_players
    hands = max(4, min(300, 4_000 // seats**2))
    fixed, duplicate = rng.random() < 0.3, rng.random() < 0.4
    seed, least, most = rng.getrandbits(32), *KILLS_OF_A_MATCH
    names = [f"P{number}" for number in range(seats)]
    counts = Counts(matches=1)
    dealt = []
    for turn in range(2 if duplicate else 1):
        players = names[turn:] + names[:turn]
        matches = []
        for part in "whole", "killed":
            home = folder / f"{part}-{turn}"
            home.mkdir(parents=True)
            (home / GAME_FILE).write_text(str(game))
            command = ["dealer", "m", GAME_FILE, str(hands), str(seed), *players, "-T", "-a", "-q"]
            command += ["--start_timeout", "60000", *["-f"] * fixed]
            matches.append(DealerMatch(forks, home, command, players, game))
        whole, killed = matches
        unbroken = whole.run()
        shown, folds = list(unbroken.shown), unbroken.folds
        wanted, kills, ended = rng.randint(least, most), 0, False
        while kills < wanted and not ended:
            if rng.random() < 0.25:
                moment = rng.uniform(0, unbroken.to_ports)
            else:
                moment = unbroken.to_ports + rng.uniform(0, 1.5) * (unbroken.seconds - unbroken.to_ports) / wanted
            broken = killed.run(moment)
            ended = broken.status == 0
            kills += not ended
            shown += broken.shown
        if not ended:
            last = killed.run()
            shown += last.shown
        log = compare(whole, killed)
        for wrong in wrong_lines(shown, [x for x in log if x[:6] == "STATE:"], folds, game.num_board_cards, fixed):
            raise Broken(wrong)
        transactions = (whole.folder / "m.tlog").read_text().splitlines()
        check_table(log[4:], transactions, unbroken.shown, seats, hands)
        dealt.append([line.split(":")[3].split("/")[0].split("|") for line in log if line.startswith("STATE:")])
        counts.hands += hands
        counts.add("dealer", seats, kills)
    if dealt[-1] != dealt[0] and game.num_board_cards[0] == 0:
        raise Broken("the two seatings of a duplicate match were dealt other cards")
    return counts


def compare(whole: DealerMatch, killed: DealerMatch) -> list[str]:
    """See that both matches wrote the same. Returns the log's lines."""
    one, other = ((match.folder / "m.log").read_bytes() for match in (whole, killed))
    if one != other:
        raise Broken(f"the logs differ after {killed.runs} runs")
    if whole.score() != killed.score() or not whole.score().startswith("SCORE:"):
        raise Broken(f"scores {whole.score()!r} and {killed.score()!r}")
    played = [
        [line.split(" ")[:2] for line in (match.folder / "m.tlog").read_text().splitlines()]
        for match in (whole, killed)
    ]
    if played[0] != played[1]:
        raise Broken(f"the transactions differ after {killed.runs} runs")
    return one.decode().splitlines()


# --- limpet match


def bot_match(rng: random.Random, folder: Path, forks: Forks, in_process: bool) -> Counts:
    """A match of shipped bots, played by ``limpet match`` and resumed by ``limpet match --resume``."""
    game = any_game(rng) if in_process else rng.choice([game for game in SHIPPED if game.num_players <= 3])
    seats = game.num_players
    duplicate = rng.random() < 0.5
    seatings = (
        (1 if not duplicate else 2 if seats == 2 else 6 if seats == 3 else seats) if in_process or seats == 2 else 1
    )
    hands = max(5, (3_000 if in_process else 600) // (seatings * seats))
    folder.mkdir(parents=True)
    (folder / GAME_FILE).write_text(str(game))
    bots = [rng.choice(("call", "raise", "random", "random")) for _ in range(seats)]
    if (known := next((name for name in BOTS if shipped(name) == game), None)) is not None:
        bots[0] = BOTS[known]
    command = [
        "match",
        *bots,
        "--hands",
        str(hands),
        "--seed",
        str(rng.getrandbits(32)),
        "--game",
        GAME_FILE,
    ]
    command += (
        ["--in-process"] * in_process + ["--duplicate"] * (seatings > 1) + ["--fixed-button"] * (rng.random() < 0.3)
    )
    began = time.monotonic()
    status = forks.wait(forks.start([*command, "--output", "whole"], folder, "whole"))
    seconds = time.monotonic() - began
    if status != 0:
        raise Broken(f"{command} ended with {status}: {(folder / 'whole.err').read_text()[-3000:]}")
    wanted, kills = rng.randint(*KILLS_OF_A_MATCH), 0
    while True:
        moment = rng.uniform(0, 2 * seconds / wanted) if kills < wanted else None
        resume = ["--resume"] * (folder / "killed" / TERMS_FILE).exists()
        status = forks.wait(
            forks.start([*command, *resume, "--output", "killed"], folder, "killed", moment, not in_process)
        )
        if status == 0:
            break
        if status not in (-9, 1) or moment is None:
            raise Broken(f"{command} ended with {status}: {(folder / 'killed.err').read_text()[-3000:]}")
        kills += 1
    said = (folder / "killed.err").read_text(errors="replace")
    if "Traceback" in said:
        raise Broken(f"{command}: {said[-3000:]}")
    for path in sorted((folder / "whole").glob("*.log")):
        other = folder / "killed" / path.name
        if not other.exists() or path.read_bytes() != other.read_bytes():
            raise Broken(f"{command}: {path.name} differs")
    one, other = (json.loads((folder / part / "result.json").read_text()) for part in ("whole", "killed"))
    if scores(one) != scores(other):
        raise Broken(f"{command}: results {scores(one)} and {scores(other)}")
    deadline = time.monotonic() + 10
    while left := processes_in(folder):
        if time.monotonic() > deadline:
            raise Broken(f"{command}: left behind {left}")
        time.sleep(0.05)
    counts = Counts(matches=1, hands=hands * seatings)
    counts.add("match in one process" if in_process else "match over TCP", seats, kills)
    return counts


def shipped(name: str) -> GameDef:
    return next(game for game in SHIPPED if game == GameDef.load(GAMES / f"{name}.game"))


GAMES = Path(__file__).parents[1] / "configs" / "games"


def scores(result: dict[str, Any]) -> object:
    """What does not depend on how long it took, or on which process played which hands."""
    players = [{key: value for key, value in player.items() if key != "report"} for player in result["players"]]
    return players, result["seatings"], result["hands"], result["seed"]


def processes_in(folder: Path) -> list[str]:
    """Command lines of the processes that work in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(process / "cwd")).is_relative_to(folder):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found
