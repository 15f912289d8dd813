"""Compiled matches against matches in one process: the same logs byte for byte, and the same results."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import ConfigError, load_game
from limpet.dealer.matches.compiled_match import CompiledMatch
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.match_result import MatchResult
from limpet.dealer.matches.matchconfig import Match, MatchConfig, resolve
from limpet.dealer.table.deals import Deals
from limpet.strategies.abstraction.menu import METHODS, BetMenu
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.measures.duel import duel
from tests.commands import json_of, refused, run
from tests.strategies.base.strategy_files import MANY, POT, random_strategy

LEDUC = "leduc.nolimit.2p"
POTS = BetMenu(sizes=(((1.0,), (1.0,), (1.0,), ()),))
BETWEEN = BetMenu(sizes=(((0.4, 0.7, 1.5), (0.6, 1.3), (0.8,), ()),))
LARGE = BetMenu(sizes=(((4.0,), ()),), all_in_share=1.0)


def match_of(players: Sequence[str], **given: Any) -> Match:
    return resolve(MatchConfig(name="test", players=list(players), **given), Path("."))


def compiled(match: Match, folder: Path, threads: int = 1, logged: bool = True) -> MatchResult:
    return CompiledMatch(match, folder, threads).play(lambda logs: None, logged)


def same(players: Sequence[str], folder: Path, **given: Any) -> MatchResult:
    """Play both ways; everything must be equal but how and how fast. Returns the compiled result."""
    match = match_of(players, **given)
    ours = compiled(match, folder / "compiled", threads=2)
    theirs = run_match(match, folder / "in-process", "in-process", False, lambda logs: None)
    for number in range(1, len(match.seatings) + 1):
        name = f"seating-{number}.log"
        assert (folder / "compiled" / name).read_bytes() == (folder / "in-process" / name).read_bytes()
    left_out = ("how", "seconds", "hands_per_second")
    plain = [{k: v for k, v in msgspec.to_builtins(result).items() if k not in left_out} for result in (ours, theirs)]
    assert plain[0] == plain[1]
    assert (folder / "compiled" / "match.game").read_bytes() == (folder / "in-process" / "match.game").read_bytes()
    assert ours.how == "compiled"
    return ours


def deep_leduc(folder: Path, stacks: Sequence[int]) -> str:
    """No-limit Leduc for so many players with so many chips; the path of its definition."""
    text = str(load_game(LEDUC)).replace("numPlayers = 2", f"numPlayers = {len(stacks)}")
    text = text.replace("1200 1200", " ".join(map(str, stacks))).replace("100 100", " ".join(["100"] * len(stacks)))
    path = folder / "deep.game"
    path.write_text(text)
    return str(path)


def random_bots(
    folder: Path, stacks: Sequence[int], menus: Sequence[BetMenu], trained: float = 1.0, **options: Any
) -> list[str]:
    """Bots that play random strategies on trees of their own."""
    game = deep_leduc(folder, stacks)
    bots = []
    for seed, menu in enumerate(menus):
        strategy = random_strategy(folder / f"tree-{seed}", game, seed, menu, trained=trained).folder
        path = folder / f"bot-{seed}.yaml"
        chosen = json.dumps({"strategy": f"{strategy}/", **options})
        path.write_text(f"name: bot-{seed}\nplayer: blueprint\ngame: {game}\nseed: {seed}\noptions: {chosen}\n")
        bots.append(str(path))
    return bots


@pytest.mark.parametrize("game", ["kuhn.limit.2p", LEDUC, "holdem.nolimit.3p", "holdem.limit.2p.reverse_blinds"])
@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_deals_come_in_arrays_too(game: str, seed: int) -> None:
    rules = load_game(game)
    single, many = Deals(rules, seed), Deals(rules, seed)
    many.skip(3)
    for count in (1, 40, 700):
        holes, board = many.take(count)
        wanted = list(islice(single, 3, 3 + count)) if count == 1 else list(islice(single, count))
        assert holes.tolist() == [[list(hole) for hole in deal.holes] for deal in wanted]
        assert board.tolist() == [list(deal.board) for deal in wanted]


@pytest.mark.parametrize(
    ("players", "given"),
    [
        (("kuhn", "kuhn"), {"duplicate": True}),
        (("kuhn", "fold"), {"seed": 9, "fixed_button": True, "duplicate": True}),
        (("leduc", "leduc"), {"duplicate": True}),
        (("raise", "leduc"), {"game": "leduc.limit.2p", "duplicate": True}),
        (("call", "raise"), {"game": "leduc.nolimit.2p"}),
        (("kuhn3p", "kuhn3p", "kuhn3p"), {"duplicate": True}),
        (("kuhn3p", "raise", "call"), {"game": "kuhn.limit.3p", "duplicate": True}),
        (("raise", "call", "fold"), {"game": "holdem.nolimit.3p", "duplicate": True}),
        (
            ("raise", "call", "call", "raise", "fold", "call"),
            {"game": "holdem.nolimit.6p", "hands": 20, "duplicate": True},
        ),
    ],
)
def test_small_games_and_simple_players(players: tuple[str, ...], given: dict[str, Any], tmp_path: Path) -> None:
    same(players, tmp_path, **{"hands": 61, **given})


def test_names_of_any_script(tmp_path: Path) -> None:
    for name in ("Zoë", "賭博師"):
        (tmp_path / f"{name}.yaml").write_text(f"name: {name}\ngame: {LEDUC}\nplayer: call\n", encoding="utf-8")
    same([str(tmp_path / "Zoë.yaml"), str(tmp_path / "賭博師.yaml")], tmp_path, hands=50, duplicate=True)


@pytest.mark.parametrize("method", METHODS)
def test_two_trees_translate_each_other(method: str, tmp_path: Path) -> None:
    bots = random_bots(tmp_path, (20000, 20000), (POTS, BETWEEN), translation=method)
    same(bots, tmp_path, hands=60, duplicate=True)


def test_coins_are_thrown(tmp_path: Path) -> None:
    """What the matches above are about: many bets between two sizes of the other."""
    match = match_of(random_bots(tmp_path, (20000, 20000), (POTS, BETWEEN)), hands=200, duplicate=True)
    ready = CompiledMatch(match, tmp_path / "out")
    ready.play(lambda logs: None)
    assert all(len(tree.arrays().coin) > 30 for tree in ready.engine._trees.values())


def test_it_wins_what_the_exact_duel_says(tmp_path: Path) -> None:
    """Full ranges and all coins summed over, against hands dealt one by one."""
    bots = random_bots(tmp_path, (3000, 3000), (POTS, BETWEEN), off_tree="call")
    match = match_of(bots, hands=10_000, duplicate=True)
    files = [StrategyFile.open(tmp_path / f"tree-{seed}") for seed in (0, 1)]
    first, second = ((BlueprintSeat(file),) * 2 for file in files)
    exact = duel(match.game, first, second, 100, 1)
    assert exact.exact and exact.off_tree < 0.1
    player = compiled(match, tmp_path / "out", logged=False).players[0]
    standard_error = player.sd / match.config.hands**0.5
    assert abs(player.mbb_per_game - exact.both.mean * 1000 / match.game.big_blind) < 4 * standard_error
    assert 10 * standard_error < abs(player.mbb_per_game)


def test_hands_off_a_tree_are_played_by_the_agents(tmp_path: Path) -> None:
    """Bets of four times the pot are read as all-in, and after a call the reader is lost."""
    bots = random_bots(tmp_path, (1200, 1200), (POT, LARGE), translation="nearest")
    result = same(bots, tmp_path, hands=300, duplicate=True)
    report = result.players[0].report
    assert 0 < report["off_tree"] == report["misses"] < report["decisions"] / 4


@pytest.mark.parametrize("options", [{"purify": True}, {"threshold": 0.3}, {"off_tree": "call"}])
def test_rows_never_trained_and_pruned_ones(options: dict[str, Any], tmp_path: Path) -> None:
    result = same(random_bots(tmp_path, (1200, 1200), (POT, MANY), 0.6, **options), tmp_path, hands=200, duplicate=True)
    for player in result.players:
        assert 0 < player.report["misses"] < player.report["decisions"]


def test_three_players_on_three_trees(tmp_path: Path) -> None:
    """Two seats may throw coins for one bet, and stacks differ."""
    bots = random_bots(tmp_path, (2000, 3000, 2500), (POT, BETWEEN, LARGE), 0.9)
    same(bots, tmp_path, hands=60, duplicate=True)


@pytest.mark.parametrize(
    "players", [("blueprint", "blueprint"), pytest.param(("call", "blueprint"), marks=pytest.mark.slow)]
)
def test_holdem(players: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without card tables: buckets are worked out board by board."""
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    result = same(players, tmp_path, hands=20, duplicate=True)
    assert not (tmp_path / "data" / "tables").exists()
    assert result.players[0].report["decisions"] > 30


