"""The measured quality of a strategy, as a model card states it."""

from limpet.strategies.blueprint.strategy_file import Manifest

RESPONSE = "real_response"
"""Key of the command in a manifest's ``measured_by`` that measured the bounds BELOW and ABOVE."""
BELOW, ABOVE = f"{RESPONSE}_below", f"{RESPONSE}_above"
"""Names of the bounds of the exploitability in a manifest's ``quality``, without their ending."""
MBB, HALF_WIDTH = "_mbb", "_half_width_mbb"
"""Endings of names in ``quality``: of a mean in mbb/g, and of half its 95 % interval."""


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
