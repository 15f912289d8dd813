"""The model card that a strategy folder carries, written from its manifest and the training curve; and measurements for both."""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path

import msgspec
from msgspec.structs import replace

from limpet.common.artifact import MANIFEST, card_text, finish
from limpet.common.folders import replace_file
from limpet.common.statistics import Estimate
from limpet.configs.loading import load_yaml
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardConfig, Clustered, Lossless
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, StrategyFile

CURVE = "curve.jsonl"
"""File of the training curve, points as JSON lines, beside the checkpoint and then in the strategy's folder."""
IMPORTED = "imported from OpenSpiel"
"""Algorithm and code in the manifests of strategies that OpenSpiel made."""
RESPONSE = "real_response"
"""Key of the command in a manifest's ``measured_by`` that measured the bounds BELOW and ABOVE."""
BELOW, ABOVE = f"{RESPONSE}_below", f"{RESPONSE}_above"
"""Names of the bounds of the exploitability in a manifest's ``quality``, without their ending."""
MBB, HALF_WIDTH = "_mbb", "_half_width_mbb"
"""Endings of names in ``quality``: of a mean in mbb/g, and of half its 95 % interval."""

MOST_POINTS = 16
"""Most points of the training curve on a card."""

_BETS = "this game with the bets of its menu"


class Point(msgspec.Struct, frozen=True, omit_defaults=True):
    """A measurement of the average strategy during training. All mbb/g are per hand and position.

    Attributes:
        seconds: seconds of training so far.
        processor_seconds: seconds of training so far, over all threads; None where unknown.
        visits: number of decision nodes visited so far; 0 for full-width solvers.
        average_regret: mbb/g, see `average_regret`; None for full-width solvers.
        below: mbb/g, lower bound of the exploitability, the mean of all positions.
        above: mbb/g, upper bound of the exploitability; equal to `below` where it is exact.
        how: the kind of exploitability in words.
        value: mbb/g that position 0 wins when all play the strategy.
        half_width: mbb/g, half the 95 % interval of `value`, 0 where it is exact.
    """

    iteration: int
    seconds: float
    processor_seconds: float | None = None
    visits: int = 0
    average_regret: float | None = None
    below: float | None = None
    above: float | None = None
    how: str = ""
    value: float | None = None
    half_width: float = 0.0

    @property
    def exploitability_text(self) -> str:
        """The exploitability in words, such as ``exploitability 812–2,100 mbb/g``; empty without one."""
        if self.below is None or self.above is None:
            return ""
        if self.below == self.above:
            return f"exploitability {self.below:,.4g} mbb/g"
        return f"exploitability {self.below:,.0f}–{self.above:,.0f} mbb/g"


def read_curve(path: Path) -> list[Point]:
    """Return all points in order, none without the file. A last line that was cut off when the run was killed is left out.

    Raises `ValueError` naming the file and any other line that is not a point.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except FileNotFoundError:
        return []
    points = []
    for number, line in enumerate(lines, 1):
        try:
            points.append(msgspec.json.decode(line, type=Point))
        except msgspec.DecodeError as error:
            if number == len(lines) and not line.endswith("\n"):
                break
            raise ValueError(f"{path}:{number}: not a point of a training curve ({error}); delete the line") from error
    return points


def write_curve(path: Path, points: list[Point]) -> None:
    """Replace the file in one rename, or remove it if there are no points."""
    if points:
        replace_file(path, msgspec.json.Encoder().encode_lines(points))
    else:
        path.unlink(missing_ok=True)


def append_point(path: Path, point: Point) -> None:
    """Write a point at the end of the file, made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(msgspec.json.encode(point) + b"\n")


def model_card(manifest: Manifest, game: GameDef, curve: Sequence[Point] = ()) -> str:
    """Return the card in Markdown: what the strategy is for, how it was made, its measured quality, and its limits.

    curve: points that were measured in training.
    """
    stack = f" with stacks of {game.stack[0] / game.big_blind:g} big blinds" if game.no_limit else ""
    betting = "no-limit" if game.no_limit else "limit"
    used = manifest.processor_seconds
    processor = f", {used:,.0f} s of processor time" if used is not None else ""
    made = IMPORTED if manifest.algorithm == IMPORTED else "made by `limpet train` from self-play alone"
    facts = {
        "algorithm": f"{manifest.algorithm}, {manifest.iterations:,} iterations, seed {manifest.seed}",
        "training": f"{manifest.training_seconds:,.0f} s on {manifest.threads} thread(s){processor}",
        **({"rivers": manifest.rivers} if manifest.rivers else {}),
        "cards": _cards_text(manifest.cards),
        "infosets": f"{manifest.rows:,}, of which {manifest.untrained_rows:,} were never reached in training",
        "storage": f"{manifest.bits} bits a probability",
    }
    about = f"A strategy for {game.num_players} players, {betting}{stack}, {made}."
    rest = [*quality_lines(manifest), *curve_lines(curve), "", "## Limits", "", _limits(manifest, game)]
    return card_text(manifest.name, about, facts, *rest, "", "## Game", "", "```", str(game).rstrip(), "```")