def test_going_without_card_tables_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    for player, told in (("blueprint", True), ("kuhn", False)):
        done = run("match", player, "call", "--hands", 5, "--compiled", "--output", tmp_path / player)
        assert done.exit_code == 0, done.output
        assert ("no card tables: buckets are worked out as they come" in done.stderr) == told
        assert (",000 hands on they are built first" in done.stderr) == told


def test_no_logs_unless_asked_for(tmp_path: Path) -> None:
    match = match_of(["kuhn", "call"], hands=3000, duplicate=True)
    logged = compiled(match, tmp_path / "logged")
    bare = compiled(match, tmp_path / "bare", logged=False)
    assert bare.players == logged.players
    assert [seating.log for seating in bare.seatings] == ["", ""]
    assert not list((tmp_path / "bare").glob("*.log"))
    assert json.loads((tmp_path / "bare" / "result.json").read_text())["how"] == "compiled"


def test_progress_is_seen_and_threads_do_not_matter(tmp_path: Path) -> None:
    match = match_of(["kuhn", "kuhn"], hands=5000, duplicate=True)
    seen: list[tuple[int, ...]] = []
    result = CompiledMatch(match, tmp_path / "one").play(lambda logs: seen.append(tuple(log.played for log in logs)))
    assert len(seen) == 5 and seen[-1] == (5000, 5000) and seen == sorted(seen)
    assert compiled(match, tmp_path / "three", threads=3).players == result.players


