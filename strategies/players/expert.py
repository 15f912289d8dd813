"""The expert system for deep stacks of Moravčík's thesis (2011), section 16: simple rules in the shape of [0, 1] games.

The thesis names the rules' inputs and their shape, and has all frequencies in files of parameters, which are lost. The
rules here have that shape; their parameters are this project's own.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import Misfit
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import at_risk
from limpet.protocol.state import Action, State
from limpet.strategies.base.sampling import mix
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy, fold_call_raise, sized_raise
from limpet.strategies.cards.handspace import game_hands, read_only, require_all_cards
from limpet.strategies.opponents.expert import Style, plan, player_file, player_names, read_style
from limpet.strategies.players.formula import quick, strengths

STYLE_DRAW = 4
"""Counter of the random number that picks a style for a bot."""


class Expert(Strategy):
    """Plays by rules: strong hands bet and raise, medium ones call, and bluffs come from below the hands that call.

    Hands are ordered by their chance to beat a random hand on the board (E[HS]); before the flop these are the 169 classes
    by equity. Checked to, the best hands bet, and the weakest bluff. Facing a bet, the best hands raise, the next ones
    call, and the best of the others raise as bluffs. How many do so follows from the price, from the betting so far,
    which narrows every player's range, and from the parameters of the style. Against n opponents, a hand counts as its
    percentile to the power of n.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """The `style`'s parameters, or a `folder` of XML files, one a player, and the `player` in it.

        Without `player`, the bot's seed draws one of the folder's `names.txt`.
        """

        style: Style | None = None
        folder: str | None = None
        player: str | None = None

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        require_all_cards(game)
        if game.num_draws:
            raise ValueError("the expert plays games without draws; formula plays this one")
        self.files: tuple[Path, ...] = ()
        if options.folder is None:
            if options.player is not None:
                raise Misfit("a player is one of a folder's; add 'folder: ...'", ("player",))
            self.styles = [options.style or Style()]
            return
        if options.style is not None:
            raise Misfit("parameters stand here or in the folder's files; keep one of the two", ("style",))
        players = folder / options.folder
        names = player_names(players) if options.player is None else [options.player]
        self.files = tuple(player_file(players, name) for name in names)
        self.styles = [read_style(file) for file in self.files]

    def start_hand(self, key: HandKey) -> "ExpertHand":
        return ExpertHand(self.game, self.styles[mix(key.seed, STYLE_DRAW) % len(self.styles)])

    def warm_up(self) -> None:
        # One board of each round compiles the kernels and fills the preflop table.
        for size in self.game.board_sizes:
            percentiles(self.game, self.game.deck[:size])

    def checksums(self) -> tuple[str, ...]:
        return tuple(hashlib.sha256(path.read_bytes()).hexdigest() for path in self.files)

    def describe(self) -> dict[str, str]:
        return {"files": ", ".join(map(str, self.files))} if self.files else {}


@dataclass(eq=False)
class ExpertHand(HandStrategy):
    """The answers of one style. They depend on the public state only, so that nothing is remembered."""

    game: GameDef
    style: Style

    def slow(self, state: State) -> bool:
        return not quick(self.game, state.board)

    def rows(self, state: State) -> Rows:
        decision, percentile = plan(self.style, state), percentiles(self.game, state.board)
        lowest, highest = decision.bluffing
        raises = (percentile >= decision.raises_from) | ((percentile >= lowest) & (percentile < highest))
        bigger = raise_of(state, decision.size, self.style.all_in)
        return fold_call_raise(state, percentile >= decision.goes_on_from, raises, bigger)


def raise_of(state: State, size: float, all_in: float) -> Action | None:
    """Return the raise of a pot fraction, None where raising is illegal.

    If it takes more than the share `all_in` of the chips that the actor can still lose, it is as large as can be called.
    """
    bigger = sized_raise(state, size)
    if bigger is None or not bigger.size:
        return bigger
    most, spent = at_risk(state, state.actor), state.spent[state.actor]
    if bigger.size - spent <= all_in * (most - spent):
        return bigger
    return state.fixed(Action("r", most))


@lru_cache(maxsize=256)
def percentiles(game: GameDef, board: tuple[int, ...]) -> NDArray[np.float32]:
    """Return float32 ``[hand]``: the share of the other live hands that are weaker, equal ones counted half.

    Hands are in the order of the game's hand space; those that the board blocks have 0. The array is read-only.
    """
    live = ~game_hands(game).blocked(board)
    strength = strengths(game, board)[live]
    ordered = np.sort(strength)
    weaker, upto = np.searchsorted(ordered, strength), np.searchsorted(ordered, strength, side="right")
    result = np.zeros(len(live), np.float32)
    result[live] = (weaker + upto) / (2 * len(ordered))
    return read_only(result)
