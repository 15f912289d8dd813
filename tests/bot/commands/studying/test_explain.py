"""``limpet explain``: a hand of a log, decision by decision, as the bot played it."""

import json
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from limpet.configs.loading import load_game
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deal
from limpet.dealer.table.score import by_position
from limpet.protocol.cards import cards_text
from limpet.protocol.matchlog import HandRecord, Header
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import RowsWriter, silenced
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.players.resolve import Resolve
from tests import commands
from tests.commands import json_of, printed, refused

GAME = load_game("holdem.nolimit.2p.reverse_blinds")
CONFIG = """
name: thinker
player: resolve
game: holdem.nolimit.2p.reverse_blinds
seed: 3
options:
  blueprint: {strategy: hunl-200bb}
  threads: 1
  rows: thinker.rows
  log: thinker.jsonl
  streets:
    river: {menus: [{menu: {sizes: [[[1], []]]}}], iterations: 8}
"""


ran = partial(commands.run, "explain")


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[HandRecord]]:
    """A folder with a bot's config, its rows and the log of a match against one that calls."""
    folder = tmp_path_factory.mktemp("match")
    (folder / "thinker.yaml").write_text(CONFIG)
    bot, other = load_bot(folder / "thinker.yaml"), load_bot("call")
    rng = np.random.default_rng(1)
    deals = []
    for _ in range(6):
        cards = [int(card) for card in rng.permutation(52)[:9]]
        deals.append(Deal(((cards[0], cards[1]), (cards[2], cards[3])), tuple(cards[4:])))
    strategy = bot.build()
    hands = list(play_hands(GAME, [Agent(strategy, 3), Agent(other.build(), 0)], deals))
    lines = [str(Header("m", "holdem.nolimit.2p.reverse_blinds.game", 6, 1))]
    for hand in hands:
        names = tuple(by_position(["thinker", "call"], hand.hand, False))
        lines.append(str(HandRecord(hand.hand, hand.state, hand.holes, hand.values, names)))
    (folder / "match.log").write_text("\n".join(lines) + "\n")
    return folder, hands


def told(folder: Path, *words: str) -> Any:
    return json_of("explain", folder / "thinker.yaml", folder / "match.log", *words)


def test_hands_whose_number_repeats_are_named_by_line_or_time(match: tuple[Path, list[HandRecord]]) -> None:
    folder, _ = match
    lines = (folder / "match.log").read_text().splitlines()
    log = folder / "twice.log"
    stamped = [*lines, *(f"{line} # 1479132064.5" for line in lines[4:])]
    log.write_text("".join(f"{line}\n" for line in stamped))
    first, second = 5, 5 + len(lines) - 4
    assert (
        "2 hands are hand 0; this is the first; --line names one of 5, 11"
        in _explained(folder, log, "--hand", "0").stderr
    )
    for words in (("--line", str(second)), ("--hand", "0", "--time", "1479132064.5"), ("--line", str(first))):
        assert _explained(folder, log, *words).stderr == ""
    refused("explain", "blueprint", log, "--line", 4)


def _explained(folder: Path, log: Path, *words: str) -> Result:
    result = ran("blueprint", str(log), *words, "--player", "call")
    assert result.exit_code == 0, result.output
    return result


def test_decisions_are_those_that_were_made(match: tuple[Path, list[HandRecord]]) -> None:
    """Ranges, rows and actions, against the player asked at the table's places."""
    folder, hands = match
    solved = 0
    for hand in hands:
        found = told(folder, "--hand", str(hand.hand))
        position = found["position"]
        assert position == hand.hand % 2
        live = load_bot(folder / "thinker.yaml").build()
        live.journal.log = live.journal.rows = None  # type: ignore[attr-defined]
        asked = live.start_hand(HandKey(3, hand.hand, position))
        assert isinstance(asked, ResolveHand)
        ours = [(at, below.action) for at, below in zip(hand.state.path(), list(hand.state.path())[1:], strict=False)
                if at.actor == position]  # fmt: skip
        assert [decision["taken"] for decision in found["decisions"]] == [str(action) for _, action in ours]
        for (at, action), decision in zip(ours, found["decisions"], strict=True):
            state = at.with_board(hand.state.board)
            rows = asked.rows(state)
            assert decision["board"] == cards_text(state.board)
            assert list(decision["actions"]) == [str(kept) for kept in rows.actions]
            assert sum(decision["actions"].values()) == pytest.approx(1, abs=1e-5)
            assert decision["probabilities"][str(action)] > 0
            assert (decision["subgame"] is not None) == (state.round == 3)
            assert max(decision["ranges"]["other"].values()) <= 1
            solved += state.round == 3
    assert solved > 0


def test_rows_that_were_kept_are_shown(match: tuple[Path, list[HandRecord]]) -> None:
    """They are rounded, so a bit off from those worked out again."""
    folder, hands = match
    number = next(hand.hand for hand in hands if hand.state.round == 3)
    again = told(folder, "--hand", str(number))["decisions"]
    kept = told(folder, "--hand", str(number), "--rows", str(folder / "thinker.rows"))["decisions"]
    assert again[-1]["actions"] != kept[-1]["actions"]
    for one, other in zip(again, kept, strict=True):
        assert other["actions"] == pytest.approx(one["actions"], abs=0.02)


