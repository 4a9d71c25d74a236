"""Which of a document's amounts are its total, net and tax: by their words, and by what adds up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from docyard.engines.fields.figures import Figure

_NEAR = Decimal("0.02")
_ADDS_UP, _CHANGE_FITS, _SAID_AGAIN = 1.6, 2.5, 0.15
_ROUNDING, _ROWS_BELOW = Decimal("0.05"), 4
_MOST = 400  # of each role; a bank statement has thousands


@dataclass(frozen=True, slots=True)
class Totals:
    """The figures chosen; None where nothing says so."""

    total: Figure | None = None
    net: Figure | None = None
    tax: Figure | None = None
    payable: Figure | None = None
    confidence: float = 0.0


def totals_of(figures: Sequence[Figure]) -> Totals:
    """The total that has most for it, and the net and tax that fit it."""
    usable = [each for each in figures if each.exact] or [each for each in figures if each.weight >= 3]
    candidates = [each for each in usable if each.role in ("total", "payable", "subtotal", "paid", "net")]
    if not candidates:
        return Totals()
    scored = sorted(((_score(each, usable), each) for each in candidates), key=lambda pair: pair[0])
    best, total = scored[-1]
    total = _rounded(total, usable)
    rival = max((score for score, each in scored if each.value != total.value), default=0.0)
    net, tax = _parts(total, usable)
    due = [each for each in usable if each.role == "payable"]
    payable = due[-1] if due and due[-1].value != total.value else None
    return Totals(total, net, tax, payable, _confidence(best, best - rival))


def _confidence(score: float, lead: float) -> float:
    """How often such a total was right on receipts and invoices that no rule was made from."""
    return round(min(0.98, 0.25 + 0.08 * min(score, 6.5) + 0.12 * min(lead, 2.0)), 2)


def _score(figure: Figure, all_of_them: Sequence[Figure]) -> float:
    score = figure.weight if figure.role != "net" else 0.8
    score += _SAID_AGAIN * min(sum(each.value == figure.value for each in all_of_them) - 1, 4)
    if figure.value and _change_fits(figure.value, all_of_them):
        score += _CHANGE_FITS
    if _with_tax(figure, all_of_them):
        score += _ADDS_UP
    return score + figure.row * 0.002 - (1.0 if figure.value == 0 else 0.0)


def _rounded(total: Figure, figures: Sequence[Figure]) -> Figure:
    """What is left after the rounding that a till does below the total, where it prints that too."""
    steps = {abs(each.value) for each in _of("rounding", figures) if 0 < abs(each.value) <= _ROUNDING}
    below = [each for each in figures if total.row < each.row <= total.row + _ROWS_BELOW]
    return next((each for each in below if abs(each.value - total.value) in steps), total)


def _of(role: str, figures: Iterable[Figure]) -> list[Figure]:
    return [each for each in figures if each.role == role][:_MOST]


def _change_fits(value: Decimal, figures: Sequence[Figure]) -> bool:
    """Whether what was given less the change is this; only where there was change."""
    change = {each.value for each in _of("change", figures) if each.value > 0}
    return any(
        abs(abs(paid.value) - back - value) < _NEAR for paid in _of("paid", figures) for back in change
    )


def _with_tax(figure: Figure, figures: Sequence[Figure]) -> bool:
    taxes = {each.value for each in _of("tax", figures) if each.value}
    nets = {each.value for each in figures if each.role in ("net", "subtotal")}
    return any(abs(net + tax - figure.value) < _NEAR for tax in taxes for net in nets)


def _parts(total: Figure, figures: Sequence[Figure]) -> tuple[Figure | None, Figure | None]:
    """A net and a tax that make the total; else a net alone, by its words."""
    smaller = [each for each in figures if abs(each.value) <= abs(total.value) and each is not total]
    taxes = _of("tax", smaller)
    for role in ("net", "total", "subtotal"):
        for net in _of(role, smaller):
            for tax in reversed(taxes):
                if abs(net.value + tax.value - total.value) < _NEAR and abs(tax.value) < abs(net.value):
                    return net, tax
    said = [each for each in _of("net", smaller) if each.weight >= 1.0]
    return max(said, key=lambda each: abs(each.value), default=None), None