def _limits(manifest: Manifest, game: GameDef) -> str:
    """Return the paragraph that says what the strategy is not."""
    menu, cards = manifest.menu, manifest.cards
    if manifest.algorithm == IMPORTED:
        return "Nothing is known of it but what is measured: `limpet strategy exploit NAME --record`."
    if isinstance(cards, Lossless):
        if game.num_players > 2:
            return (
                "It is near an equilibrium of exactly this game, which has many; against those of others none is safe."
            )
        return f"It is an approximate equilibrium of {'exactly this game' if menu is None else _BETS}."
    menu_limit = "" if menu is None else "It knows only so many raises a round."
    if game.no_limit:
        menu_limit = "It knows only the bet sizes of its menu (other bets are translated)."
    what = "an approximate equilibrium of an abstraction, not of the game"
    if game.num_players > 2:
        what = "trained in an abstraction; with more than two players no equilibrium is promised"
    if isinstance(cards, Clustered):
        weakness = "plays hands of a cluster alike" + ", forgets earlier streets" * (cards.recall == "imperfect")
    else:
        weakness = "forgets earlier streets, does not see how a hand may improve"
    return " ".join(f"It is {what}: it {weakness}. {menu_limit} {exploitability_sentence(manifest)}".split())


def quality_lines(manifest: Manifest) -> list[str]:
    """Return rows of the card's table: every number, with its interval if it has one, and the commands that measured."""
    quality = manifest.quality
    lines = []
    for name, value in quality.items():
        if name.endswith(HALF_WIDTH):
            continue
        text = f"{value:.6f}"
        if name.endswith(MBB):
            name = name.removesuffix(MBB)
            half_width = quality.get(name + HALF_WIDTH)
            text = f"{value:+,.6g} mbb/g" if half_width is None else f"{value:+,.1f} ± {half_width:,.1f} mbb/g"
        lines.append(f"| {name.replace('_', ' ')} | {text} |")
    return lines + [f"| {what.replace('_', ' ')} by | `{command}` |" for what, command in manifest.measured_by.items()]


def exploitability_sentence(manifest: Manifest) -> str:
    """Return a sentence about the strategy's exploitability in the real game."""
    quality = manifest.quality
    if BELOW + MBB not in quality or ABOVE + MBB not in quality:
        return "Its exploitability in the real game has not been measured."
    below, above = quality[BELOW + MBB], quality[ABOVE + MBB]
    return (
        f"An opponent who sees cards as they are and bets as its menu allows can win {below:,.0f} to {above:,.0f} mbb/g "
        "from it; one with other bets may win more."
    )


def _cards_text(cards: CardConfig) -> str:
    """Return the card abstraction in words."""
    if isinstance(cards, Lossless):
        return "every hand and board apart (lossless)"
    first = "169 classes before the flop, then"
    if isinstance(cards, Clustered):
        methods = [f"{each.most:,} ({each.__struct_config__.tag})" for each in (cards.flop, cards.turn, cards.river)]
        return f"{first} {', '.join(methods)} clusters of hands on flop, turn and river, {cards.recall} recall"
    buckets = ", ".join(map(str, cards.buckets))
    return f"{first} {buckets} percentile buckets of expected hand strength on flop, turn and river"


def curve_lines(curve: Sequence[Point]) -> list[str]:
    """Return the section with a table of at most `MOST_POINTS` points, the last one among them."""
    if not curve:
        return []
    step = -(-len(curve) // MOST_POINTS)
    lines = [
        "",
        "## Training",
        "",
        "Exploitability (mean of all positions) and average regret in mbb/g of the average strategy on the way.",
        "",
        "| iterations | seconds | of processor time | average regret | exploitability |",
        "|-|-|-|-|-|",
    ]
    for point in curve[::-1][::step][::-1]:
        processor = f"{point.processor_seconds:,.4g}" if point.processor_seconds is not None else ""
        regret = f"{point.average_regret:,.4g}" if point.average_regret is not None else ""
        between = ""
        if point.below is not None and point.above is not None:
            exact = point.below == point.above
            between = f"{point.below:,.4g}" if exact else f"{point.below:,.0f} to {point.above:,.0f}"
        lines.append(f"| {point.iteration:,} | {point.seconds:,.4g} | {processor} | {regret} | {between} |")
    if curve[-1].how:
        lines += ["", f"Exploitability here: {curve[-1].how}."]
    return lines


def record(file: StrategyFile, what: str, command: str, estimates: Mapping[str, Estimate]) -> Manifest:
    """Put numbers into the manifest's `quality`, write the model card again, and return the manifest; the strategy stays as it is.

    what: name of the measure. command: the whole command, so that it can be repeated. estimates: chips a hand by name; NAME
    becomes ``NAME_mbb`` and, unless exact, ``NAME_half_width_mbb``, both in mbb/g. Raises `ValueError` for numbers without an
    interval and for a folder that cannot be written.
    """
    unit = 1000 / file.game.big_blind
    earlier = load_yaml(file.folder / MANIFEST, Manifest)
    if earlier.sha256 != file.manifest.sha256:
        raise ValueError(f"{file.folder}: the strategy was replaced while it was measured; measure it again")
    quality = dict(earlier.quality)
    for name, estimate in estimates.items():
        if not isfinite(estimate.half_width):
            raise ValueError(f"{name}: from one board alone there is no interval to record; measure on more boards")
        quality[name + MBB] = round(estimate.mean * unit, 6)
        quality.pop(name + HALF_WIDTH, None)
        if estimate.half_width:
            quality[name + HALF_WIDTH] = round(estimate.half_width * unit, 6)
    manifest = replace(earlier, quality=quality, measured_by={**earlier.measured_by, what: command})
    try:
        card = model_card(manifest, file.game, read_curve(file.folder / CURVE))
        finish(file.folder, manifest, card)
    except OSError as error:
        raise ValueError(
            f"{error.filename or file.folder}: {error.strerror}; copy the strategy to where you may write, and name the copy"
        ) from error
    return manifest
