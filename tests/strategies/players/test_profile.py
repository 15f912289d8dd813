"""The two profiles that ship: the thesis's numbers, and what its testers asked for."""

from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.dealer.table.deals import Deals
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.players.profile import ProfilePlayer
from tests.strategies.opponents.test_profile_situation import after

FLOP = tuple(parse_cards("Qh6h7s2cJd"))


def player(name: str, game: GameDef | None = None) -> ProfilePlayer:
    strategy = load_bot(name, game).build()
    assert isinstance(strategy, ProfilePlayer)
    return strategy


THESIS, MENDED = player("profile-thesis"), player("profile")


def rows(strategy: ProfilePlayer, state: State) -> Rows:
    return strategy.start_hand(HandKey(0, 0, state.actor)).rows(state)


def mean_row(strategy: ProfilePlayer, betting: str, board: tuple[int, ...] = FLOP) -> dict[str, float]:
    """Probability of each action, all live hands being equally likely."""
    state = after(betting, strategy.game, board)
    answer = rows(strategy, state)
    blocked = hand_space().blocked(state.board)
    means = answer.dense(blocked).sum(axis=1) / (~blocked).sum()
    return {str(action): float(mean) for action, mean in zip(answer.actions, means, strict=True)}


def test_7_5_2_the_mean_row_as_printed() -> None:
    mean = mean_row(THESIS, "r300c/r600")
    assert list(mean) == ["f", "c", "r960", "r1200", "r20000"]
    assert list(mean.values()) == pytest.approx([0.511, 0.172, 0.192, 0.100, 0.025], abs=0.002)


def test_7_5_2_any_bluff_below_1_045_pots_profits() -> None:
    folds = mean_row(THESIS, "r300c/r600")["f"]
    assert folds / (1 - folds) == pytest.approx(1.045, abs=0.01)


def test_7_5_2_the_strongest_tenth_never_folds() -> None:
    answer = rows(THESIS, after("r300c/r600", board=FLOP))
    column = answer.column(hand_space().index(parse_cards("6c6s")))
    assert column == pytest.approx([0, 0.5, 0.3, 0.15, 0.05])


def test_the_thesis_folds_as_often_to_any_bet_and_the_mended_one_does_not() -> None:
    assert mean_row(THESIS, "r300c/r400")["f"] == pytest.approx(mean_row(THESIS, "r300c/r900")["f"])
    small, large = mean_row(MENDED, "r300c/r400")["f"], mean_row(MENDED, "r300c/r900")["f"]
    assert small < 0.25 < large < 0.6


@pytest.mark.parametrize(
    ("betting", "most"), [("r600c/r720", 1 / 11), ("r600c/cc/r720", 1 / 11), ("r600c/cc/cc/r720", 0.2)]
)
def test_t4_pot_odds_on_small_bets(betting: str, most: float) -> None:
    """A bet of a tenth of the pot wins by itself only if 1 / 11 fold. On the river some hands beat nothing that bets."""
    assert mean_row(MENDED, betting)["f"] < most


@pytest.mark.parametrize("betting", ["r300c/r600", "r300c/cc/r600", "r300c/cc/cc/r600", "r300c/cc/cc/r900"])
def test_a_bluff_with_any_two_cards_hardly_profits(betting: str) -> None:
    state = after(betting, board=FLOP)
    size = state.to_call / (state.pot - state.to_call)
    assert mean_row(MENDED, betting)["f"] < size / (1 + size) + 0.08


def test_t1_t5_bets_the_flop_as_the_raiser() -> None:
    assert 0.5 < 1 - mean_row(MENDED, "r300c/c")["c"] < 0.7


def test_t1_t3_never_folds_with_little_behind() -> None:
    """800 in the pot and 3 behind: nothing folds. The thesis's profile folds half."""
    for name, folds in ((MENDED, False), (THESIS, True)):
        mean = mean_row(name, "r9000c/r19997c/r20000")
        assert (mean.get("f", 0) > 0.5) is folds and (mean.get("f", 0) == 0) is not folds


def test_t5_no_400_into_40() -> None:
    for betting in ("cc/", "r300c/c", "r300c/cc/c", "r300c/cc/cc/c", "r300c/r600", "r300c/r600r1500"):
        state = after(betting, board=FLOP)
        pot = state.pot + state.to_call
        for action in rows(MENDED, state).actions:
            left = state.game.stack[state.actor] - state.max_spent
            assert action.size - state.max_spent <= max(1.25 * pot, 0.5 * left if left < 2 * pot else 0) + 1


