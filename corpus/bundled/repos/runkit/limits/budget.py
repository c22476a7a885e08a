"""Budgets that are checked before money is spent.

Invented code, written for the sample corpus of ibid.
"""

from dataclasses import dataclass

# Limits of one run. A run over any of them is stopped.
MAX_STEPS = 30
MAX_PAGES = 12        # correctness is flat beyond twelve pages
MAX_SEARCHES = 15
MAX_DOLLARS = 1.50

# Share of the budget that is set aside for the closing answer. With less than
# a tenth, one run in eight ended with no answer at all.
CLOSING_SHARE = 0.15

# What an input token costs when the provider's cache holds it, as a share of
# the normal price.
CACHED_PRICE = 0.10


class Exhausted(Exception):
    """The call does not fit into what is left."""


@dataclass
class Budget:
    total: float = MAX_DOLLARS
    spent: float = 0.0
    reserved: float = 0.0

    def reserve(self, worst_case: float, closing: bool = False) -> float:
        """Set money aside for a call. Only the closing answer may touch its share."""
        limit = self.total if closing else self.total * (1 - CLOSING_SHARE)
        if self.spent + self.reserved + worst_case > limit:
            raise Exhausted(f"{worst_case:.2f} does not fit into what is left")
        self.reserved += worst_case
        return worst_case

    def settle(self, reservation: float, actual: float) -> None:
        """Replace a reservation by what the call really cost."""
        self.reserved -= reservation
        self.spent += actual
