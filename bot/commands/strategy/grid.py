"""``limpet strategy grid`` and ``preflop``: draw what a strategy does with each hand at one decision, and before the flop."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import flag, json_option, measure_options, option, picture_option, record_option
from limpet.bot.commands.parameters import CARDS, MOST_BOARDS, STRATEGY, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import estimate_data, estimate_text, print_json, standard_output, writing
from limpet.configs.loading import ConfigError, mistakes
from limpet.protocol.cards import cards_text
from limpet.strategies.holdem.blueprint.named import open_named

if TYPE_CHECKING:
    from limpet.common.statistics import Estimate
    from limpet.strategies.holdem.blueprint.look import Look, PreflopNode, Verdict
    from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile


@click.command(
    epilog="""\b
Examples:
  limpet strategy grid hunl-200bb                            the first decision
  limpet strategy grid hunl-200bb r300c/ --board Ks7h2d      big blind to act on the flop
  limpet strategy grid hunl-200bb r300 --svg bb-defence.svg

\b
LINE is the betting as on the wire: f, c, and r with the chips raised to over the whole hand.
Exit status: 0 drawn; 2 the line is off the tree, a card is missing, or a picture cannot be written."""
)
@click.argument("name", type=STRATEGY)
@click.argument("line", default="")
@option("--board", "Board cards, as in Ks7h2d.", CARDS, default="", show_default=False, metavar="CARDS")
@picture_option("--png", "Write the picture; needs pip install matplotlib.")
@picture_option("--svg", "The same as SVG.")
@json_option()
def grid(name: str, line: str, board: tuple[int, ...], png: Path | None, svg: Path | None, as_json: bool) -> None:
    """Draw what a strategy does with each of the 169 starting hands at one decision.

    In the terminal a class's cell shows its actions side by side; in a picture its height is how much of the class gets
    there. In games without the 169 classes, and without cards, the hands are listed.
    """
    from limpet.strategies.cards.handspace import is_heads_up_holdem
    from limpet.strategies.holdem.blueprint.look import look

    with mistakes():
        file = open_named(name)
        view = look(file, line, board)
        if (png or svg) and not is_heads_up_holdem(file.game):
            raise ConfigError(f"{name}: a picture shows the 169 classes of hold'em; leave --png and --svg out")
    if as_json:
        print_json(_data(view))
    elif is_heads_up_holdem(file.game):
        _print_grid(view)
    else:
        click.echo(_heading(view))
        for cards, weight, row in _hands(view):
            actions = zip(file.tree.actions(view.node), row, strict=True)
            taken = ", ".join(f"{action} {100 * float(share):.2f} %" for action, share in actions)
            click.echo(f"{cards}  held {100 * weight:6.2f} %  {taken}")
    for path in (png, svg):
        if path is not None:
            from limpet.strategies.holdem.solutions.pictures import write_picture

            with writing(path), mistakes():
                write_picture(path, view.decision(), valued=False)


def _heading(view: "Look") -> str:
    board = f"{cards_text(view.board)}, " if view.board else ""
    return f"{board}{view.betting or 'the start'}: position {view.position} acts"


def _hands(view: "Look") -> Iterator[tuple[str, float, Any]]:
    """Yield the cards of each hand that may be held, how often it is held, and its probabilities."""
    from limpet.strategies.cards.handspace import game_hands

    space = game_hands(view.file.game)
    weights = view.weights
    for hand in weights.nonzero()[0].tolist():
        yield cards_text(space.cards(hand)[::-1]), float(weights[hand]), view.rows[:, hand]


def _data(view: "Look") -> dict[str, Any]:
    from limpet.strategies.cards.handspace import is_heads_up_holdem
    from limpet.strategies.cards.isomorphism import class_name

    actions = [str(action) for action in view.file.tree.actions(view.node)]
    data: dict[str, Any] = {
        "betting": view.betting,
        "board": cards_text(view.board),
        "position": view.position,
        "actions": dict(zip(actions, view.frequencies.tolist(), strict=True)),
        "untrained": float(view.weights @ view.missed),
    }

    def played(weight: float, row: Any) -> dict[str, float]:
        return {"held": float(weight), **dict(zip(actions, row.tolist(), strict=True))}

    if is_heads_up_holdem(view.file.game):
        classes = view.decision().classes
        data["classes"] = {
            class_name(number): played(classes.happens[number], classes.frequencies[:, number])
            for number in classes.happens.nonzero()[0][::-1].tolist()
        }
    data["hands"] = {cards: played(weight, row) for cards, weight, row in _hands(view)}
    return data


def _print_grid(view: "Look") -> None:
    from limpet.bot.commands.drawing import Picture, actions_table

    decision = view.decision()
    console = standard_output()
    console.print(f"{_heading(view)}, pot {decision.pot:g} bb", style="bold")
    console.print(actions_table(decision, ("", ""), [f"{100 * share:6.2f} %" for share in view.frequencies]))
    if not view.comes_up:
        console.print("one of the players never gets here; each hand counts by its own reach")
    if missed := float(view.weights @ view.missed):
        console.print(f"{100 * missed:.2f} % of the hands get here though training never did; they borrow a row")
    console.print("")
    console.print(Picture(decision))


@click.command(
    epilog="""\b
