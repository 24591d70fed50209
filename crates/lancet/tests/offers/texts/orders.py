"""Orders, their lines and what they cost."""

import json
import logging
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

log = logging.getLogger(__name__)

VAT = Decimal("0.19")
FREE_SHIPPING_FROM = Decimal("50.00")


class OrderError(Exception):
    """An order that cannot be placed."""


@dataclass
class Line:
    article: str
    price: Decimal
    count: int = 1

    def total(self) -> Decimal:
        return self.price * self.count


@dataclass
class Order:
    number: int
    customer: str
    lines: list[Line] = field(default_factory=list)
    note: str = ""

    def add(self, article: str, price: Decimal, count: int = 1) -> None:
        if count < 1:
            raise OrderError(f"count of {article} is {count}")
        for line in self.lines:
            if line.article == article and line.price == price:
                line.count += count
                return
        self.lines.append(Line(article, price, count))

    def remove(self, article: str) -> bool:
        before = len(self.lines)
        self.lines = [line for line in self.lines if line.article != article]
        return len(self.lines) < before

    def net(self) -> Decimal:
        total = Decimal(0)
        for line in self.lines:
            total += line.total()
        return total

    def shipping(self) -> Decimal:
        if self.net() >= FREE_SHIPPING_FROM:
            return Decimal(0)
        return Decimal("4.90")

    def gross(self) -> Decimal:
        amount = self.net() + self.shipping()
        amount += amount * VAT
        return amount.quantize(Decimal("0.01"))


def load(path: Path) -> list[Order]:
    with path.open(encoding="utf-8") as file:
        rows = json.load(file)

    orders = []
    for row in rows:
        order = Order(row["number"], row["customer"], note=row.get("note", ""))
        for line in row["lines"]:
            order.add(line["article"], Decimal(line["price"]), line["count"])
        orders.append(order)

    log.info("loaded %d orders from %s", len(orders), path)
    return orders


def save(path: Path, orders: list[Order]) -> None:
    rows = []
    for order in orders:
        lines = [
            {"article": line.article, "price": str(line.price), "count": line.count}
            for line in order.lines
        ]
        rows.append(
            {
                "number": order.number,
                "customer": order.customer,
                "lines": lines,
                "note": order.note,
            }
        )

    temporary = path.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        json.dump(rows, file, indent=2)
    temporary.replace(path)


def by_customer(orders: list[Order]) -> dict[str, Decimal]:
    sums: dict[str, Decimal] = {}
    for order in orders:
        known = sums.get(order.customer, Decimal(0))
        sums[order.customer] = known + order.gross()
    return dict(sorted(sums.items()))
