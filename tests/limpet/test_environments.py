"""The door to learners' environments says what is missing."""

import sys
from importlib import import_module

import pytest


def test_without_the_extra_the_import_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("limpet.environments", "limpet.dealer.matches.environments"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ModuleNotFoundError, match="pip install gymnasium pettingzoo"):
        import_module("limpet.environments")
