"""Plays a blueprint until a street that is solved again: from there on the real subgame, with exact cards and chips."""

from pathlib import Path

from limpet.configs.fitting import under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.base.records import Journal
from limpet.strategies.base.strategy import HandKey, Strategy
from limpet.strategies.cards.handspace import is_heads_up_holdem
from limpet.strategies.holdem.blueprint.flop_values import FlopValues
from limpet.strategies.holdem.resolving.plans import SubgameRules, check_plans
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.holdem.resolving.resolver import Resolver
from limpet.strategies.holdem.resolving.time_bank import BankRules, TimeBank
from limpet.strategies.players.blueprint import Blueprint


class Resolve(Strategy):
    """A blueprint that thinks from the flop on, and before it where a raise is not in its tree."""

    class Options(SubgameRules, frozen=True, forbid_unknown_fields=True, kw_only=True):
        """Options of a resolving player.

        blueprint: options of player ``blueprint``, played until the first street that is solved.
        streets: by street (``flop``, ``turn``, ``river``), how its subgames are solved; streets left out, and those that are
            deeper than `most_spr` or `most_bb` of their plan, are played by the last subgame solved before them, or by the blueprint.
        preflop: how the rest of the betting before the flop is solved after a raise that the blueprint's tree does not
            have, and a street later the most similar flop of the tree is played on from; with other stacks than the
            blueprint's, the whole betting. Without it both are translated. It needs a blueprint with flop values (`limpet strategy flop-values`).
        mix: share of the opponent's range that stays as it was at each of the opponent's actions.
        gadget: what keeps a subgame from giving the opponent more than an earlier one promised: ``unsafe`` (nothing),
            ``resolve``, ``maxmargin``, ``reach-maxmargin`` or ``combined``.
        first_gadget: the gadget of a hand's first subgame, which has the blueprint's promise to keep. Where the
            blueprint has left its tree there is no promise, and the subgame is unsafe.
        first_promise: what the blueprint promises the opponent's hands: ``own``, what they win if both play on by it, or
            ``best``, what they would win by a best response to it.
        nested: what is solved again when the opponent bets off the tree: what follows the bet (``after``), or the
            subgame before it with the bet added to its menu (``before``; larger). After the bet only ``resolve`` and
            the margins keep the opponent from betting more than is right; before it every gadget does.
        threads: threads of a solve.
        bank: the match's time: ``seconds_a_hand`` on average (7), ``seconds_a_decision`` (600), ``hands`` of a match
            (3000), ``matches`` played at once (1). Each decision gets a share of what is saved, more for a large pot;
            solves stop when it is used up, and where none can be begun the blueprint plays, with the reason in the log.
            Without a bank no clock is looked at: solves end by iterations and target alone, and a match can be played
            again, decision by decision.
        ponder: solve the subgame at hand further while the opponent decides, up to `resolver.PONDER_LIMIT` times the
            iterations of a solve, until its target is reached. An action of the opponent is answered as soon as it
            comes. The bank pays nothing for it. It needs a bank, because play then depends on the opponent's time.
        log: a file, relative to the config, to which each decision is appended as a line of JSON.
        rows: a file, relative to the config, to which the rows of each decision are appended, for all hands, in at most
            4 KB; the action is drawn from them as they are rounded there. An evaluation of play against a clock needs it.
        """

        blueprint: Blueprint.Options
        bank: BankRules | None = None
        log: str | None = None
        rows: str | None = None

        def __hash__(self) -> int:
            """Return a hash by the blueprint and the names of the streets, whose plans lie in a dict and have no hash."""
            return hash((self.blueprint, frozenset(self.streets)))

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if options.ponder and options.bank is None:
            raise ValueError(
                "to 'ponder' is to play by the opponent's time, and there is no 'bank'; add one, or leave 'ponder' out"
            )
        if not (is_heads_up_holdem(game) and game.no_limit):
            raise ValueError(
                "subgames are solved in heads-up no-limit hold'em; player 'blueprint' plays what a strategy is trained for"
            )
        check_plans(game, options.streets, options.bank is not None)
        with under("blueprint"):
            self.blueprint = Blueprint(game, options.blueprint, folder)
        log, rows = (None if name is None else folder / name for name in (options.log, options.rows))
        self.journal = Journal(game, log, rows)
        self.flops = None if options.preflop is None else self._flop_values()
        bank = None if options.bank is None else TimeBank(options.bank)
        self.resolver = Resolver(options, self.journal, bank)

    def start_hand(self, key: HandKey) -> ResolveHand:
        if self.resolver.bank is not None:
            self.resolver.bank.hand_begins()
        return ResolveHand(self.resolver, key, self.blueprint.start_hand(key, self.flops))

    def _flop_values(self) -> FlopValues:
        """Open the flop values of the blueprint. Raises `Misfit` where there are none, or more than one blueprint."""
        with under("preflop"):
            files = {seat.file.folder: seat.file for seat in self.blueprint.seats}
            if len(files) > 1:
                raise ValueError("one blueprint has to play both positions; leave 'preflop' out, or name one strategy")
            ((folder, file),) = files.items()
            try:
                return FlopValues.open(folder, file.tree)
            except FileNotFoundError as error:
                raise ValueError(f"{error.filename}: {error.strerror}, or leave 'preflop' out") from error

    def warm_up(self) -> None:
        """Compile and touch all that a decision needs, and with a bank measure how fast this machine solves.

        Raises `ConfigError` for a `log` or `rows` that cannot be written.
        """
        self.journal.begin()
        self.blueprint.warm_up()
        line = list(State.start(self.game).called_down(self.game.deck[:5]))
        self.resolver.warm_up(line, self.blueprint.start_hand(HandKey(0, 0, 0), self.flops))

    def report(self) -> dict[str, int]:
        """Return the blueprint's counters, and those of subgames ``solved`` and not solved, so that the blueprint played."""
        return {**self.blueprint.report(), "solved": self.resolver.solved, "unsolved": self.resolver.fallbacks}

    def checksums(self) -> tuple[str, ...]:
        return self.blueprint.checksums()

    def describe(self) -> dict[str, str]:
        return self.blueprint.describe()
