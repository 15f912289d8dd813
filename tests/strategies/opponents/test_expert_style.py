"""Players as XML files: read, written, and refused with the line where they are wrong."""

from pathlib import Path

import msgspec
import pytest
import yaml

from limpet.configs.fitting import fit
from limpet.configs.loading import ConfigError, load_game, shipped_folder
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.opponents.expert import StreetStyle, Style, player_file, player_names, read_style, style_xml
from limpet.strategies.players.expert import Expert

OWN = Style(memory=0.25, river=StreetStyle(bet=1 / 3, raise_=1))
LINES = style_xml(OWN).splitlines()


def written(folder: Path, *changes: tuple[str, str], name: str = "Alice.xml") -> Path:
    text = style_xml(OWN)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / name
    path.write_text(text)
    return path


def test_xml_and_yaml_hold_the_same(tmp_path: Path) -> None:
    from_xml = read_style(written(tmp_path))
    from_yaml = fit(yaml.safe_load(yaml.safe_dump(msgspec.to_builtins(from_xml))), Style)
    assert from_xml == from_yaml == OWN
    assert style_xml(from_yaml) == style_xml(OWN)


def test_the_shipped_default_is_the_default() -> None:
    folder = shipped_folder("bots").parent / "styles"
    assert read_style(folder / "Default.xml") == Style()
    assert load_bot("expert").options() == Expert.Options(style=Style())
    assert all(isinstance(read_style(player_file(folder, name)), Style) for name in player_names(folder))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([("<memory>0.25</memory>", "")], ":1: memory: missing; every key must be there: add <memory>"),
        ([("<memory>0.25", "<memory>1.5")], ":2: memory: 1.5 does not fit; expected a number <= 1.0"),
        ([("<memory>0.25", "<memory>nan")], ":2: memory: "),
        ([("<memory>0.25", "<memory>much")], ":2: memory: 'much' is not a number; write one such as 0.4"),
        ([("<memory>0.25</memory>", "<memory/>")], ":2: memory: '' is not a number"),
        ([("memory>", "memry>"), ("memory>", "memry>")], ":2: memry: unknown key; did you mean 'memory'?"),
        ([("<memory>", "<more>1</more><memory>")], ":2: more: unknown key; "),
        ([("<memory>", "<memory>1</memory><memory>")], ":2: memory: the key stands here a second time; keep one"),
        ([("<memory>", '<memory unit="1">')], ":2: <memory> has attributes; write parameters as elements"),
        ([("<memory>", "chips<memory>")], ":2: the text 'chips' is no parameter; remove it"),
        ([("</river>", "chips</river>")], ": the text 'chips' is no parameter; remove it"),
        (
            [("<player>", "<table>"), ("</player>", "</table>")],
            ":1: the file begins with <table>; put all parameters into",
        ),
        ([("</river>", "</rivr>")], ": not XML: mismatched tag; check the tags"),
        (
            [("<player>", '<!DOCTYPE p [<!ENTITY e SYSTEM "Default.xml">]>\n<player>')],
            ":1: a document type is not read",
        ),
        ([("<memory>0.25", "<memory>&e;")], ":2: not XML: undefined entity"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, changes: list[tuple[str, str]], message: str) -> None:
    path = written(tmp_path, *changes)
    with pytest.raises(ConfigError) as caught:
        read_style(path)
    told = str(caught.value)
    assert told.startswith(f"{path}:") and message in told and "\n" not in told


def test_a_missing_key_of_a_street_is_told_with_the_streets_line(tmp_path: Path) -> None:
    street = LINES.index("  <river>")
    text = "\n".join(line for number, line in enumerate(LINES) if number != street + 1)
    path = tmp_path / "Alice.xml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=rf":{street + 1}: river.bet: missing"):
        read_style(path)


def test_a_wrong_number_of_a_street_is_told_with_its_own_line(tmp_path: Path) -> None:
    path = written(tmp_path, ("<raise>1.0", "<raise>-1.0"))
    line = LINES.index("    <raise>1.0</raise>") + 1
    with pytest.raises(ConfigError, match=rf":{line}: river.raise: -1.0 does not fit"):
        read_style(path)


def test_a_player_without_a_file_is_the_default(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"Bob\.xml: no such file, and Default\.xml is not there either"):
        player_file(tmp_path, "Bob")
    written(tmp_path)
    default = written(tmp_path, ("<memory>0.25", "<memory>0.75"), name="Default.xml")
    assert player_file(tmp_path, "Bob") == default
    assert [read_style(player_file(tmp_path, name)).memory for name in ("Alice", "Bob")] == [0.25, 0.75]


@pytest.mark.parametrize("name", ["Default", "default", "../Alice", ".hidden", ""])
def test_names_that_no_player_may_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="reserved|cannot be a file's name"):
        player_file(tmp_path, name)


def test_the_list_of_names(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    with pytest.raises(ConfigError, match=r"names\.txt: No such file"):
        player_names(tmp_path)
    names.write_text("# who may sit down\nAlice\n\nBob Brown\n")
    assert player_names(tmp_path) == ["Alice", "Bob Brown"]
    names.write_text("Alice\nDefault\n")
    with pytest.raises(ConfigError, match=r"names\.txt:2: the name 'Default' is reserved"):
        player_names(tmp_path)
    names.write_text("# nobody\n")
    with pytest.raises(ConfigError, match=r"names\.txt: no names"):
        player_names(tmp_path)


def test_a_bot_draws_its_player_by_its_seed(tmp_path: Path) -> None:
    written(tmp_path)
    written(tmp_path, ("<memory>0.25", "<memory>0.75"), name="Default.xml")
    (tmp_path / "names.txt").write_text("Alice\nBob\n")
    bot = Expert(load_game("holdem.nolimit.6p"), Expert.Options(folder="."), tmp_path)
    drawn = [{bot.start_hand(HandKey(seed, hand, 0)).style.memory for hand in range(5)} for seed in range(20)]
    assert all(len(each) == 1 for each in drawn), "a bot keeps its style"
    assert set.union(*drawn) == {0.25, 0.75}
    assert len(bot.checksums()) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("player: Alice", r"mine\.yaml:5: options\.player: a player is one of a folder's"),
        ("folder: .\n  style: {memory: 1}", r"mine\.yaml:6: options\.style: parameters stand here or in the folder's"),
        ("folder: .\n  player: Default", "the name 'Default' is reserved"),
        ("style: {river: {bets: 1}}", r"mine\.yaml:5: options\.style\.river\.bets: unknown key; did you mean 'bet'"),
    ],
)
def test_configs_that_are_refused(tmp_path: Path, options: str, message: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"name: mine\nplayer: expert\ngame: kuhn.limit.2p\noptions:\n  {options}\n")
    with pytest.raises(ConfigError, match=message):
        load_bot(path).build()
