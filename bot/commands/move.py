"""``limpet move``: one answer to one state, from the shell."""

import sys

import click

from limpet.bot.commands.options import game_option, seed_option


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
@click.argument("config")
@click.argument("state_line", metavar="MATCHSTATE:...")
@game_option
@seed_option
@click.option("--json", "as_json", is_flag=True, help="Print the probabilities of the hand held too, as JSON.")
def move(config: str, state_line: str, game: str | None, seed: int | None, as_json: bool) -> None:
    """Say what a bot does in one state.

    CONFIG is a bot: the name of one that ships, or a YAML file. The answer is the action as on the wire: f, c, or r with
    the chips raised to. A player that thinks against a clock thinks as at the table.
    """
    import json
    from time import perf_counter

    from limpet.configs.loading import load_game, mistakes
    from limpet.protocol.cards import cards_text
    from limpet.protocol.errors import ProtocolError
    from limpet.protocol.messages import parse_match_state
    from limpet.strategies.agent import Agent
    from limpet.strategies.botconfig import load_bot
    from limpet.strategies.cards.handspace import game_hands
    from limpet.strategies.records.journal import silenced

    bot = load_bot(config, load_game(game) if game is not None else None)
    match = parse_match_state(state_line.strip(), bot.game)
    if not match.my_turn:
        turn = "the hand is over" if match.state.finished else f"it is position {match.state.actor}'s turn"
        raise ProtocolError(f"{state_line.strip()!r}: {turn}, not position {match.position}'s; give a state to act in")
    with mistakes():
        strategy = silenced(bot.build())
    strategy.warm_up()  # so that a clock counts thinking, not compiling
    agent = Agent(strategy, bot.config.seed if seed is None else seed)
    began = perf_counter()
    try:
        rows = agent.hand_strategy(match).rows(match.state)
        action = agent.sample(match, rows)
        column = rows.column(game_hands(bot.game).index(match.holes[match.position]))
    except Exception as error:  # noqa: BLE001 - a strategy may be anybody's
        click.echo(f"limpet move: {bot.name} has no answer: {type(error).__name__}: {error}", err=True)
        sys.exit(1)
    if not as_json:
        click.echo(str(action))
        return
    facts = {
        "action": str(action),
        "probabilities": {str(a): float(p) for a, p in zip(rows.actions, column, strict=True)},
        "hand": cards_text(match.holes[match.position]),
        "position": match.position,
        "missed": bool(agent.misses),
        "milliseconds": round(1000 * (perf_counter() - began), 2),
    }
    click.echo(json.dumps(facts))