def test_what_cannot_be_compiled(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"formula.yaml: formula: player formula works its answers out .* --in-process"
    ):
        compiled(match_of(["formula", "call"], game=LEDUC), tmp_path / "a")
    script = tmp_path / "startme.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    with pytest.raises(ConfigError, match="startme is a program of its own"):
        compiled(match_of([f"exec:{script}", "call"]), tmp_path / "a")
    assert not (tmp_path / "a").exists()
    match = match_of(["kuhn", "kuhn"], hands=3)
    compiled(match, tmp_path / "b")
    with pytest.raises(ConfigError, match="holds a match; --output"):
        compiled(match, tmp_path / "b")
    with pytest.raises(ConfigError, match="in_process is 'compiled'|players is None"):
        run_match(match, tmp_path / "b", "in-process", True, lambda logs: None)


def test_the_command(tmp_path: Path) -> None:
    words = ("match", "kuhn", "call", "--hands", 2000, "--duplicate", "--compiled", "--output", tmp_path / "out")
    found = json_of(*words, "--threads", 2)
    assert found["how"] == "compiled" and found["samples"] == 2000
    assert found["players"][0]["mbb_per_game"] == -found["players"][1]["mbb_per_game"]
    assert (tmp_path / "out" / "seating-2.log").read_text().count("STATE") == 2000
    assert "holds a match" in refused(*words)
    assert "does not go with --in-process" in refused(*words, "--in-process")
    assert "play it again" in refused(*words, "--resume")
    assert "are for --compiled" in refused("match", "kuhn", "call", "--no-log", "--output", tmp_path / "out")
    assert "--jobs is for matches over TCP" in refused("match", "kuhn", "call", "--jobs", 2, "--compiled")


def test_chips_of_a_hand_shared_in_three_are_those_of_the_log(tmp_path: Path) -> None:
    """A third of a chip is logged with six decimals, and results are read from logs."""
    result = same(["call", "call", "call"], tmp_path, game="kuhn.limit.3p", hands=10)
    assert np.isfinite([player.chips for player in result.players]).all()


def test_other_stacks_than_the_strategys_are_played_as_in_one_process(tmp_path: Path) -> None:
    """Uneven ones, of which the longer could bet more than can be called."""
    text = str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("stack = 20000 20000", "stack = 3000 5000")
    (tmp_path / "uneven.game").write_text(text)
    same(["blueprint", "call"], tmp_path, hands=40, duplicate=True, game=str(tmp_path / "uneven.game"))
