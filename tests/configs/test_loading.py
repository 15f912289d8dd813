"""YAML into structs: every mistake is one line that names file, line, key and remedy."""

from math import inf
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from limpet.common.folders import find_strategy
from limpet.configs.fitting import MayBeInfinite
from limpet.configs.loading import ConfigError, Document, find_config, load_game, load_yaml, shipped_names
from limpet.protocol.gamedef import GameDef


class Leg(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    size: float = 1.0
    count: int = 1


class Oak(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="oak"):
    rings: int = 1


class Beech(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="beech"):
    leaves: int = 1
    top: Leg | None = None


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1)]
    legs: list[Leg] = []
    extra: dict[str, int] = {}
    top: Leg | None = None
    sides: dict[Literal["left", "right"], Beech] = {}
    wood: Oak | Beech = Oak()
    finish: Literal["wax", "oil"] = "wax"
    height: float | Literal["low"] | None = None
    drawers: Literal[2, 4] = 2
    spin: dict[str, bool | MayBeInfinite] = {}


def error_of(path: Path, text: str) -> str:
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_yaml(path, Table)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_decodes_types_strictly(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("name: oak\nlegs:\n  - {size: 2, count: 3}\nextra: {a: 1}\n")
    assert load_yaml(path, Table) == Table("oak", [Leg(2.0, 3)], {"a": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: a\nLegs: []\n", ":2: Legs: unknown key; did you mean 'legs'?"),
        ("name: a\nlgs: []\n", ":2: lgs: unknown key; did you mean 'legs'? known keys: name, legs, extra, top, "),
        (
            "name: a\nlegs:\n  - size: 1\n  - size: 1\n    cont: 2\n",
            ":5: legs.1.cont: unknown key; did you mean 'count'?",
        ),
        ("name: a\nlegs:\n- size: big\n", ":3: legs.0.size: 'big' does not fit; expected a number"),
        ("name: a\nlegs:\n- size: 1e3\n", ":3: legs.0.size: '1e3' does not fit; expected a number; write 1000.0"),
        ("name: a\n\ntop:\n  count: '7'\n", ":4: top.count: '7' does not fit; expected a whole number; write 7"),
        ("name: a\nlegs:\n- size: .nan\n", ":3: legs.0.size: nan does not fit; expected a finite number"),
        ("name: a\nlegs:\n- size: -.inf\n", ":3: legs.0.size: -inf does not fit; expected a finite number"),
        ("name: a\nheight: 1.0e+999\n", ":2: height: inf does not fit; expected a finite number"),
        ("name: a\nspin: {left: .nan}\n", ":2: spin.left: nan does not fit; expected a number, .inf or -.inf"),
        ("name: a\nextra: {a: 9223372036854775808}\n", ":2: extra.a: a whole number of 64 bits does not fit; expected"),
        ("name: 0x" + 5000 * "f" + "\n", ":1: name: a whole number of 20000 bits does not fit; expected text"),
        ("name: a\nwood: {kind: [oak]}\n", ":2: wood.kind: a list is none of oak, beech"),
        ("name: a\nwood: {kind: {oak: 1}}\n", ":2: wood.kind: a mapping is none of oak, beech"),
        ("name: a\ntop:\n  count: true\n", ":3: top.count: True does not fit; expected a whole number"),
        ("name: a\ntop:\n  cout: 1\n", ":3: top.cout: unknown key; did you mean 'count'?"),
        ("name: a\nextra:\n  a: 1\n  b: x\n", ":4: extra.b: 'x' does not fit; expected a whole number"),
        (
            "name: a\nsides:\n  left: {}\n  rigt: {}\n",
            ":4: sides.rigt: unknown key; did you mean 'right'? known keys: left, right",
        ),
        (
            "name: a\nsides:\n  left: {kind: beech}\n  right:\n    kind: beech\n    leafs: 1\n",
            ":6: sides.right.leafs: unknown key; did you mean 'leaves'? known keys: kind, leaves, top",
        ),
        (
            "name: a\nsides:\n  left:\n    kind: beech\n    top:\n      sise: 1\n",
            ":6: sides.left.top.sise: unknown key; did you mean 'size'? known keys: size, count",
        ),
        (
            "name: a\nsides:\n  left:\n    kind: beech\n    top: 1\n",
            ":5: sides.left.top: 1 does not fit; expected a map",
        ),
        ("name: a\n3: b\n", ":2: 3: unknown key; known keys: name, legs"),
        ("name: a\nfinish: wux\n", ":2: finish: 'wux' is none of wax, oil; did you mean 'wax'?"),
        ("name: a\nfinish: 3\n", ":2: finish: 3 is none of wax, oil"),
        ("name: a\nheight: lwo\n", ":2: height: 'lwo' is none of low, a number; did you mean 'low'?"),
        ("name: a\nheight: 1e3\n", ":2: height: '1e3' is none of low, a number; write 1000.0"),
        ("name: a\ndrawers: 3\n", ":2: drawers: 3 is none of 2, 4"),
        ("name: a\nwood:\n  kind: beach\n", ":3: wood.kind: 'beach' is none of oak, beech; did you mean 'beech'?"),
        ("name: a\nwood:\n  rings: 3\n", ":2: wood.kind: missing; add 'kind: ...' (oak, beech)"),
        ("name: a\nwood: {kind: beech, rings: 3}\n", ":2: wood.rings: unknown key; known keys: kind, leaves, top"),
        ("legs: []\n", ":1: name: missing; add 'name: ...' (text)"),
        ("", ":1: name: missing; add 'name: ...' (text)"),
        ("- 1\n", ":1: a list does not fit; expected a mapping"),
        ("name: a\nlegs: 3\n", ":2: legs: 3 does not fit; expected a list"),
        ("name: a\nname: b\n", ":2: name: the key stands here a second time; keep one of them"),
        ("name: a\ntop: {size: 1, size: 2}\n", ":2: top.size: the key stands here a second time"),
        ("name: a\nlegs: [\n", ":3: not YAML: "),
        ("name: a\n\tlegs: 1\n", ":2: not YAML: "),
        ("name: a\nextra: {a: 2020-13-45}\n", ":2: not YAML: '2020-13-45' is no timestamp; check indentation, quotes"),
        ("name: a\ndrawers: !!int abc\n", ":2: not YAML: 'abc' is no int; "),
        ("name: a\ndrawers: !!int ''\n", ":2: not YAML: '' is no int; "),
        ("name: !!timestamp x\n", ":1: not YAML: 'x' is no timestamp; "),
        ("name: !!bool x\n", ":1: not YAML: 'x' is no bool; "),
        ("name: a\nextra: &a\n  b: *a\n", ":3: extra.b: a mapping does not fit; expected a whole number"),
        ("name: a\nlegs: &a\n- *a\n", ":2: legs.0: a list does not fit; expected a mapping"),
        ("name: a\nlegs: " + 1100 * "[\n", ": nested too deeply"),
        pytest.param("name: a\nlegs: " + 3000 * "[", ": nested too deeply", marks=pytest.mark.slow),
        ("name: a\nlegs: " + 1100 * "[\n" + 1100 * "]", ": nested too deeply"),
        pytest.param("name: a\nlegs: " + 3000 * "[" + 3000 * "]", ": nested too deeply", marks=pytest.mark.slow),
        ("name: !!python/object/apply:os.getcwd []\n", ":1: not YAML: could not determine a constructor"),
    ],
)
def test_names_line_key_and_remedy(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.yaml"
    assert error_of(path, text).startswith(f"{path}{message}")


def test_infinity_is_taken_where_it_has_a_meaning(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("name: a\nspin: {left: .inf, right: -.inf}\n")
    assert load_yaml(path, Table).spin == {"left": inf, "right": -inf}


def test_what_contains_itself_fits_nothing(tmp_path: Path) -> None:
    assert " " in error_of(tmp_path / "a.yaml", "&a\nname: a\nwood: *a\n")
    path = tmp_path / "b.yaml"
    path.write_text("&a [*a]")
    with pytest.raises(ConfigError):
        load_yaml(path, dict)


def test_aliases_are_read_once(tmp_path: Path) -> None:
    """Each line has twice as many as the one before."""
    lines = ["a0: &a0 {size: 1}", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    path = tmp_path / "a.yaml"
    path.write_text("\n".join(lines) + "\nlast: {size: 1, size: 2}\n")
    with pytest.raises(ConfigError, match=r":61: last\.size: the key stands here a second time"):
        Document.read(path)


def test_a_user_who_is_not_there_is_told() -> None:
    with pytest.raises(ConfigError, match=r"^~nosuchuser/x\.yaml: there is no such user"):
        find_config("bots", "~nosuchuser/x.yaml")
    with pytest.raises(ConfigError, match=r"^~nosuchuser/x: there is no such user"):
        find_strategy("~nosuchuser/x", Path())


def test_a_part_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("name: a\nextra:\n  size: 3\n  count: x\n")
    document = Document.read(path)
    with pytest.raises(ConfigError, match=r":4: extra\.count: 'x' does not fit; expected a whole number"):
        document.decode(Leg, ("extra",))
    assert document.decode(Leg, ("missing",)) == Leg()
    assert str(document.error(("extra", "size"), "no")) == f"{path}:3: extra.size: no"


def test_missing_files_say_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "first.yaml").write_text("name: a\n")
    with pytest.raises(ConfigError, match=r"frist\.yaml: No such file or directory; did you mean .*first\.yaml\?"):
        load_yaml(tmp_path / "frist.yaml", Table)
    with pytest.raises(ConfigError, match="there is no folder"):
        load_yaml(tmp_path / "nowhere" / "x.yaml", Table)
    (tmp_path / "bytes.yaml").write_bytes(b"name: \xff\n")
    with pytest.raises(ConfigError, match="byte 6 is not UTF-8"):
        load_yaml(tmp_path / "bytes.yaml", Table)


def test_bare_names_ship_and_paths_are_files(tmp_path: Path) -> None:
    assert find_config("bots", "call").name == "call.yaml"
    own = tmp_path / "mine.yaml"
    own.write_text("name: mine\n")
    assert find_config("bots", "mine.yaml", tmp_path) == own
    assert find_config("bots", own, "elsewhere") == own
    with pytest.raises(ConfigError, match="cal: none of the bots that ship has this name; did you mean 'call'?"):
        find_config("bots", "cal")
    with pytest.raises(ConfigError, match="no such file; did you mean .*mine.yaml.*ship have bare names: .*call"):
        find_config("bots", tmp_path / "mind.yaml")


def test_games_by_name_and_file(tmp_path: Path) -> None:
    kuhn = load_game("kuhn.limit.2p")
    assert isinstance(kuhn, GameDef) and kuhn.num_ranks == 3
    (tmp_path / "own.game").write_text(str(kuhn))
    assert load_game("own.game", tmp_path) == kuhn
    (tmp_path / "own.game").write_text(str(kuhn).replace("numPlayers = 2", "numPlayers = 1"))
    with pytest.raises(ConfigError, match=r"own\.game:\d+: numPlayers: "):
        load_game("own.game", tmp_path)
    assert "leduc.limit.2p" in shipped_names("games")
