"""Charts by depth hold what the spot's own solves say."""

from xml.etree import ElementTree

import numpy as np
import pytest

from limpet.strategies.cards.isomorphism import class_number
from limpet.strategies.shortstacks.depth_charts import Deepest, DepthCharts, depth_charts
from limpet.strategies.shortstacks.solve import pushfold

DEPTHS = (2.0, 5.0, 8.0, 11.0)


@pytest.fixture(scope="module")
def charts() -> DepthCharts:
    return depth_charts(DEPTHS, (500, 500), (50, 100), ante=10)


def test_every_depth_is_the_answer_for_its_stacks(charts: DepthCharts) -> None:
    assert list(charts.frequencies) == ["SB", "SB,BB"]
    for number, depth in enumerate(DEPTHS):
        alone = pushfold((100 * depth, 100 * depth), (50, 100), 10)
        assert np.array_equal(charts.frequencies["SB"][number], alone.profile[(0,)])
        assert np.array_equal(charts.frequencies["SB,BB"][number], alone.profile[(0, 1)])


def test_stacks_keep_their_ratio_and_the_shortest_has_the_depth() -> None:
    one = depth_charts((4.0,), (3, 2, 2), (0.5, 1), ["BTN"], payouts=(65, 35))
    alone = pushfold((6, 4, 4), (0.5, 1), payouts=(65, 35))
    assert list(one.frequencies) == ["BTN"] and np.array_equal(one.frequencies["BTN"][0], alone.profile[(0,)])


def test_a_cell_has_the_deepest_push_and_shows_gaps(charts: DepthCharts) -> None:
    aces, trash, small = (class_number(name) for name in ("AA", "32o", "53s"))
    assert charts.deepest("SB")[aces] == Deepest(11.0, False)
    made = DepthCharts(DEPTHS, {"SB": np.zeros((4, 169))}, (0.0,) * 4)
    made.frequencies["SB"][:, aces] = 1
    made.frequencies["SB"][[0, 2], small] = 0.5
    assert made.deepest("SB")[small] == Deepest(8.0, True) and made.deepest("SB")[trash] == Deepest(None, False)
    cells = [cell for row in made.grid("SB") for cell in row]
    assert cells[0] == "AA 11+" and {"53s 8*", "32o ."} < set(cells)
    assert made.data()["charts"]["SB"]["53s"] == {"deepest": 8.0, "gap": True, "frequencies": [0.5, 0, 0.5, 0]}


def test_the_picture_has_a_cell_for_each_hand_of_each_chart(charts: DepthCharts) -> None:
    picture = ElementTree.fromstring(charts.svg())
    texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) == 2 * (1 + 2 * 169) and texts[1:3] == ["AA", "11+"]
