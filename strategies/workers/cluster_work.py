"""Shares work out over the workers of a dask cluster, as `processes.by_processes` does over processes."""

import time
from collections.abc import Callable, Iterable, Iterator
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
) -> Iterator[Result]:  # fmt: skip
    """Yield ``work(order, piece)`` for each piece, in the order in which workers finish, one piece at a time for each.

    Pieces of a lost worker are given to another. prepare, expected, differs, notice: see `Members`. Raises `ValueError` if
    no worker can take part, and what `work` raises.
    """
    members = Members(client, prepare, order, expected, differs, notice)
    submit: Any = client.submit
    waiting = list(pieces)
    running: dict[str, tuple[Piece, Future]] = {}

    def look() -> None:
        for address in members.look().gone:
            if address in running:
                piece, future = running.pop(address)
                client.cancel([future])
                waiting.insert(0, piece)
                notice(f"worker {address} is gone; another does its work")

    try:
        members.gather(look)
        while waiting or running:
            for address in members.ready:
                if waiting and address not in running:
                    piece = waiting.pop(0)
                    key = f"limpet-{uuid4().hex}"
                    running[address] = piece, submit(work, order, piece, workers=[address], key=key)
            time.sleep(LOOK_SECONDS)
            look()
            for address, (_, future) in list(running.items()):
                if future.done():
                    del running[address]
                    yield future.result()
    finally:
        client.cancel([*members.preparing.values(), *(future for _, future in running.values())])
