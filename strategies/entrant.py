"""A bot in a tournament: it gets a strategy of its own for each hand, because stacks and players differ every hand."""

from collections.abc import Iterable

from limpet.configs.loading import ConfigError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import Situation, is_tournament
from limpet.strategies.agent import Agent
from limpet.strategies.botconfig import Bot
from limpet.strategies.registry import player_type
from limpet.strategies.sampling import mix


class Entrant:
    """A bot whose options are read once, so that a strategy for the next hand is quickly made.

    What a player keeps from hand to hand, such as tables that it has loaded, it keeps outside of its `Strategy` object.
    """

    def __init__(self, bot: Bot, seed: int | None = None) -> None:
        """`seed` replaces the config's. Raises `ConfigError` for a bot whose player or options are wrong."""
        self.bot = bot
        self._seed = bot.config.seed if seed is None else seed
        self.options = bot.options()
        self.player = player_type(bot.config.player)
        self._folder = bot.path.parent

    def agent(self, game: GameDef, situation: Situation | None = None) -> Agent:
        """Return an agent for the one hand of `game`. Raises `ConfigError` if the player cannot play it.

        Every hand of a tournament is hand 0 of a match, so that its numbers are mixed into the agent's seed. They are
        those of the `situation`, if it is known, or of the game's comments.
        """
        try:
            strategy = self.player(game, self.options, self._folder)
        except ConfigError:
            raise
        except ValueError as error:
            dealt = f"{game.num_players} players with stacks of {' '.join(map(str, game.stack))}"
            raise ConfigError(f"{self.bot.path}: {self.bot.name} cannot play hold'em of {dealt}: {error}") from error
        if situation is None and is_tournament(game):
            situation = Situation.of(game)
        return Agent(strategy, hand_seed(self._seed, situation))

    def warm_up(self, games: Iterable[GameDef]) -> None:
        """Load and compile what hands of these games need. Raises `ConfigError` if the player cannot play one of them."""
        for game in games:
            self.agent(game).strategy.warm_up()


def hand_seed(seed: int, situation: Situation | None) -> int:
    """Return the seed of a bot in one hand: its own `seed`, with the numbers of the tournament and the hand mixed in."""
    return seed if situation is None else mix(seed, situation.number, situation.hand)
