"""Shares work out over the workers of a dask cluster, as `processes.by_processes` does over processes."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from limpet.strategies.workers.cluster import LOOK_SECONDS, Members

if TYPE_CHECKING:
    from distributed import Client, Future

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def by_cluster(
    client: "Client", work: Callable[[Any, Piece], Result], order: object, pieces: Iterable[Piece],
    prepare: Callable[[Any], object], expected: object, differs: str, notice: Callable[[str], None],
    doing: str = "does its work",
) -> Iterator[Result]:  # fmt: skip
    """Yield ``work(order, piece)`` for each piece, in the order in which workers finish, one piece at a time for each.

    A piece is drawn when a worker is free for it. Pieces of a lost worker are given to another, which `doing` tells.
    prepare, expected, differs, notice: see `Members`. Raises `ValueError` if no worker can take part, and what `work` raises.
    """
    from distributed import wait

    members = Members(client, prepare, order, expected, differs, notice)
    submit: Any = client.submit
    following = iter(pieces)
    waiting: list[Piece] = []
    running: dict[str, tuple[Piece, Future]] = {}

    def look() -> None:
        for address in members.look().gone:
            if address in running:
                piece, future = running.pop(address)
                client.cancel([future])
                waiting.insert(0, piece)
                notice(f"worker {address} is gone; another {doing}")

    try:
        members.gather(look)
        while True:
            for address in members.ready:
                if address not in running and (waiting := waiting or list(islice(following, 1))):
                    piece = waiting.pop(0)
                    key = f"limpet-{uuid4().hex}"
                    running[address] = piece, submit(work, order, piece, workers=[address], key=key)
            if running:
                with suppress(TimeoutError):
                    wait([future for _, future in running.values()], LOOK_SECONDS, "FIRST_COMPLETED")
            elif waiting := waiting or list(islice(following, 1)):
                time.sleep(LOOK_SECONDS)
            else:
                return
            look()
            for address, (_, future) in list(running.items()):
                if future.done():
                    del running[address]
                    yield future.result()
    finally:
        client.cancel([*members.preparing.values(), *(future for _, future in running.values())])
