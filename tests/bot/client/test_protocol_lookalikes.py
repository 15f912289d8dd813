"""Which game a dealer plays, told from what it sends to a bot of another one."""

from dataclasses import replace
from typing import Any

import pytest

from limpet.bot.client.protocol import OWN, look_alikes
from limpet.configs.loading import load_game, shipped_names
from limpet.protocol.gamedef import GameDef

HOLDEM = load_game("holdem.nolimit.2p.reverse_blinds")
KUHN = load_game("kuhn.limit.2p")


def test_every_recorded_line_of_a_game_that_ships_is_told(recorded: dict[str, Any]) -> None:
    ships = {name: load_game(name) for name in shipped_names("games")}
    looked_at = 0
    for recording in recorded.values():
        for name in [name for name, game in ships.items() if game == recording.game]:
            for line in recording.served:
                looked_at += 1
                assert name in look_alikes(line, KUHN)
    assert looked_at > 500


@pytest.mark.parametrize(
    ("line", "own", "told"),
    [
        ("MATCHSTATE:0:0::As|", HOLDEM, ("kuhn.limit.2p", "leduc.limit.2p", "leduc.nolimit.2p")),
        ("MATCHSTATE:2:0::||2s3s", HOLDEM, ("holdem.limit.3p", "holdem.nolimit.3p")),
        ("MATCHSTATE:0:3:r99:2s3s|", KUHN, ()),  # below the blind
        ("MATCHSTATE:0:3:r21000:2s3s|", KUHN, ("holdem.nolimit.2p.reverse_blinds with stacks of 21000 or more",)),
        ("MATCHSTATE:0:3:r21000:2s3s|", HOLDEM, (f"{OWN} with stacks of 21000 or more",)),
        ("MATCHSTATE:0:3:r5000c///:2s3s|4c4d/5s6s7s/8s/9s", HOLDEM, (f"{OWN} with stacks of 5000",)),
        ("MATCHSTATE:0:3:r21000r42000c/:2s3s|/5s6s7s", HOLDEM, (f"{OWN} with stacks of 42000 or more",)),
        ("MATCHSTATE:0:0::AsKsQsJsTs9s|", HOLDEM, ()),
        ("MATCHSTATE:", HOLDEM, ()),
        ("MATCHSTATE:0:0:r99999999999999:2s3s|", HOLDEM, ()),
    ],
)
def test_what_a_line_looks_like(line: str, own: GameDef, told: tuple[str, ...]) -> None:
    found = look_alikes(line, own)
    assert found[: len(told)] == told if told else found == ()


def test_an_own_game_that_does_not_ship_is_compared_with_other_stacks() -> None:
    own = replace(HOLDEM, blind=(60, 30))
    assert look_alikes("MATCHSTATE:0:3:r21000r43000c/:2s3s|/5s6s7s", own)[0] == f"{OWN} with stacks of 43000 or more"
