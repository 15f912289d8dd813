"""Lines that a long measure goes on from."""

from pathlib import Path

import msgspec
import pytest

from limpet.common.folders import MeasureFile
from limpet.configs.loading import ConfigError


class Terms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    bot: str
    seed: int


class Found(msgspec.Struct, frozen=True):
    value: float


def opened(path: Path, seed: int = 1) -> MeasureFile[Found]:
    return MeasureFile(path, Terms("b", seed), Found)


def test_it_goes_on_behind_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "m.jsonl"
    first = opened(path)
    assert not path.parent.exists()
    first.add(Found(0.1))
    first.add(Found(1 / 3))
    with path.open("ab") as file:
        file.write(b'{"val')
    again = opened(path)
    assert again.found == [Found(0.1), Found(1 / 3)]
    again.add(Found(2))
    assert path.read_text() == '{"bot":"b","seed":1}\n{"value":0.1}\n{"value":0.3333333333333333}\n{"value":2}\n'
    assert opened(path).found == [Found(0.1), Found(1 / 3), Found(2)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"bot":"b","seed":2}\n', "m.jsonl:1: measured with another seed; delete it, or name another --output"),
        ('{"bot":"a","seed":2}\n', "m.jsonl:1: measured with another bot and seed; "),
        ('{"bot":"b","seed":1,"more":0}\n', "m.jsonl:1: cannot read it: "),
        ("", "m.jsonl:1: cannot read it: "),
        ('{"bot":"b","seed":1}\n{"value":1}\n{"value":"x"}\n', "m.jsonl:3: cannot read it: "),
    ],
)
def test_what_is_something_else_is_refused_and_stays(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        opened(path)
    assert complaint in str(error.value)
    assert path.read_text() == text
