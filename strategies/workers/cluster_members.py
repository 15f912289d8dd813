"""The workers of a dask scheduler: who is there, who has what is needed, and who cannot take part."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

from distributed import Client, Future

LOOK_SECONDS = 0.2


class Changes(NamedTuple):
    """Addresses."""

    gone: list[str]
    """Of those who were ready."""
    joined: list[str]


class Members:
    """Workers may come and go. Each is asked to make ready first, and must come to what was expected.

    Attributes:
        ready: addresses of those who can take part.
        preparing: those who are being asked.
    """

    def __init__(
        self,
        client: Client,
        prepare: Callable[[Any], object],
        terms: object,
        expected: object,
        differs: str,
        notice: Callable[[str], None],
        one_a_host: bool = False,
    ) -> None:
        """prepare: called with `terms` on every worker, to return `expected`; differs: what to say of one that does not.

        notice: called with a line for whoever watches; one_a_host: those of one host make ready one after the other.
        """
        self.ready: list[str] = []
        self.preparing: dict[str, Future] = {}
        self._refused: set[str] = set()
        self._client: Any = client
        self._prepare, self._terms, self._expected, self._differs = prepare, terms, expected, differs
        self._notice = notice
        self._one_a_host = one_a_host

    def look(self) -> Changes:
        """See who is there, and have those who are new make ready."""
        here: dict[str, int] = self._client.nthreads()
        gone = [address for address in self.ready if address not in here]
        self.ready = [address for address in self.ready if address in here]
        joined = []
        for address, future in list(self.preparing.items()):
            if address not in here or future.done():
                del self.preparing[address]
                if address in here and self._can_take_part(address, future):
                    joined.append(address)
        self.ready += joined
        busy = {urlsplit(address).hostname for address in self.preparing}
        for address in here:
            known = address in self.ready or address in self.preparing or address in self._refused
            host = urlsplit(address).hostname
            if not known and not (self._one_a_host and host in busy):
                key = f"limpet-prepare-{uuid4().hex}"
                self.preparing[address] = self._client.submit(self._prepare, self._terms, workers=[address], key=key)
                busy.add(host)
        return Changes(gone, joined)

    def gather(
        self, look: Callable[[], object], everybody: bool = False, stop: Callable[[], bool] = lambda: False,
        step: Callable[[], None] = lambda: None,
    ) -> bool:  # fmt: skip
        """Wait for the first who is ready, or for `everybody` who is there; False once `stop` says so.

        look: calls `look` and does what is to be done about changes; step: called while waiting. Raises `ValueError` if
        nobody who is there can take part.
        """
        asked = False
        while not stop():
            look()
            if self.ready and not (everybody and self.preparing):
                return True
            if not self.ready and not self.preparing:
                if self._refused:
                    raise ValueError("no worker of the cluster can take part; the lines above say why")
                if not asked:
                    asked = True
                    address = self._client.scheduler.address
                    self._notice(f"waiting for workers; start some with: dask worker {address} --nworkers 1")
            step()
            time.sleep(LOOK_SECONDS)
        return False

    def _can_take_part(self, address: str, future: Future) -> bool:
        trouble = ""
        try:
            if future.result() != self._expected:
                trouble = self._differs
        except Exception as error:  # noqa: BLE001 - whatever a worker may lack
            trouble = f"{type(error).__name__}: {error}"
        if trouble:
            self._refused.add(address)
            self._notice(f"worker {address} cannot take part: {trouble}")
        return not trouble
