"""Folders that appear whole or not at all, whatever ends the process that writes them."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.common import verified
from limpet.common.folders import MeasureFile, naming, replace_file, whole_file, written_whole
from limpet.configs.loading import ConfigError


def test_a_folder_appears_when_it_is_whole(tmp_path: Path) -> None:
    with written_whole(tmp_path / "new" / "a") as folder:
        (folder / "x").write_text("1")
        assert not (tmp_path / "new" / "a").exists()
    assert [path.name for path in (tmp_path / "new").rglob("*")] == ["a", "x"]


def test_another_process_may_be_faster(tmp_path: Path) -> None:
    with written_whole(tmp_path / "a") as folder:
        (folder / "x").write_text("slow")
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "x").write_text("fast")
    assert (tmp_path / "a" / "x").read_text() == "fast"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), written_whole(tmp_path / "a") as folder:
        (folder / "x").write_text("half")
        _ = 1 / 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_process_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_DFL)
    try:
        with pytest.raises(SystemExit) as ended, written_whole(tmp_path / "a") as folder:
            (folder / "x").write_text("half")
            os.kill(os.getpid(), number)
        assert ended.value.code == 128 + number
        assert not list(tmp_path.iterdir())
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_what_a_killed_process_left_goes_and_what_a_running_one_fills_stays(tmp_path: Path) -> None:
    """The process is killed while its folder is half written."""
    code = (
        "import os, signal, sys; from pathlib import Path; from limpet.common.folders import written_whole\n"
        "with written_whole(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'x').write_text('half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    with written_whole(tmp_path / "b"):  # another folder's is not this one's to remove
        assert left.exists()
    held = os.open(left, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with written_whole(tmp_path / "a"):
        assert left.exists()
    os.close(held)
    (tmp_path / "a").rmdir()
    with written_whole(tmp_path / "a"):
        assert not left.exists()


def test_card_tables_are_written_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(verified, "file_digest", ended)
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with pytest.raises(SystemExit):
            verified.store_table(tmp_path / "a", {"x": np.zeros(3)}, {})
    finally:
        signal.signal(signal.SIGTERM, before)
    assert not list(tmp_path.iterdir())


def test_a_whole_file_takes_the_place_of_another_or_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    with whole_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]


def test_an_error_without_a_name_gets_one() -> None:
    with pytest.raises(OSError, match="full") as nameless, naming(Path("a")):
        raise OSError(28, "full")
    assert nameless.value.filename == "a"
    with pytest.raises(OSError, match="full") as named, naming(Path("a")):
        raise OSError(28, "full", "b")
    assert named.value.filename == "b"


# --- Lines that a long measure goes on from


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


def test_links_pipes_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    target, link, pipe = (tmp_path / name for name in ("target", "link", "pipe"))
    link.symlink_to(target)
    replace_file(link, "by the link")
    assert link.is_symlink() and target.read_text() == "by the link"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    replace_file(pipe, "into the pipe")
    assert os.read(reader, 100) == b"into the pipe" and pipe.is_fifo()
    os.close(reader)
    if os.path.exists("/dev/full"):
        with pytest.raises(OSError, match="No space left") as raised:
            replace_file(Path("/dev/full"), "nowhere")
        assert raised.value.filename == "/dev/full" and Path("/dev/full").is_char_device()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe", "target"]
