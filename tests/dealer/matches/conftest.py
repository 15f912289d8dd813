"""What tests of matches over TCP share."""

import pytest


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait long for the dealer to notice a failure: it never notices a player that has not connected."""
    monkeypatch.setattr("limpet.dealer.matches.over_tcp.FAILED_SECONDS", 0.2)
