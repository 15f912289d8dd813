"""Plays by a betting profile from the flop on, and before it as another bot does. Hold'em, any number of players."""

from dataclasses import dataclass, field
from pathlib import Path

from limpet.configs.fitting import under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.abstraction.expected_strength import strength_buckets
from limpet.strategies.base.botconfig import bot_beside
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.opponents.profile import Guards, ProfileRule, ProfileStyle, check_rules, rule_for, seen
from limpet.strategies.opponents.profile_rows import PlannedRows, assumed_equity, board_rows, plan_rows


class ProfilePlayer(Strategy):
    """Cuts all hands into equally large buckets by E[HS²] and plays the row of the first rule that is for the situation."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a profile, see docs/betting-profiles.md.

        rules: the first rule whose `when` fits is played; the last one has no `when`.
        guards: limits that hold over all rules.
        style: tight or loose, passive or aggressive.
        preflop: the config of the bot that plays before the flop: a name that ships, or a file relative to this config.
        """

        rules: tuple[ProfileRule, ...]
        guards: Guards = Guards()
        style: ProfileStyle = ProfileStyle()
        preflop: str = "chart"

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if not is_holdem(game, whole=True):
            raise ValueError("a profile is for hold'em with flop, turn and river; player 'formula' plays any game")
        with under("rules"):
            check_rules(options.rules)
        self.options = options
        self.bot = bot_beside(options.preflop, game, folder)
        self.preflop = self.bot.build()

    def start_hand(self, key: HandKey) -> "ProfileHand":
        return ProfileHand(self, self.preflop.start_hand(key))

    def warm_up(self) -> None:
        self.preflop.warm_up()
        deck = self.game.deck
        for cards in (3, 4, 5):
            strength_buckets(tuple(sorted(deck[:cards])), 10)
        if self.options.guards.pot_odds is not None:
            for cards in (3, 5):
                assumed_equity(self.game, tuple(sorted(deck[:cards])), 0.5)

    def checksums(self) -> tuple[str, ...]:
        return (self.bot.fingerprint(self.preflop),)

    def describe(self) -> dict[str, str]:
        return {"before the flop": str(self.bot.path)}


@dataclass(eq=False)
class ProfileHand(HandStrategy):
    """The answers in one hand. From the flop on they depend on the public state only."""

    player: ProfilePlayer
    preflop: HandStrategy
    plans: dict[str, PlannedRows] = field(default_factory=dict)

    def fork(self) -> "ProfileHand":
        return ProfileHand(self.player, self.preflop.fork(), self.plans)

    def slow(self, state: State) -> bool:
        return state.round in (1, 2) or (state.round == 0 and self.preflop.slow(state))

    def rows(self, state: State) -> Rows:
        if state.round == 0:
            return self.preflop.rows(state)
        if state.betting not in self.plans:
            options = self.player.options
            rule = rule_for(options.rules, seen(state))
            self.plans[state.betting] = plan_rows(rule, options.guards, options.style, state)
        return board_rows(self.plans[state.betting], state)
