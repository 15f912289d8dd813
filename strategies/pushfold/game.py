"""A push-or-fold game: a spot, the values of its leaves, and the chances of cards."""

from dataclasses import dataclass
from functools import cached_property

from limpet.strategies.pushfold.deal_tables import RANKS, DealTables
from limpet.strategies.pushfold.leaf_values import LeafValues, Ties, leaf_values
from limpet.strategies.pushfold.spot import Spot


@dataclass(frozen=True, eq=False)
class Game:
    """Everything that values depend on.

    Attributes:
        ties: "split" shares pots exactly; "smeared" is the thesis's simplification (see `leaf_values`).
    """

    spot: Spot
    tables: DealTables
    ties: Ties = "split"

    @property
    def players(self) -> int:
        return self.spot.players

    @cached_property
    def leaves(self) -> LeafValues:
        return leaf_values(self.spot, RANKS, self.ties)
