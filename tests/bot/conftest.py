"""Strategies made for tests, recorded conversations, and a reader of the client's log."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from twisted.logger import LogEvent, formatEvent, globalLogPublisher

from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import parse_match_state, read_action
from limpet.protocol.state import CALL, Action, State
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy, same_for_all
from limpet.strategies.cards.handspace import hand_space

Choose = Callable[[HandKey, State], Action]


@dataclass
class ChosenHand(HandStrategy):
    strategy: "Chosen"
    key: HandKey

    def rows(self, state: State) -> Rows:
        self.strategy.threads.append(threading.current_thread().name)
        game = state.game
        space = hand_space(tuple(sorted(game.deck)), game.num_hole_cards)
        return same_for_all({self.strategy.choose(self.key, state): 1.0}, space.size)

    def slow(self, state: State) -> bool:
        return self.strategy.is_slow(self.key, state)


class Chosen(Strategy):
    """Plays what `choose` says. `threads` are the names of the threads it was asked on."""

    def __init__(
        self,
        game: GameDef,
        choose: Choose = lambda key, state: CALL,
        is_slow: Callable[[HandKey, State], bool] = lambda key, state: False,
    ) -> None:
        super().__init__(game, Strategy.Options(), Path())
        self.choose = choose
        self.is_slow = is_slow
        self.threads: list[str] = []

    def start_hand(self, key: HandKey) -> HandStrategy:
        return ChosenHand(self, key)


@dataclass(frozen=True)
class Recording:
    """One seat's conversation with the reference dealer.

    Attributes:
        served: the dealer's lines.
        answers: what the seat sent, None after lines that it did not answer; without line ends.
    """

    game: GameDef
    served: tuple[str, ...]
    answers: tuple[str | None, ...]

    def choose(self, key: HandKey, state: State) -> Action:
        """The recorded action."""
        for line, answer in zip(self.served, self.answers, strict=True):
            if answer is not None:
                match = parse_match_state(line, self.game)
                if (match.hand, match.position, match.state.betting) == (key.hand, key.position, state.betting):
                    return read_action(answer, len(line) + 1, self.game)[0]
        raise AssertionError(f"the reference's seat was not asked after {state.betting!r} of hand {key.hand}")

    def expected(self) -> bytes:
        """All bytes that the seat sends."""
        return b"VERSION:2.0.0\r\n" + b"".join(f"{answer}\r\n".encode() for answer in self.answers if answer)


def recordings(vectors: Path) -> dict[str, Recording]:
    """Every seat of every ``*.wire`` file, by file and seat."""
    found = {}
    for path in sorted(vectors.glob("*.wire")):
        game = GameDef.load(path.with_name(f"{path.name.removesuffix('.wire')}.game"))
        rows = [row.split(" ", 2) for row in path.read_text().splitlines() if row[0] in "<>"]
        for seat in sorted({seat for _, seat, _ in rows}):
            served: list[str] = []
            answers: list[str | None] = []
            for arrow, whose, text in rows:
                if whose != seat:
                    continue
                if arrow == ">":
                    served.append(text)
                    answers.append(None)
                else:
                    assert text.startswith(served[-1])
                    answers[-1] = text
            found[f"{path.name} seat {seat}"] = Recording(game, tuple(served), tuple(answers))
    return found


@pytest.fixture(scope="session")
def recorded(vectors: Path) -> dict[str, Recording]:
    return recordings(vectors)


@pytest.fixture(scope="session")
def kuhn(vectors: Path) -> GameDef:
    return GameDef.load(vectors / "kuhn.limit.2p.game")


@pytest.fixture(scope="session")
def holdem(vectors: Path) -> GameDef:
    return GameDef.load(vectors / "holdem.nolimit.2p.reverse_blinds.game")


@pytest.fixture(scope="session")
def chosen() -> type[Chosen]:
    return Chosen


@pytest.fixture
def log() -> Iterator[list[str]]:
    """The messages logged during the test."""
    messages: list[str] = []

    def observe(event: LogEvent) -> None:
        messages.append(formatEvent(event))

    globalLogPublisher.addObserver(observe)  # type: ignore[arg-type]
    yield messages
    globalLogPublisher.removeObserver(observe)  # type: ignore[arg-type]