def test_ranges_follow_the_rows_that_were_kept(match: tuple[Path, list[HandRecord]], tmp_path: Path) -> None:
    """A file in which only pairs begin as the bot did: it can have nothing else at its next decision."""
    folder, hands = match
    hand = next(hand for hand in hands if hand.state.round == 3)
    again = told(folder, "--hand", str(hand.hand))
    assert not {decision["kept"] for decision in again["decisions"]} - {False}
    position, path = again["position"], list(hand.state.path())
    asked = silenced(load_bot(folder / "thinker.yaml").build()).start_hand(HandKey(3, hand.hand, position))
    writer = RowsWriter(tmp_path / "pairs.rows", GAME)
    for number, (at, below) in enumerate((a, b) for a, b in pairwise(path) if a.actor == position):
        state = at.with_board(hand.state.board)
        rows = asked.rows(state)
        if number == 0:
            chosen = rows.actions.index(below.action)
            pairs = hand_space().holes[:, 0] // 4 == hand_space().holes[:, 1] // 4
            played = np.where(pairs, chosen, 1 - min(chosen, 1))
            rows = Rows(rows.actions, np.eye(len(rows.actions), dtype=np.float32)[:, played])
        writer.record(hand.hand, position, state, rows)
    words = "--hand", str(hand.hand), "--rows", str(tmp_path / "pairs.rows")
    first, second, *_ = told(folder, *words)["decisions"]
    assert set(first["ranges"]["own"].values()) == {1.0}
    assert {name[0] == name[1] for name in second["ranges"]["own"]} == {True}
    assert False in {name[0] == name[1] for name in again["decisions"][1]["ranges"]["own"]}
    assert second["kept"] and second["subgame"] is None and second["percent"] is None
    text = ran(str(folder / "thinker.yaml"), str(folder / "match.log"), *words).stdout
    assert "by the rows that were kept; where" in text and "by the subgame solved" not in text


def test_it_is_warm_before_it_thinks(match: tuple[Path, list[HandRecord]], monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot with a bank would compile by its clock, and show the blueprint where it had solved a subgame."""
    done: list[str] = []
    monkeypatch.setattr(Resolve, "warm_up", lambda _: done.append("warm"))
    monkeypatch.setattr(ResolveHand, "rows", lambda *_: pytest.fail("cold") if not done else 1 / 0)
    folder, hands = match
    result = ran(str(folder / "thinker.yaml"), str(folder / "match.log"), "--hand", str(hands[0].hand))
    assert done == ["warm"] and isinstance(result.exception, ZeroDivisionError)


@pytest.mark.slow
def test_pictures_in_the_terminal_and_in_files(match: tuple[Path, list[HandRecord]], tmp_path: Path) -> None:
    folder, hands = match
    shortest = min((hand for hand in hands if hand.state.round == 3), key=lambda hand: hand.state.actions_in_hand)
    number = shortest.hand
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = printed("explain", folder / "thinker.yaml", folder / "match.log", "--hand", number, "--png", tmp_path)
    assert result.startswith("1. ") and " bb" in result.splitlines()[0]
    assert "by the subgame solved after" in result
    assert "own range" in result and "the other's range" in result
    pictures = sorted(tmp_path.iterdir())
    assert len(pictures) == 2 * result.count("what each class does")
    assert pictures[0].read_bytes()[:4] == b"\x89PNG"
    assert {path: path.read_bytes() for path in folder.iterdir()} == before  # nothing is added to what was kept


def test_any_player_and_one_state() -> None:
    """The other's range by Bayes from the bot's own rows, for a bot that tracks none."""
    found = json_of("explain", "blueprint", "MATCHSTATE:0:7:r300:KsQs|")
    (decision,) = found["decisions"]
    assert decision["taken"] is None
    weights = decision["ranges"]["other"]
    assert weights["72o"] < weights["AA"] <= 1
    assert set(decision["ranges"]["own"].values()) == {1.0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["blueprint", "{log}", "--hand", "77"], "there is no hand 77"),
        (["blueprint", "{log}", "--hand", "1"], "blueprint does not play hand 1, but call and thinker"),
        (["kuhn", "{log}", "--hand", "1"], "this bot plays another game"),
        (["blueprint", "{log}", "--hand", "1", "--player", "thinker", "--rows", "{config}"], "not a file of rows"),
        (["blueprint", "MATCHSTATE:0:7:r300:|"], "not shown its own cards"),
        (["hulh", "{log}", "--hand", "1", "--player", "call"], "have it play the log's game by --game"),
    ],
)
def test_what_cannot_be_explained_is_said(match: tuple[Path, list[HandRecord]], words: list[str], message: str) -> None:
    folder, _ = match
    filled = [word.format(log=folder / "match.log", config=folder / "thinker.yaml") for word in words]
    assert message in refused("explain", *filled)


def test_a_log_needs_a_hand(match: tuple[Path, list[HandRecord]]) -> None:
    assert "--hand N" in refused("explain", "blueprint", match[0] / "match.log")


def test_the_log_was_written_with_the_match(match: tuple[Path, list[HandRecord]]) -> None:
    folder, hands = match
    lines = [json.loads(line) for line in (folder / "thinker.jsonl").read_text().splitlines()]
    assert {line["hand"] for line in lines} == {hand.hand for hand in hands}
    assert {line["street"] for line in lines} >= {"preflop", "flop"}


def test_config_errors_are_mistakes_of_the_user() -> None:
    assert "nobody" in refused("explain", "nobody", "MATCHSTATE:0:7:r300:KsQs|")
