"""``limpet move``: answers one state, from the shell."""

import sys
from time import perf_counter

import click

from limpet.bot.commands.options import game_option, json_option, own_seed_option
from limpet.bot.commands.parameters import BOT, GAME
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import notice, print_json
from limpet.configs.loading import mistakes
from limpet.protocol.cards import cards_text
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import parse_match_state


@click.command(
    epilog="""\b
Examples:
  limpet move blueprint 'MATCHSTATE:1:0::|AsKd'
  limpet move kuhn 'MATCHSTATE:0:5:cr:Ks|' --json
  limpet move my/limpet.yaml 'MATCHSTATE:0:7:r300c/:KsQs|/Kh7h2d' --seed 3

\b
The state is what a dealer sends: position, hand number, betting, cards (nothing for hidden ones). Its hand number and
the seed fix the draw, so that the same question has the same answer.
Exit status: 0 the action stands on standard output; 1 the strategy failed; 2 the state or the config is wrong."""
)
@click.argument("config", type=BOT)
@click.argument("state_line", metavar="MATCHSTATE:...")
@game_option("the config's", GAME)
@own_seed_option
@json_option("Print the probabilities of the hand held too, as JSON.")
def move(config: str, state_line: str, game: GameDef | None, seed: int | None, as_json: bool) -> None:
    """Say what a bot does in one state.

    CONFIG is a bot: the name of one that ships, or a YAML file. The answer is the action as on the wire: f, c, or r with
    the chips raised to. A player that thinks against a clock thinks as at the table, about its earlier decisions of the
    hand first.
    """
    from limpet.strategies.base.agent import Agent
    from limpet.strategies.base.botconfig import load_bot
    from limpet.strategies.base.records import silenced
    from limpet.strategies.cards.handspace import game_hands

    bot = load_bot(config, game)
    match = parse_match_state(state_line.strip(), bot.game)
    if not match.my_turn:
        turn = "the hand is over" if match.state.finished else f"it is position {match.state.actor}'s turn"
        raise ProtocolError(f"{state_line.strip()!r}: {turn}, not position {match.position}'s; give a state to act in")
    with mistakes():
        strategy = silenced(bot.build())
    strategy.warm_up()  # so that a clock counts thinking, not compiling
    agent = Agent(strategy, bot.config.seed if seed is None else seed)
    try:
        hand = agent.hand_strategy(match)
        with progress("Thinking", "earlier decisions") as report:
            earlier = hand.built_on(match.state)
            for done, past in enumerate(earlier):
                report(done, len(earlier))
                hand.rows(past)
        began = perf_counter()
        rows = hand.rows(match.state)
        action = agent.sample(match, rows)
        probabilities = rows.by_action(game_hands(bot.game).index(match.own_hand), match.own_hand)
    except Exception as error:  # noqa: BLE001 - a strategy may be anybody's
        notice(f"{bot.name} has no answer: {type(error).__name__}: {error}")
        sys.exit(1)
    if not as_json:
        click.echo(str(action))
        return
    facts = {
        "action": str(action),
        "probabilities": probabilities,
        "hand": cards_text(match.own_hand),
        "position": match.position,
        "missed": bool(agent.misses),
        "milliseconds": round(1000 * (perf_counter() - began), 2),
    }
    print_json(facts)