def test_t3_one_size_a_situation() -> None:
    for betting in ("cc/", "r300c/c", "r300c/cc/c", "r300c/cc/cc/c", "r300c/r600"):
        assert sum(action.kind == "r" for action in rows(MENDED, after(betting, board=FLOP)).actions) == 1


def test_t2_bets_rivers_for_value_in_position() -> None:
    """Trips are bet on the river, last to act."""
    board = tuple(parse_cards("KcTs4dKh3s"))
    answer = rows(MENDED, after("r300c/cc/cc/c", board=board))
    column = answer.column(hand_space().index(parse_cards("KdQs")))
    assert column[answer.actions.index(CALL)] < 0.1


@pytest.mark.parametrize(("knob", "action"), [("loose", "f"), ("aggressive", "c")])
def test_the_style_knobs(knob: str, action: str, tmp_path: Path) -> None:
    text = Path(load_bot("profile").path).read_text()
    means = []
    for value in (-1, 0, 1):
        path = tmp_path / f"{value}.yaml"
        changed = text.replace("{loose: 0, aggressive: 0}", f"{{{knob}: {value}}}").replace(
            "pot_odds: 1.1", "committed: 0"
        )
        path.write_text(changed.replace("    committed: 0.25", "    # "))
        means.append(mean_row(player(str(path)), "r300c/r600")[action])
    assert means[0] > means[1] > means[2]


@pytest.mark.parametrize("name", ["profile", "profile-thesis"])
@pytest.mark.parametrize("game_name", ["holdem.nolimit.2p.reverse_blinds", "holdem.nolimit.6p", "holdem.limit.3p"])
def test_hands_of_two_to_six_players(name: str, game_name: str) -> None:
    game = load_game(game_name)
    strategy = player(name, game)
    deals = Deals(game, 3)
    for number in range(4):
        board = next(deals).board
        state = State.start(game)
        draws = np.random.default_rng(number)
        while not state.finished:
            answer = rows(strategy, state)
            assert all(state.is_legal(action) for action in answer.actions)
            blocked = hand_space().blocked(state.board)
            np.testing.assert_allclose(answer.dense(blocked).sum(axis=0), np.where(blocked, 0, 1), rtol=0, atol=1e-6)
            choices = [action for action in answer.actions if action != FOLD] or [CALL]
            state = state.apply(choices[draws.integers(len(choices))]).with_board(board)


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match="hold'em with flop"):
        load_bot("profile", load_game("leduc.limit.2p")).build()


def test_another_bot_plays_before_the_flop(tmp_path: Path) -> None:
    text = Path(load_bot("profile").path).read_text()
    (tmp_path / "caller.yaml").write_text("name: caller\nplayer: call\ngame: holdem.nolimit.2p.reverse_blinds\n")
    (tmp_path / "mine.yaml").write_text(text.replace("preflop: chart ", "preflop: caller.yaml "))
    strategy = player(str(tmp_path / "mine.yaml"))
    assert rows(strategy, State.start(strategy.game)).actions == (CALL,)
    assert strategy.checksums() != MENDED.checksums()
    assert strategy.describe() == {"before the flop": str(tmp_path / "caller.yaml")}


def test_a_bot_that_names_itself_is_told(tmp_path: Path) -> None:
    text = Path(load_bot("profile").path).read_text()
    (tmp_path / "mine.yaml").write_text(text.replace("preflop: chart ", "preflop: mine.yaml "))
    with pytest.raises(ValueError, match="lead back to this one"):
        load_bot(tmp_path / "mine.yaml").build()


def test_ten_players() -> None:
    text = str(load_game("holdem.nolimit.6p"))
    blinds = ["50", "100", *["0"] * 8]
    for key, values in (
        ("numPlayers", ["10"]),
        ("blind", blinds),
        ("stack", ["20000"] * 10),
        ("firstPlayer", ["3", "1", "1", "1"]),
    ):
        text = "\n".join(f"{key} = {' '.join(values)}" if line.startswith(key) else line for line in text.split("\n"))
    game = GameDef.parse(text)
    strategy = player("profile", game)
    state = State.start(game)
    for _ in range(10):
        state = state.apply(CALL).with_board(FLOP)
    assert state.round == 1 and state.remaining == 10
    assert rows(strategy, state).actions[0] == CALL
