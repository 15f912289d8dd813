"""Solution files: what a bot reads is what was solved, on every board, and damage is named."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.common.artifact import MANIFEST
from limpet.protocol.cards import cards_text, parse_cards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.solutions.solution_file import (
    TENSORS,
    SolutionFile,
    SolutionLayout,
    export_solution,
    fitting_streets,
)
from limpet.strategies.holdem.solutions.solve import Solve, load_solve, prepare, real_game, save_solve
from limpet.strategies.holdem.solutions.spot import Spot
from limpet.strategies.solvers.vector.hand_groups import Grouping

TURN = Spot(
    board="JhTh4c2s",
    pot=12,
    stack=40,
    ranges=("JJ+,AJ,KJ,QJs", "AhKh,AhQh,KQ,98s,JT,44,ATs"),
    iterations=30,
    target=0,
    threads=1,
)
RAINBOW = msgspec.structs.replace(TURN, board="JhJdTcTs", ranges=("QQ+,AK", "AQ,KQ,99"))
"""Its river cards merge across suits."""


def solved(spot: Spot) -> Solve:
    solve = prepare(spot)
    solve.run()
    return solve


@pytest.mark.parametrize("spot", [TURN, RAINBOW, msgspec.structs.replace(TURN, algorithm="cgh")])
def test_it_reads_what_was_solved_on_every_board(tmp_path: Path, spot: Spot) -> None:
    solve = solved(spot)
    manifest = export_solution(tmp_path / "s", solve)
    assert manifest.streets == 2 and 0 <= manifest.unreached_rows < manifest.rows
    file = SolutionFile.open(tmp_path / "s")
    assert file.spot == spot
    tree, seen, missed = spot.tree, 0, 0
    rivers = [card for card in range(52) if card not in spot.cards]
    for node in np.flatnonzero(tree.player >= 0).tolist():
        boards = [spot.cards] if tree.round[node] == 2 else [(*spot.cards, card) for card in rivers[::5]]
        for board in boards:
            got, wanted = file.rows(node, board), solve.solver.strategy(node, board)
            answered = got.sum(axis=0) > 0
            assert got[:, answered].sum(axis=0) == pytest.approx(1, abs=1e-6)
            assert not (answered & hand_space().blocked(board)).any()
            assert np.abs(got - wanted)[:, answered].max(initial=0) < 1 / 255 + 1e-6, (node, cards_text(board))
            # Where it has none, the solver never had the hand there and says "all alike".
            empty = ~answered & (wanted.sum(axis=0) > 0)
            assert np.allclose(wanted[:, empty], 1 / len(wanted))
            seen, missed = seen + int(answered.sum()), missed + int(empty.sum())
    assert seen > 1000 and (missed > 0 or spot.algorithm == "cgh")


def test_the_first_streets_only(tmp_path: Path) -> None:
    solve = solved(TURN)
    manifest = export_solution(tmp_path / "s", solve, streets=1)
    assert manifest.streets == 1 and manifest.size < 100_000
    file = SolutionFile.open(tmp_path / "s")
    held = TURN.weights[0] > 0
    got, wanted = file.rows(0, TURN.cards), solve.solver.strategy(0, TURN.cards)
    assert np.abs(got - wanted)[:, held].max() < 1 / 255 + 1e-6
    assert not got[:, ~held].any()
    river = int(np.flatnonzero((TURN.tree.round == 3) & (TURN.tree.player >= 0))[0])
    with pytest.raises(ValueError, match="keeps 1 streets"):
        file.rows(river, (*TURN.cards, 0))
    with pytest.raises(ValueError, match="3 streets cannot be exported: from this board on there are 2"):
        export_solution(tmp_path / "t", solve, streets=3)
    card = (tmp_path / "s" / "README.md").read_text()
    assert (
        "| streets kept | turn |" in card and "It ends with the turn: later streets were solved and left out." in card
    )


def test_an_abstraction_is_kept_with_its_two_exploitabilities(tmp_path: Path) -> None:
    """In a saved solve, in an exported one, and on its card."""
    spot = msgspec.structs.replace(TURN, merge="groups", groups=Grouping("rank", "global"), algorithm="cgh")
    solve = solved(spot)
    manifest = export_solution(tmp_path / "s", solve)
    real = real_game(solve.solver, on_all_boards=False).real
    assert real.mbb > manifest.exploitability_mbb and manifest.real_exploitability_mbb == pytest.approx(
        real.mbb, abs=1e-6
    )
    assert SolutionFile.open(tmp_path / "s").manifest == manifest and manifest.spot.groups == spot.groups
    card = (tmp_path / "s" / "README.md").read_text()
    assert f"| exploitability with all hands told apart | {real.percent:.4f} % of the pot" in card
    save_solve(tmp_path / "kept", solve)
    kept = load_solve(tmp_path / "kept")
    assert kept.spot == spot and real_game(kept.solver, on_all_boards=False).real == real
    with pytest.raises(ValueError, match="another spot: groups is Grouping"):
        load_solve(tmp_path / "kept", msgspec.structs.replace(spot, groups=msgspec.UNSET))


def test_a_manifest_without_an_abstraction_says_nothing_of_one(tmp_path: Path) -> None:
    export_solution(tmp_path / "s", solved(TURN), streets=1)
    assert (
        "real_" not in (tmp_path / "s" / MANIFEST).read_text()
        and "groups" not in (tmp_path / "s" / MANIFEST).read_text()
    )


def test_what_does_not_fit_is_left_out() -> None:
    solve = prepare(TURN)
    whole = int(SolutionLayout.of(TURN, solve.solver.forest, 2).start[-1])
    assert fitting_streets(solve, whole) == 2 and fitting_streets(solve, whole - 1) == 1
    assert fitting_streets(solve, 0) == 1


def test_damage_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    export_solution(folder, solved(TURN), streets=1)
    content = (folder / TENSORS).read_bytes()
    text = (folder / MANIFEST).read_text()
    (folder / TENSORS).write_bytes(content[:-1])
    with pytest.raises(ValueError, match="bytes, but its manifest says .*copy it again"):
        SolutionFile.open(folder)
    (folder / MANIFEST).write_text(text + "# again\n")
    (folder / TENSORS).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ValueError, match="SHA-256 is"):
        SolutionFile.open(folder)
    (folder / TENSORS).unlink()
    with pytest.raises(ValueError, match="missing; copy the whole folder"):
        SolutionFile.open(folder)
    (folder / TENSORS).write_bytes(content)
    SolutionFile.open(folder)
    (folder / MANIFEST).write_text(text.replace("board: JhTh4c2s", "board: JhTh4c2d"))
    with pytest.raises(ValueError, match="laid out by another version"):
        SolutionFile.open(folder)
    (folder / MANIFEST).write_text(text.replace("limpet-solution/1", "limpet-strategy/1"))
    with pytest.raises(ValueError, match="is from limpet train"):
        SolutionFile.open(folder)


def test_other_boards_are_refused(tmp_path: Path) -> None:
    export_solution(tmp_path, solved(TURN))
    file = SolutionFile.open(tmp_path)
    with pytest.raises(ValueError, match="does not continue"):
        file.rows(0, parse_cards("JhTh4c2d"))
    with pytest.raises(ValueError, match="not a decision"):
        file.rows(int(TURN.tree.num_nodes - 1), TURN.cards)
