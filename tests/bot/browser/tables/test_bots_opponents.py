"""The knob from tight to loose."""

from pathlib import Path

from limpet.bot.browser.tables.bots import styled
from limpet.strategies.base.botconfig import load_bot


def test_a_style_lies_between_the_experts_own_and_that_of_a_loose_player(tmp_path: Path) -> None:
    assert styled("expert", 0, tmp_path) == "expert"
    assert styled("blueprint", 1, tmp_path) == "blueprint"
    shares = []
    for style in (-1.0, -0.5, 0.5, 1.0):
        bot = load_bot(styled("expert", style, tmp_path))
        options = bot.options()
        shares.append(options.style.preflop.open)  # type: ignore[attr-defined]
        bot.build()
    assert shares == sorted(shares) and len(set(shares)) > 2