Examples:
  limpet strategy preflop hunl-200bb
  limpet strategy preflop hunl-200bb --boards 0 --json    at once, without what the button wins
  limpet strategy preflop my/copy --check --record

\b
Every hand counts as often as it gets there when both players play the strategy.
Exit status: 0 shown; 1 with --check, a number is out of its bounds, with its whole interval if it has one;
2 there is no such strategy, or it is for a game without a button, a big blind and 169 starting hands."""
)
@click.argument("name", type=STRATEGY)
@option(
    "--boards", "Boards to work out what the button wins on; 0 leaves that out.", Whole(0, MOST_BOARDS), default=200
)
@flag("--check", "Exit with status 1 if a number is out of its bounds.")
@record_option
@measure_options
def preflop(
    name: str, boards: int, check: bool, record: bool, seed: int, threads: int, as_json: bool, quiet: bool
) -> None:
    """Show how the button opens, how the big blind answers, what the best and the worst hand do, and who wins.

    Frequencies are exact. What the button wins is the full-range duel of the strategy against itself on sampled boards,
    with a 95 % interval. The bounds are what strong players do in heads-up no-limit with deep stacks; other games have
    none.
    """
    from limpet.strategies.holdem.blueprint.look import preflop_nodes, verdicts

    with mistakes():
        file = open_named(name)
        nodes = preflop_nodes(file)
        if check and not file.game.no_limit:
            raise ConfigError(f"{name}: --check knows bounds for no-limit alone; leave it out")
        if record and boards < 2:
            raise ConfigError(f"--boards {boards}: an interval to record needs at least 2")
        value = _button_wins(file, boards, seed, threads, quiet) if boards else None
        if record and value is not None:
            from limpet.strategies.holdem.blueprint.model_card import record as record_quality

            command = f"limpet strategy preflop {file.manifest.name} --boards {boards} --seed {seed}"
            record_quality(file, "button_wins", command, {"button_wins": value})
    value = None if value is None else value.scaled(1000 / file.game.big_blind)
    judged = verdicts(nodes, value) if file.game.no_limit else ()
    if as_json:
        print_json(_preflop_data(name, nodes, value, judged), indent=2)
    else:
        _print(nodes, value, judged)
    if check and any(verdict.holds is False for verdict in judged):
        sys.exit(1)


def _button_wins(file: "StrategyFile", boards: int, seed: int, threads: int, quiet: bool) -> "Estimate":
    """Return what the button wins in chips a hand when the strategy plays itself."""
    from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
    from limpet.strategies.holdem.measures.duel import duel

    if file.position is not None:
        raise ConfigError(
            f"{file.manifest.name}: made for position {file.position} alone, it does not play itself; --boards 0 leaves "
            "that out"
        )
    seats = (BlueprintSeat(file),) * 2
    with progress("playing itself", "boards", quiet) as report:
        result = duel(file.game, seats, seats, boards, seed, threads, report)
    return result.seats[int(file.tree.player[0])]


def _preflop_data(
    name: str, nodes: "tuple[PreflopNode, ...]", value: "Estimate | None", judged: "tuple[Verdict, ...]"
) -> dict[str, Any]:
    """Return the answer for JSON; `value` is what the button wins in mbb/g."""
    from limpet.strategies.holdem.blueprint.look import ACES, TRASH, answers, defends, folding

    def node_data(node: "PreflopNode") -> dict[str, Any]:
        taken = dict(zip(node.actions, node.taken.tolist(), strict=True))
        return {"betting": node.betting, "position": node.position, "happens": node.happens, "actions": taken}

    return {
        "strategy": name,
        "button_plays": 1 - nodes[0].folds,
        "button": node_data(nodes[0]),
        "answers": [node_data(node) for node in answers(nodes)],
        "big_blind_defends": defends(nodes),
        "folds": {"hand": ACES, **folding(nodes, ACES)._asdict()},
        "folds_to_3bets": {"hand": TRASH, **folding(nodes, TRASH, 2)._asdict()},
        "button_wins_mbb_per_game": None if value is None else {**estimate_data(value), "boards": value.samples},
        "verdicts": [{**verdict._asdict(), "holds": verdict.holds} for verdict in judged],
    }


def _print(nodes: "tuple[PreflopNode, ...]", value: "Estimate | None", judged: "tuple[Verdict, ...]") -> None:
    """Print the answer for a reader; `value` is what the button wins in mbb/g."""
    from limpet.strategies.holdem.blueprint.look import ACES, SELDOM, TRASH, answers, defends, folding

    button, aces, trash, defended = nodes[0], folding(nodes, ACES), folding(nodes, TRASH, 2), 100 * defends(nodes)
    plays = 100 * (1 - button.folds)
    click.echo(f"the button (position {button.position}) plays {plays:.1f} % of its hands: {_taken(button)}")
    click.echo("the big blind's answers; sizes in big blinds")
    for node in answers(nodes):
        first = button.names[button.actions.index(node.betting)]
        click.echo(f"  to {first:<10} {100 * node.happens:5.1f} % of all hands: {_taken(node)}")
    click.echo(f"  to any raise it folds {100 - defended:.1f} %, and defends {defended:.1f} %")
    where = f", after {aces.worst_betting or 'nothing'}" if aces.worst else ""
    click.echo(
        f"{ACES} folds {100 * aces.folds:.3f} % of the times it may, and at most {100 * aces.worst:.2f} % in places that "
        f"{100 * SELDOM:g} % of its deals reach{where}"
    )
    faced = f"folds {100 * trash.folds:.2f} % to a 3-bet, which {100 * trash.happens / 2:.2f} % of its deals face"
    click.echo(f"{TRASH} {faced if trash.happens else 'never faces a 3-bet'}")
    if value is not None:
        click.echo(f"the button wins {estimate_text(value)} mbb/g ({value.samples:,} boards)")
    for verdict in judged:
        mark = {True: "yes", False: "NO", None: "open"}[verdict.holds]
        interval = f" ± {verdict.half_width:.2f}" if verdict.half_width else ""
        bounds = f"bounds {verdict.low:g} to {verdict.high:g} {verdict.unit}"
        click.echo(f"{mark:<5}{verdict.what}: {verdict.value:.2f}{interval} {verdict.unit}, {bounds}")


def _taken(node: "PreflopNode") -> str:
    return ", ".join(f"{name} {100 * part:.1f} %" for name, part in zip(node.names, node.taken, strict=True))
