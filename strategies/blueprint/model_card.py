"""The model card that a strategy folder carries, written from its manifest."""

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.blueprint.strategy_file import Manifest


def model_card(manifest: Manifest, game: GameDef) -> str:
    """Markdown: what the strategy is for, how it was made, how good it is known to be, where it ends."""
    lossless = isinstance(manifest.cards, Lossless)
    cards = "every hand and board apart (lossless)" if lossless else (
        f"169 classes before the flop, then {', '.join(map(str, getattr(manifest.cards, 'buckets', ())))} percentile "
        "buckets of expected hand strength on flop, turn and river"
    )  # fmt: skip
    stack = f" with stacks of {game.stack[0] / game.big_blind:g} big blinds" if game.no_limit else ""
    betting = "no-limit" if game.no_limit else "limit"
    lines = [
        f"# {manifest.name}",
        "",
        f"A strategy for {game.num_players} players, {betting}{stack}, made by `limpet train` from self-play alone.",
        "",
        "| | |",
        "|-|-|",
        f"| algorithm | {manifest.algorithm}, {manifest.iterations:,} iterations, seed {manifest.seed} |",
        f"| training | {manifest.training_seconds:,.0f} s on {manifest.threads} thread(s) |",
        f"| cards | {cards} |",
        f"| infosets | {manifest.rows:,}, of which {manifest.untrained_rows:,} were never reached in training |",
        f"| storage | {manifest.bits} bits a probability |",
    ]
    lines += [f"| {name.replace('_', ' ')} | {value:.6f} |" for name, value in manifest.quality.items()]
    limits = (
        "It is an approximate equilibrium of exactly this game."
        if lossless
        else "It is an approximate equilibrium of an abstraction, not of the game: it forgets earlier streets, does not "
        "see how a hand may improve, and knows only the bet sizes of its menu (other bets are translated). Its "
        "exploitability in the real game has not been measured."
    )
    lines += ["", "## Limits", "", limits, "", "## Game", "", "```", str(game).rstrip(), "```", "", "Licence: MIT.", ""]
    return "\n".join(lines)
