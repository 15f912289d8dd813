"""Every option of every command that takes a number refuses those that are none, and those that nothing can be done with."""

from typing import Any

import click
import pytest

from limpet.bot.cli import main
from limpet.bot.commands.parameters import PROCESSES, THREADS, Integer, Real, Whole
from limpet.common.workers import most_processes
from limpet.configs.fitting import LARGEST_WHOLE
from tests.commands import commands_of

PARAMETERS = {
    f"{path} {parameter.opts[0]}": parameter for path, command in commands_of(main) for parameter in command.params
}
"""Every parameter of every command, by the words that lead there."""
NUMBERS = (click.types.FloatParamType, click.types.IntParamType)


def kinds(parameter: click.Parameter) -> "tuple[click.ParamType[Any], ...]":
    return tuple(parameter.type.types) if isinstance(parameter.type, click.Tuple) else (parameter.type,)


def numeric(wanted: "type[click.ParamType[Any]] | tuple[type[click.ParamType[Any]], ...]") -> list[str]:
    return [name for name, parameter in PARAMETERS.items() if any(isinstance(k, wanted) for k in kinds(parameter))]


def test_the_walk_finds_the_options() -> None:
    assert {"strategy duel --threshold", "hands filter --min-pot", "solve --target"} <= set(
        numeric(click.types.FloatParamType)
    )
    assert {"dealer seed", "match --threads", "play --seed", "strategy exploit --buckets"} <= set(
        numeric(click.types.IntParamType)
    )


@pytest.mark.parametrize("name", numeric(NUMBERS))
def test_no_option_takes_a_number_that_is_none_or_without_bounds(name: str) -> None:
    parameter = PARAMETERS[name]
    for kind in kinds(parameter):
        wrong = ["nan", "NaN", "inf", "-inf", "Infinity", "1e999"]
        if isinstance(kind, click.types.IntParamType):
            wrong += ["1" + "0" * 30, "-1" + "0" * 30, "1" + "0" * 5000]
        for text in wrong if isinstance(kind, NUMBERS) else ():
            with pytest.raises(click.BadParameter):
                kind.convert(text, parameter, None)


@pytest.mark.parametrize("name", numeric(NUMBERS))
def test_every_number_has_one_of_the_kinds_of_this_program(name: str) -> None:
    for kind in kinds(PARAMETERS[name]):
        assert not isinstance(kind, NUMBERS) or isinstance(kind, (Real, Whole, Integer))


@pytest.mark.parametrize("name", [name for name in PARAMETERS if name.endswith((" --threads", " --jobs"))])
def test_threads_and_processes_have_an_end(name: str) -> None:
    with pytest.raises(click.BadParameter, match="100000 is not in the range"):
        PARAMETERS[name].type.convert("100000", None, None)


def test_what_can_be_is_taken() -> None:
    assert Real(0).convert("0.25", None, None) == 0.25
    assert Whole(0).convert(str(LARGEST_WHOLE), None, None) == LARGEST_WHOLE
    assert Integer().convert("-3", None, None) == -3
    assert THREADS.convert("64", None, None) == 64
    assert PROCESSES.convert(str(most_processes()), None, None) == most_processes() >= 32
