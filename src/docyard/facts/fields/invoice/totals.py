"""Which of a document's amounts are its total, net and tax: by their words, and by what adds up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from docyard.facts.fields.invoice.figures import Figure

_NEAR = Decimal("0.02")
_ADDS_UP, _CHANGE_FITS, _SAID_AGAIN = 1.6, 2.5, 0.15
_PARTLY_PAID, _ONLY_A_PART = 2.5, 3.0
_ROUNDING, _ROWS_BELOW = Decimal("0.05"), 4
_MOST = 300  # a bank statement has thousands
_SAID_CLEARLY = 3.0  # a label by which even an amount without cents is one
_NET_AS_TOTAL, _FURTHER_DOWN = 0.8, 0.002
_CANDIDATES = ("total", "payable", "either", "subtotal", "paid", "net")
_NETS = ("net", "either", "total", "subtotal", "other")  # the likelier first
_MOST_TAX = Decimal("0.35")  # of a total


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
    exact = [each for each in figures if each.exact]
    said = exact or [each for each in figures if each.weight >= _SAID_CLEARLY]
    usable = said if len(said) <= _MOST else [each for each in said if each.role != "other"][-_MOST:]
    candidates = [each for each in usable if each.role in _CANDIDATES]
    if not candidates:
        return Totals()
    reasons = _Reasons(usable)
    scored = sorted(((_score(each, reasons), each) for each in candidates), key=lambda pair: pair[0])
    best, printed = scored[-1]
    total = _rounded(printed, usable)
    same = (printed.value, total.value)
    rival = max((score for score, each in scored if each.value not in same), default=0.0)
    net, tax = _parts(total, usable)
    due = [each for each in usable if each.role == "payable"]
    payable = due[-1] if due and due[-1].value != total.value else None
    return Totals(total, net, tax, payable, _confidence(best, best - rival))


def _confidence(score: float, lead: float) -> float:
    """How often such a total was right on receipts and invoices that no rule was made from."""
    return round(min(0.98, 0.32 + 0.08 * min(score, 6.5) + 0.12 * min(lead, 2.0)), 2)


class _Reasons:
    """What the other figures say for a value: how often it is there, and from what it can be made."""

    def __init__(self, figures: Sequence[Figure]) -> None:
        self.counts = Counter(each.value for each in figures)
        paid = {abs(each.value) for each in _of("paid", figures)}
        change = {each.value for each in _of("change", figures) if each.value > 0}
        self._given = {_cents(one - back) for one in paid for back in change}
        taxes = {each.value for each in _of("tax", figures) if each.value}
        nets = {each.value for role in ("net", "either", "subtotal") for each in _of(role, figures)}
        self._taxed = {_cents(net + tax) for net in nets for tax in taxes}
        sums = {_cents(each.value) for role in ("total", "payable") for each in _of(role, figures)}
        self._nets = {_cents(net) for net in nets for tax in taxes if sums.intersection(_about(net + tax))}
        self._totals = [(e.row, e.value) for role in ("total", "payable") for e in _of(role, figures)]
        before = paid | {abs(each.value) for each in _of("prepaid", figures)}
        due = {each.value for each in _of("payable", figures)}
        self._owed = {_cents(rest + one) for rest in due for one in before if one}

    def change_fits(self, value: Decimal) -> bool:
        """Whether what was given less the change is this; only where there was change."""
        return not self._given.isdisjoint(_about(value))

    def adds_up(self, value: Decimal) -> bool:
        """Whether a net and a tax make this."""
        return not self._taxed.isdisjoint(_about(value))

    def is_net(self, figure: Figure) -> bool:
        """Whether this and a tax make what is called a total, or a larger total stands further down."""
        below = any(row > figure.row and value > figure.value for row, value in self._totals)
        return below or _cents(figure.value) in self._nets

    def is_partly_paid(self, value: Decimal) -> bool:
        """Whether what is due and what was paid before make this."""
        return not self._owed.isdisjoint(_about(value))


def _cents(value: Decimal) -> int:
    return round(value * 100)


def _about(value: Decimal) -> tuple[int, int, int]:
    return _cents(value) - 1, _cents(value), _cents(value) + 1


def _score(figure: Figure, reasons: _Reasons) -> float:
    score = figure.weight if figure.role != "net" else _NET_AS_TOTAL
    score += _SAID_AGAIN * min(reasons.counts[figure.value] - 1, 4)
    if figure.value and reasons.change_fits(figure.value):
        score += _CHANGE_FITS
    if reasons.adds_up(figure.value):
        score += _ADDS_UP
    if figure.role == "total" and reasons.is_partly_paid(figure.value):
        score += _PARTLY_PAID
    if figure.role == "either" and reasons.is_net(figure):
        score -= _ONLY_A_PART
    return score + figure.row * _FURTHER_DOWN - (1.0 if figure.value == 0 else 0.0)


def _rounded(total: Figure, figures: Sequence[Figure]) -> Figure:
    """What is left after the rounding that a till does below the total, where it prints that too."""
    steps = {abs(each.value) for each in _of("rounding", figures) if 0 < abs(each.value) <= _ROUNDING}
    below = [each for each in figures if total.row < each.row <= total.row + _ROWS_BELOW]
    return next((each for each in below if abs(each.value - total.value) in steps), total)


def _of(role: str, figures: Iterable[Figure]) -> list[Figure]:
    return [each for each in figures if each.role == role]


def _parts(total: Figure, figures: Sequence[Figure]) -> tuple[Figure | None, Figure | None]:
    """A net and a tax that make the total; else what is called so and nothing contradicts."""
    smaller = [each for each in figures if abs(each.value) <= abs(total.value) and each is not total]
    taxes = _of("tax", smaller)
    for role in _NETS:
        for net in _of(role, smaller):
            for tax in reversed(taxes):
                if abs(net.value + tax.value - total.value) < _NEAR and abs(tax.value) < abs(net.value):
                    return net, tax
    named = _named_net(total, smaller)
    return named, _named_tax(total, named, taxes) or _rest(total, named, smaller)


def _named_net(total: Figure, figures: Sequence[Figure]) -> Figure | None:
    """What is called the net, or a subtotal that all taxes together raise to the total."""
    said = [each for each in _of("net", figures) if each.weight >= 1.0]
    if said:
        return max(said, key=lambda each: abs(each.value))
    taxes = {each.value for each in _of("tax", figures) if each.value}
    if not taxes:
        return None
    raised = total.value - sum(taxes)
    bases = [each for role in ("either", "subtotal") for each in _of(role, figures)]
    return next((each for each in bases if abs(each.value - raised) < _NEAR), None)


def _named_tax(total: Figure, net: Figure | None, taxes: Sequence[Figure]) -> Figure | None:
    """The only tax that is named; of several, equal ones too, nobody says that one is all."""
    named = [each for each in taxes if each.value]
    one = len({each.value for each in named}) == 1
    if one and net is not None and total.value - net.value in [named[0].value * times for times in (2, 3)]:
        return None
    return named[-1] if one and abs(named[-1].value) <= _MOST_TAX * abs(total.value) else None


def _rest(total: Figure, net: Figure | None, figures: Sequence[Figure]) -> Figure | None:
    """What lies between the net and the total, where that is printed, whatever its words are."""
    between = total.value - net.value if net is not None else Decimal()
    if not 0 < abs(between) <= _MOST_TAX * abs(total.value):
        return None
    return next((each for each in figures if each.value == between and each.role in ("net", "other")), None)
