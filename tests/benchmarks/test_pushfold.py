"""The benchmark of push-or-fold solvers: profiles that repeat are counted as a cycle."""

from itertools import islice

import numpy as np
from pushfold import cycle_length

from limpet.strategies.shortstacks.algorithms import fictitious_profiles
from limpet.strategies.shortstacks.game import Game, two_player_tables
from limpet.strategies.shortstacks.spot import ShortSpot, strength_order


def test_section_9_4_2_fictitious_play_ends_in_a_cycle_of_at_most_two_profiles() -> None:
    game = Game(ShortSpot((10.0, 10.0)), two_player_tables())
    assert cycle_length(list(islice(fictitious_profiles(game, strength_order(), {}), 100))) in (0, 1, 2)


def test_a_cycle_is_the_shortest_period_of_the_last_profiles() -> None:
    a, b, x = (np.full((2, 3), float(number)) for number in range(3))
    assert cycle_length([a] * 10) == 1
    assert cycle_length([x, *[a, b] * 20]) == 2
    assert cycle_length([a + number for number in range(50)]) == 0
