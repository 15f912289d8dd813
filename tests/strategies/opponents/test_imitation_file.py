"""A bot that plays a model's folder."""

from pathlib import Path

import pytest

from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.opponents.imitation import learn
from limpet.strategies.opponents.imitation_file import Card, write_model
from tests.strategies.opponents.made_hands import hand, hands_of


def test_the_bot_of_a_folder_plays(tmp_path: Path) -> None:
    model = learn([hand("r300c/cc/cc/cc", "KsQs", "AsAh"), hand("f", "", "7d2c")]).model
    write_model(tmp_path / "chart", model, Card([], 400, 1, 1.0, model.options))
    config = tmp_path / "bot.yaml"
    text = "name: x\nplayer: imitation\ngame: holdem.nolimit.2p.reverse_blinds\noptions: {model: chart}\n"
    config.write_text(text)
    bot = load_bot(config)
    strategy = bot.build()
    strategy.warm_up()
    assert len(hands_of(strategy, 5)) == 5
    assert strategy.checksums() and "everybody" in strategy.describe()["model"]
    config.write_text(text.replace("chart", "nowhere"))
    with pytest.raises(ValueError, match=r"bot.yaml:4: options.model: .*no model here"):
        load_bot(config).build()
    config.write_text(text.replace("holdem.nolimit.2p.reverse_blinds", "kuhn.limit.2p"))
    with pytest.raises(ValueError, match="no-limit hold'em"):
        load_bot(config).build()
