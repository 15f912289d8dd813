"""The situation of a tournament goes through a definition's comment and comes back the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import Situation, definition_text, is_tournament

LINE = "# tournament: number=3 hand=17 level=2 blinds=50,100 ante=10 stacks=1500,0,3000 seats=2,0 payouts=65,35,0"
GAME = (
    "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 4\nstack = 3000 1500\nblind = 110 60\nfirstPlayer = 2 1 1 1\n"
    "numSuits = 4\nnumRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 3 1 1\nEND GAMEDEF\n"
)


def test_a_definition_tells_the_situation() -> None:
    game = GameDef.parse(f"{LINE}\n{GAME}")
    situation = Situation.of(game)
    assert situation == Situation(3, 17, 2, 50, 100, 10, (1500, 0, 3000), (2, 0), (65, 35, 0))
    assert situation.live_stacks == (3000, 1500) and situation.live_payouts == (65, 35)
    assert str(situation) == LINE and definition_text(game) == f"{LINE}\n{GAME}" and is_tournament(game)
    plain = GameDef.parse(GAME)
    assert plain == game and hash(plain) == hash(game) and str(plain) == str(game) and not is_tournament(plain)


@pytest.mark.parametrize(
    ("blind", "stack", "blinds"),
    [("100 50", "1000 400", (50, 100, 0)), ("60 110 10", "900 900 300", (50, 100, 10)), ("50 100 0", "9 9 9", None)],
)
def test_without_a_situation_the_winner_takes_all(blind: str, stack: str, blinds: tuple[int, int, int] | None) -> None:
    players = len(stack.split())
    text = GAME.replace("Players = 2", f"Players = {players}").replace("110 60", blind).replace("3000 1500", stack)
    if blinds is None:
        with pytest.raises(GameDefError):
            GameDef.parse(text)
        return
    situation = Situation.of(GameDef.parse(text))
    assert (situation.small_blind, situation.big_blind, situation.ante) == blinds
    assert situation.payouts[0] == 1 and sum(situation.payouts) == 1
    assert situation.live_stacks == tuple(map(int, stack.split()))


@pytest.mark.parametrize(
    "line",
    [
        "# tournament: number=3",
        LINE.replace("stacks=1500", "stacks=x"),
        LINE.replace("seats=2,0", "seats=2,1"),
        LINE.replace("stacks=1500", "stacks=1400"),
        LINE.replace("65", "nan"),
        LINE.replace("payouts=65,35,0", "payouts=65,35"),
    ],
)
def test_a_wrong_situation_is_refused(line: str) -> None:
    with pytest.raises(GameDefError):
        Situation.of(GameDef.parse(f"{line}\n{GAME}"))


@given(st.integers(0, 9), st.lists(st.integers(0, 10**6), min_size=2, max_size=10), st.data())
def test_every_situation_comes_back(number: int, stacks: list[int], data: st.DataObject) -> None:
    live = [seat for seat, chips in enumerate(stacks) if chips]
    payouts = data.draw(
        st.lists(st.floats(0, 1e6).map(lambda x: float(f"{x:.12g}")), min_size=len(stacks), max_size=len(stacks))
    )
    first = data.draw(st.integers(0, max(0, len(live) - 1)))
    seats = tuple(live[first:] + live[:first])
    situation = Situation(number, 4, 1, 5, 10, 1, tuple(stacks), seats, tuple(payouts))
    assert not seats or Situation.parse(str(situation)) == situation
