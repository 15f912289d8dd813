"""The manifest of a solution's folder, and the card that is written from it."""

import msgspec

from limpet.protocol.cards import cards_text
from limpet.strategies.solutions.spot import Spot

STREETS = ("flop", "turn", "river")


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts about a solution: the spot, how it was solved, how well, and the table's layout.

    Attributes:
        streets: number of streets exported, the spot's own first.
        rows: number of (decision, board, hand) triples exported; `unreached_rows` of them have no answer.
        exploitability_percent, exploitability_mbb: before rounding to eight bits; within the abstraction, if there is one.
        ev_net_bb: expected net of both positions.
        layout: SHA-256 of the boards and hands that the table is laid out by.
        sha256, size: of `solution.safetensors`.
        code: digest of the code that solved the spot, see `provenance`; empty in files from before there was one.
        real_exploitability_percent, real_exploitability_mbb: with all hands told apart; set only with an abstraction.
    """

    format: str
    name: str
    spot: Spot
    rules_hash: str
    streets: int
    rows: int
    unreached_rows: int
    bits: int
    algorithm: str
    iterations: int
    solving_seconds: float
    exploitability_percent: float
    exploitability_mbb: float
    ev_net_bb: tuple[float, float]
    versions: dict[str, str]
    layout: str
    sha256: str
    size: int
    code: str = ""
    real_exploitability_percent: float | msgspec.UnsetType = msgspec.UNSET
    real_exploitability_mbb: float | msgspec.UnsetType = msgspec.UNSET


def solution_card(manifest: Manifest) -> str:
    """Return Markdown that says what was solved, how, how well, and where it ends."""
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
    real = []
    if not isinstance(manifest.real_exploitability_percent, msgspec.UnsetType):
        percent, mbb = manifest.real_exploitability_percent, manifest.real_exploitability_mbb
        real = [f"| exploitability with all hands told apart | {percent:.4f} % of the pot, {mbb:.3f} mbb/g |"]
    lines = [
        f"# {manifest.name}",
        "",
        what,
        "",
        "| | |",
        "|-|-|",
        f"| algorithm | {manifest.algorithm}, {manifest.iterations:,} iterations, {manifest.solving_seconds:,.1f} s |",
        f"| exploitability | {manifest.exploitability_percent:.4f} % of the pot, {manifest.exploitability_mbb:.3f} mbb/g |",
        *real,
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
