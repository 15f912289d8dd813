"""The card that a solution's folder carries, written from its manifest."""

from typing import TYPE_CHECKING

from limpet.protocol.cards import cards_text

if TYPE_CHECKING:
    from limpet.strategies.solutions.solution_file import Manifest

STREETS = ("flop", "turn", "river")


def solution_card(manifest: "Manifest") -> str:
    """Markdown: what was solved, how, how well, and where it ends."""
    spot, root = manifest.spot, manifest.spot.root
    unit = root.game.big_blind
    behind = min(stack - spent for stack, spent in zip(root.game.stack, root.spent, strict=True))
    first = len(spot.cards) - 3
    kept = STREETS[first : first + manifest.streets]
    what = (
        "An approximate equilibrium of one spot of heads-up no-limit hold'em, made by `limpet solve`: "
        f"{cards_text(spot.cards)}, a pot of {root.pot / unit:g} big blinds, {behind / unit:g} behind."
    )
    limits = (
        "It holds for these ranges, this pot and these stacks, and knows only the bet sizes of its menu (other bets are "
        "translated). The exploitability is that before rounding, within the menu."
    )
    lines = [
        f"# {manifest.name}",
        "",
        what,
        "",
        "| | |",
        "|-|-|",
        f"| algorithm | {manifest.algorithm}, {manifest.iterations:,} iterations, {manifest.solving_seconds:,.1f} s |",
        f"| exploitability | {manifest.exploitability_percent:.4f} % of the pot, {manifest.exploitability_mbb:.3f} mbb/g |",
        f"| EV (net, out of position / in position) | {manifest.ev_net_bb[0]:+.4f} / {manifest.ev_net_bb[1]:+.4f} bb |",
        f"| range out of position | `{spot.ranges[0]}` |",
        f"| range in position | `{spot.ranges[1]}` |",
        f"| streets kept | {', '.join(kept)} |",
        f"| rows | {manifest.rows:,}, of which {manifest.unreached_rows:,} have no answer: hands never there |",
        f"| storage | {manifest.bits} bits a probability |",
        "",
        "## Limits",
        "",
        limits,
    ]
    if first + manifest.streets < len(STREETS):
        lines.append(f"It ends with the {kept[-1]}: later streets were solved and left out.")
    lines += ["", "Licence: MIT.", ""]
    return "\n".join(lines)
