"""All features of the page, by the first word of their messages."""

from limpet.bot.browser.browsing import Browsing
from limpet.bot.browser.inside import Inside
from limpet.bot.browser.messages import Feature
from limpet.bot.browser.playing import Playing
from limpet.bot.browser.replaying import Replaying
from limpet.bot.browser.solving import Solving
from limpet.bot.browser.watching import Watching

FEATURES: dict[str, type[Feature]] = {
    "play": Playing,
    "strategy": Browsing,
    "solve": Solving,
    "inside": Inside,
    "replay": Replaying,
    "watch": Watching,
}
"""Class of each feature; a feature that joins the page adds its line here, and its module of the page to ``app.js``."""
