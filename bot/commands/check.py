"""``limpet check``: prints a config with everything filled in, or what is wrong with it."""

from pathlib import Path
from typing import Any

import click
import msgspec

from limpet.bot.commands.options import json_option
from limpet.bot.commands.parameters import ANY_CONFIG
from limpet.bot.commands.terminal import print_json
from limpet.configs.loading import SUFFIX, Document, find_any_config, load_game, yaml_text
from limpet.protocol.cards import cards_text
from limpet.protocol.gamedef import NO_STACK_LIMIT, GameDef
from limpet.protocol.settlement import may_vanish


@click.command(
    epilog="""\b
Examples:
  limpet check blueprint
  limpet check river-bluffcatch --json
  limpet check my.game

\b
Exit status: 0 the config can be used; 2 it cannot, and one line says why."""
)
@click.argument("config", type=ANY_CONFIG)
@json_option("Print JSON instead of YAML.")
def check(config: str, as_json: bool) -> None:
    """Print the config of a bot, match, tournament, sit-and-go, training run or spot with everything filled in, or a game.

    CONFIG is the name of one that ships, or a file. Strategies are built as for a match, so that a missing file or
    a strategy for another game is found here.
    """
    path = find_any_config(config)
    kind, filled_in = _resolved(path)
    resolved = {"kind": kind, "file": str(path), **filled_in}
    if as_json:
        print_json(resolved, indent=2)
    else:
        click.echo(yaml_text(resolved), nl=False)


def _resolved(path: Path) -> tuple[str, dict[str, Any]]:
    """Return a config's kind, and the config with everything filled in as plain data. Raises `ConfigError`."""
    if path.suffix == SUFFIX["games"]:
        return "game", _game(load_game(path))
    data = Document.read(path).data
    keys = set(data) if isinstance(data, dict) else set()
    if "players" in keys:
        from limpet.dealer.matches.matchconfig import load_match

        match = load_match(path)
        return "match", {**match.resolved(), **_warning(match.game)}
    if "bots" in keys:
        from limpet.dealer.contests.tournament_config import load_tournament, resolve_tournament

        tournament = resolve_tournament(*load_tournament(str(path)))
        tournament.check()
        return "tournament", {**tournament.terms(), **_warning(tournament.game)}
    if "levels" in keys:
        from limpet.dealer.contests.sng_rules import load_structure

        structure = load_structure(str(path), None)
        prizes = list(structure.prizes(structure.seats or len(structure.payouts)))
        return "sit_and_go", {**msgspec.to_builtins(structure), "prizes": prizes}
    if "board" in keys:
        from limpet.strategies.holdem.solutions.spot import load_spot

        spot = load_spot(path)
        combos = [int((weights > 0).sum()) for weights in spot.weights]
        return "spot", {**msgspec.to_builtins(spot), "combos": combos, "decisions": len(spot.tree.decisions)}
    if keys & {"algorithm", "iterations", "cards", "menu"}:
        from limpet.strategies.subjects import load_run

        training = load_run(str(path))
        named = {"game": str(training.game), "output": str(training.output)}
        return "training", {**msgspec.to_builtins(training.config), **named}
    return "bot", _bot(path)


def _game(game: GameDef) -> dict[str, Any]:
    return {
        "players": game.num_players,
        "rounds": game.num_rounds,
        "stacks": ["no limit" if chips == NO_STACK_LIMIT else chips for chips in game.stack],
        **({"antes": list(game.dead)} if game.dead else {}),
        "big_blind": game.big_blind,
        "deck": cards_text(game.deck),
        "rules_hash": game.rules_hash,
        "game": str(game),
        **_warning(game),
    }


def _warning(game: GameDef) -> dict[str, str]:
    """Return what is odd about a game that can be played."""
    text = "chips may vanish, as at the reference dealer: a limit raise from a stack below the bet lowers it, and "
    text += "nobody wins what others had bet beyond it; give all players the same stack"
    return {"warning": text} if may_vanish(game) else {}


def _bot(path: Path) -> dict[str, Any]:
    from limpet.strategies.base.botconfig import load_bot, player_type

    bot = load_bot(path)
    strategy = bot.build()
    player = player_type(bot.config.player)
    return {
        "name": bot.name,
        "player": bot.config.player,
        "class": f"{player.__module__}:{player.__qualname__}",
        "seed": bot.config.seed,
        "options": msgspec.to_builtins(bot.options()),
        **strategy.describe(),
        "game": str(bot.game),
        **_warning(bot.game),
    }
