"""The tournament player: who plays which stacks, whole tournaments, and the same play over TCP and here."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from limpet.configs.fitting import Misfit
from limpet.configs.loading import load_game
from limpet.dealer.contests.sit_and_go import require_any_stacks, resolve
from limpet.dealer.contests.sng_inprocess import play_tournament
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.holdem.blueprint.blueprint_hand import Depth
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.expert import Expert, ExpertHand
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.players.tournament import Jam, PushFold, PushFoldHand, TournamentPlayer
from limpet.strategies.shortstacks.solve import SolvedSpots
from tests.processes import LIMPET
from tests.protocol.walks import after
from tests.strategies.players.short_games import short_game
from tests.strategies.players.test_tournament_pushfold import tight_profile


def plays(game: GameDef, betting: str = "", **options: object) -> str:
    """Return the name of the class that answers after a betting."""
    hand = TournamentPlayer(game, TournamentPlayer.Options(**options), Path()).start_hand(HandKey(0, 0, 0))  # type: ignore[arg-type]
    return type(hand.answers(after(game, betting))).__name__


PUSHFOLD, EXPERT, RESOLVE = PushFoldHand.__name__, ExpertHand.__name__, ResolveHand.__name__


def stored(blueprint: Blueprint.Options) -> Resolve.Options:
    """Options of a player that solves nothing and plays its blueprint."""
    return Resolve.Options(blueprint=blueprint, streets={})


def test_short_stacks_push_or_fold_and_deep_ones_play_by_rules() -> None:
    assert plays(short_game((1000, 1000))) == PUSHFOLD
    assert plays(short_game((1001, 1001))) == EXPERT
    assert plays(short_game((1001, 1001)), short=12) == PUSHFOLD


def test_the_effective_stack_counts_of_the_players_still_in() -> None:
    game = short_game((3000, 500, 3000))
    assert plays(game) == EXPERT
    assert plays(game, "f") == PUSHFOLD  # the small blind is deep, but the big blind is not


def test_antes_shorten_stacks() -> None:
    # 1,500 chips are 15 big blinds. Antes of 25 make blinds and antes half as large again, as 150 as a big blind would.
    assert plays(short_game((1500,) * 3)) == EXPERT
    assert plays(short_game((1500,) * 3, ante=25)) == PUSHFOLD


def test_after_the_flop_rules_play() -> None:
    assert plays(short_game((1000, 1000)), "c c") == EXPERT


def test_a_strategy_file_plays_deep_heads_up_hands_that_it_fits() -> None:
    fits = stored(Blueprint.Options(strategy="hunl-200bb"))
    ours = load_game("holdem.nolimit.2p.reverse_blinds")
    assert plays(ours, resolve=fits) == RESOLVE
    assert plays(short_game((5000, 5000)), resolve=fits) == EXPERT  # 50 big blinds are in none of its depths
    assert plays(short_game((5000, 5000), blinds=(20, 40)), resolve=fits) == EXPERT
    player = TournamentPlayer(ours, TournamentPlayer.Options(resolve=fits), Path())
    assert player.describe()["deep stacks"] == "resolve" and player.checksums()


def test_a_strategy_file_with_depths_plays_any_blinds_of_its_ratio() -> None:
    depths = (Depth(least=20, most=400, strategy="hunl-200bb"),)
    options = stored(Blueprint.Options(strategy="hunl-200bb", depths=depths))
    assert plays(short_game((3000, 2000), blinds=(50, 100)), resolve=options) == RESOLVE
    assert plays(short_game((600, 400), blinds=(10, 20)), resolve=options) == RESOLVE
    assert plays(short_game((600, 400), blinds=(15, 20)), resolve=options) == EXPERT
    assert plays(short_game((600, 400), blinds=(10, 20), ante=5), resolve=options) == EXPERT
    whole, fifth = (
        TournamentPlayer(game, TournamentPlayer.Options(resolve=options), Path()).start_hand(HandKey(1, 0, 1)).rows(
            after(game, betting)
        )
        for game, betting in (
            (short_game((3000, 2000), blinds=(50, 100)), "r250"),
            (short_game((600, 400), blinds=(10, 20)), "r50"),
        )
    )  # fmt: skip
    assert np.array_equal(whole.probabilities, fifth.probabilities)
    assert [action.kind for action in whole.actions] == [action.kind for action in fifth.actions]
    assert [action.size for action in fifth.actions] == pytest.approx(
        [action.size / 5 for action in whole.actions], abs=1
    )


def test_the_bot_that_ships_solves_hands_of_two_for_their_stacks() -> None:
    """A shove of 15 big blinds is answered as `limpet-fast` answers it, with the stacks of a tournament and other blinds too."""
    ours, other = short_game((1500, 1500)), short_game((600, 300), blinds=(10, 20), payouts=(65.0, 35.0))
    rows = [
        load_bot(bot, game).build().start_hand(HandKey(1, 0, 0)).rows(after(game, betting))
        for bot, game, betting in (
            ("limpet-fast", ours, "r1500"),
            ("tournament", ours, "r1500"),
            ("tournament", other, "r300"),
        )
    ]
    assert all([action.kind for action in each.actions] == ["f", "c"] for each in rows)
    assert np.array_equal(rows[0].probabilities, rows[1].probabilities)
    calls = [float(each.dense(np.zeros(1326, np.bool_))[1].mean()) for each in rows]
    assert 0.2 < calls[0] < 0.35 and calls[2] == pytest.approx(calls[0], abs=0.01)


def test_hands_of_tournaments_share_the_player_of_their_depth() -> None:
    depths = tuple(Depth(least=least, most=most, strategy="hunl-200bb") for least, most in ((20, 50), (10, 400)))
    options = TournamentPlayer.Options(resolve=stored(Blueprint.Options(strategy="hunl-200bb", depths=depths)))
    near, nearer, far, fewer = (
        TournamentPlayer(short_game(stacks, (10, 20), payouts=(20.0, 0.0)), options, Path()).deep
        for stacks in ((600, 400), (590, 410), (1400, 1200), (1000, 300))
    )
    assert isinstance(near, Resolve) and near is nearer
    assert isinstance(far, Resolve) and far is fewer is not near


def test_mistakes_in_nested_options_name_their_key() -> None:
    ours = load_game("holdem.nolimit.2p.reverse_blinds")
    for keys, options in (
        (("resolve", "blueprint", "strategy"), {"resolve": stored(Blueprint.Options(strategy="no-such-file"))}),
        (("pushfold", "solver", 2), {"pushfold": PushFold.Options(solver={2: "magic"})}),
    ):
        with pytest.raises(Misfit) as raised:
            TournamentPlayer(ours, TournamentPlayer.Options(**options), Path())
        assert raised.value.keys == keys


def test_other_games_are_played_by_rules() -> None:
    for name in ("holdem.limit.3p", "leduc.limit.2p"):
        game = load_game(name)
        player = TournamentPlayer(game, TournamentPlayer.Options(), Path())
        assert isinstance(player.deep, Expert) and player.pushfold is None
        player.warm_up()


@pytest.mark.parametrize(
    ("players", "number"), [(2, 0), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((2, 1), (4, 0), (4, 1)))]
)
def test_whole_tournaments_end(players: int, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SolvedSpots, "profile", tight_profile)
    bots = ["tournament", "pushfold", "call", "random"]
    sng = resolve(bots[:players], "turbo", 2, 7, False)
    entrants = require_any_stacks(sng, True)
    assert list(play_tournament(sng, entrants, number, 0))[-1].line.standing.over


@pytest.mark.slow
def test_over_tcp_it_plays_as_in_one_process(tmp_path: Path) -> None:
    bot = tmp_path / "exact.yaml"
    bot.write_text(
        "name: exact\nplayer: tournament\ngame: holdem.nolimit.2p.reverse_blinds\noptions: {pushfold: {seconds: null}}\n"
    )
    structure = tmp_path / "short.yaml"
    structure.write_text(
        "name: short\nstart_stack: 300\nlevels: [{hands: 3, small_blind: 10, big_blind: 20}]\npayouts: [1]\n"
    )
    words = ("sng", str(bot), "jam", "--structure", str(structure), "--seed", "4", "--quiet", "--start-seconds", "60")
    ends = []
    for how, options in (("here", ("--in-process", "--log")), ("tcp", ())):
        folder = tmp_path / how
        done = subprocess.run(
            [*LIMPET, *words, *options, "--tournaments", "1", "--json", "--output", str(folder)],
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        places = [player["places"] for player in json.loads(done.stdout)["players"]]
        ends.append((places, (folder / "hands.jsonl").read_bytes()))
    assert ends[0] == ends[1]


# --- The player that jams fixed ranges


GAME = load_game("holdem.nolimit.2p.reverse_blinds")


def decide(hole: str, *actions: Action) -> Action:
    state = State.start(GAME)
    for action in actions:
        state = state.apply(action)
    state = state.with_board(parse_cards("2c3c4c8d9d"))
    agent = Agent(Jam(GAME, Jam.Options(jam="TT+", call="QQ+"), Path()), 1)
    holes = tuple(parse_cards(hole) if position == state.actor else () for position in range(2))
    return agent.decide(MatchState(state.actor, 0, state, holes))


def test_it_jams_and_calls_by_its_ranges() -> None:
    all_in = Action("r", 20000)
    assert decide("TsTh") == all_in and decide("9s9h") == FOLD
    assert decide("JsJh", all_in) == FOLD and decide("QsQh", all_in) == CALL
    assert decide("JsJh", CALL) == all_in and decide("7s2h", CALL) == CALL  # a free look is taken
    assert decide("7s6h", CALL, CALL) == CALL and decide("KsKh", CALL, CALL) == all_in


def test_other_games_and_ranges_are_refused() -> None:
    with pytest.raises(ValueError, match="hold'em starting hands"):
        Jam(load_game("leduc.nolimit.2p"), Jam.Options(), Path())
    with pytest.raises(ValueError):
        Jam(GAME, Jam.Options(jam="ZZ+"), Path())
