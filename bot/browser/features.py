"""All features of the page, by the first word of their messages."""

from limpet.bot.browser.messages import Feature
from limpet.bot.browser.playing import Playing

FEATURES: dict[str, type[Feature]] = {
    "play": Playing,
}
"""Class of each feature; a feature that joins the page adds its line here, and its module of the page to ``app.js``."""
