"""The names of the regret minimisers, apart from their arithmetic: commands list them without loading it."""

from typing import Literal

Name = Literal["cfr", "cfr-return-new", "cfr+", "lcfr", "dcfr", "pcfr+", "cgh"]
