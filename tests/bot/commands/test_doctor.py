"""Checks of an installation: a sound one, and what is wrong with others."""

import os
import shutil
import sys
import time
from pathlib import Path

import pytest
from numba.core.registry import cpu_target

from limpet.bot.commands import doctor
from limpet.bot.commands.doctor import FAIL, OK, WARN, Finding
from limpet.common import kernel_cache
from limpet.common.folders import shipped_strategies
from tests.commands import json_of, run


def found(check: str) -> Finding:
    return next(finding for finding in doctor.findings() if finding.check == check)


def test_this_installation_is_sound() -> None:
    told = json_of("doctor")
    assert told["sound"]
    checks = {check["check"]: check for check in told["checks"]}
    assert set(checks) == {"versions", "cores", "cache", "kernels", "data", "strategies", "timer", "clock"}
    assert "numba" in checks["versions"]["text"]
    whole = len(list(shipped_strategies().glob("*/manifest.yaml")))
    assert checks["strategies"]["text"] == f"{whole} of {whole} that ship are whole"


def test_a_damaged_strategy_fails_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kuhn", "leduc"):
        shutil.copytree(shipped_strategies() / name, tmp_path / name)
    path = next((tmp_path / "leduc").glob("*.safetensors"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    monkeypatch.setattr(doctor, "shipped_strategies", lambda: tmp_path)
    bad, rest = doctor.strategies()
    assert bad.level == FAIL and str(path) in bad.text and bad.remedy
    assert rest.text == "1 of 2 that ship are whole"
    ran = run("doctor")
    assert ran.exit_code == 1 and "fail  strategies" in ran.stdout


def test_a_data_folder_that_cannot_be_written_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "file" / "data"))
    data = found("data")
    assert data.level == FAIL and "LIMPET_DATA" in data.remedy


def test_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_unsynchronised", lambda: False)
    offset = time.time() - time.monotonic()
    timer, clock = doctor.clocks(offset)
    assert timer.level == clock.level == OK
    assert [finding.level for finding in doctor.clocks(offset - 60)] == [OK, WARN]
    monkeypatch.setattr(doctor, "_unsynchronised", lambda: True)
    assert "timedatectl" in list(doctor.clocks(time.time() - time.monotonic()))[1].remedy
    monkeypatch.setattr(doctor, "_step", lambda: 0.016)
    assert next(doctor.clocks(offset)).level == WARN


def test_fewer_cores_than_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    cores = doctor.cores()
    assert cores.level == WARN and "--threads" in cores.remedy


def test_kernels_of_this_processor_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_cache, "kept_cache_folder", lambda: tmp_path)
    nothing = kernel_cache.compiled_kernels()
    assert nothing.here == nothing.elsewhere == 0 and nothing.total > 100
    target = cpu_target.target_context.codegen().magic_tuple()
    file = kernel_cache.PACKAGE / "strategies" / "cards" / "deck_kernels.py"
    folder = tmp_path / f"deck_kernels-{kernel_cache.kernel_key(file)}"
    folder.mkdir()
    ending = f"py{sys.version_info[0]}{sys.version_info[1]}{sys.abiflags}.nbi"
    (folder / f"a-1.{ending}").write_bytes(" ".join(target).encode())
    (folder / f"b-1.{ending}").write_bytes(b"another processor")
    (folder / "c-1.py26.nbi").write_bytes(" ".join(target).encode())
    assert kernel_cache.compiled_kernels()[1:] == (1, 1, nothing.total)


def test_a_check_that_cannot_be_made_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Finding:
        raise ImportError("no libLLVM")

    monkeypatch.setattr(doctor, "packages", broken)
    versions = found("versions")
    assert versions == Finding("versions", FAIL, "ImportError: no libLLVM", doctor.AGAIN)
