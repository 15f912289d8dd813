"""The person's play money: buy-ins are taken from it and prizes added."""

from pathlib import Path

import msgspec

from limpet.bot.browser.messages import Refused
from limpet.strategies.storage.folders import replace_file

START = 1000.0
"""Money of a new bankroll, and of one that was reset."""


class Bankroll(msgspec.Struct):
    """Money that is not on a table, and the numbers of tournaments paid for and of those with a prize."""

    money: float = START
    tournaments: int = 0
    prizes: int = 0

    @staticmethod
    def load(path: Path) -> "Bankroll":
        """Read a bankroll; a missing or broken file is a new one."""
        try:
            return msgspec.json.decode(path.read_bytes(), type=Bankroll)
        except (OSError, msgspec.DecodeError):
            return Bankroll()

    def pay(self, path: Path, buy_in: float) -> None:
        """Take a buy-in out. Raises `Refused` if there is not as much."""
        if buy_in > self.money:
            raise Refused(f"the buy-in is {buy_in:g} and the bankroll has {self.money:g}; reset it, or choose another")
        self.money -= buy_in
        self.tournaments += 1
        self._save(path)

    def win(self, path: Path, prize: float) -> None:
        self.money += prize
        self.prizes += prize > 0
        self._save(path)

    def reset(self, path: Path) -> None:
        self.money, self.tournaments, self.prizes = START, 0, 0
        self._save(path)

    def _save(self, path: Path) -> None:
        replace_file(path, msgspec.json.encode(self).decode() + "\n")
