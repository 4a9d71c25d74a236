"""The total, net and tax among a document's amounts, chosen by their labels and by arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from docyard.facts.fields.invoice.figures import Figure

_TOLERANCE = Decimal("0.02")
_SUM_BONUS, _CHANGE_BONUS, _REPEAT_BONUS = 1.6, 2.5, 0.15
_PARTLY_PAID_BONUS, _NET_PENALTY = 2.5, 3.0
_MAX_ROUNDING, _MAX_ROWS_BELOW = Decimal("0.05"), 4
_MAX_FIGURES = 300  # bank statements have thousands
_CLEAR_WEIGHT = 3.0  # from this weight on, amounts without cents count
_NET_WEIGHT, _ROW_BONUS = 0.8, 0.002
_TOTAL_ROLES = ("total", "payable", "either", "subtotal", "paid", "net")
_NET_ROLES = ("net", "either", "total", "subtotal", "other")  # the most likely first
_MAX_TAX_SHARE = Decimal("0.35")  # of the total


@dataclass(frozen=True, slots=True)
class Totals:
    """The chosen figures; None for those that were not found."""

    total: Figure | None = None
    net: Figure | None = None
    tax: Figure | None = None
    payable: Figure | None = None
    confidence: float = 0.0


def choose_totals(figures: Sequence[Figure]) -> Totals:
    """Return the total with the highest score, the net and tax that fit it, and the amount due."""
    exact = [each for each in figures if each.exact]
    clear = exact or [each for each in figures if each.weight >= _CLEAR_WEIGHT]
    usable = clear if len(clear) <= _MAX_FIGURES else [each for each in clear if each.role != "other"][-_MAX_FIGURES:]
    candidates = [each for each in usable if each.role in _TOTAL_ROLES]
    if not candidates:
        return Totals()
    support = _Support(usable)
    scored = sorted(((_score_figure(each, support), each) for each in candidates), key=lambda pair: pair[0])
    best_score, best_figure = scored[-1]
    total = _apply_rounding(best_figure, usable)
    same_values = (best_figure.value, total.value)
    rival_score = max((score for score, each in scored if each.value not in same_values), default=0.0)
    net, tax = _find_net_and_tax(total, usable)
    due = [each for each in usable if each.role == "payable"]
    payable = due[-1] if due and due[-1].value != total.value else None
    return Totals(total, net, tax, payable, _compute_confidence(best_score, best_score - rival_score))


def _compute_confidence(score: float, lead: float) -> float:
    """Return the confidence of a total, by a formula fitted on documents not used to write the rules."""
    return round(min(0.98, 0.32 + 0.08 * min(score, 6.5) + 0.12 * min(lead, 2.0)), 2)


class _Support:
    """Evidence for a value: how often it occurs, and whether other figures add up to it."""

    def __init__(self, figures: Sequence[Figure]) -> None:
        self.counts = Counter(each.value for each in figures)
        paid = {abs(each.value) for each in _select("paid", figures)}
        change = {each.value for each in _select("change", figures) if each.value > 0}
        self._paid_less_change = {_to_cents(payment - returned) for payment in paid for returned in change}
        taxes = {each.value for each in _select("tax", figures) if each.value}
        nets = {each.value for role in ("net", "either", "subtotal") for each in _select(role, figures)}
        self._net_plus_tax = {_to_cents(net + tax) for net in nets for tax in taxes}
        totals = {_to_cents(each.value) for role in ("total", "payable") for each in _select(role, figures)}
        self._nets = {
            _to_cents(net) for net in nets for tax in taxes if totals.intersection(_list_nearby_cents(net + tax))
        }
        self._totals = [(e.row, e.value) for role in ("total", "payable") for e in _select(role, figures)]
        payments = paid | {abs(each.value) for each in _select("prepaid", figures)}
        due = {each.value for each in _select("payable", figures)}
        self._due_plus_paid = {_to_cents(amount_due + payment) for amount_due in due for payment in payments if payment}

    def change_fits(self, value: Decimal) -> bool:
        """Return whether a payment less the change is this value; False if the document shows no change."""
        return not self._paid_less_change.isdisjoint(_list_nearby_cents(value))

    def adds_up(self, value: Decimal) -> bool:
        """Return whether a net and a tax add up to this value."""
        return not self._net_plus_tax.isdisjoint(_list_nearby_cents(value))

    def is_net(self, figure: Figure) -> bool:
        """Return whether this figure and a tax add up to a total, or a larger total is further down."""
        below = any(row > figure.row and value > figure.value for row, value in self._totals)
        return below or _to_cents(figure.value) in self._nets

    def is_partly_paid(self, value: Decimal) -> bool:
        """Return whether the amount due and an earlier payment add up to this value."""
        return not self._due_plus_paid.isdisjoint(_list_nearby_cents(value))


def _to_cents(value: Decimal) -> int:
    return round(value * 100)


def _list_nearby_cents(value: Decimal) -> tuple[int, int, int]:
    return _to_cents(value) - 1, _to_cents(value), _to_cents(value) + 1


def _score_figure(figure: Figure, support: _Support) -> float:
    score = figure.weight if figure.role != "net" else _NET_WEIGHT
    score += _REPEAT_BONUS * min(support.counts[figure.value] - 1, 4)
    if figure.value and support.change_fits(figure.value):
        score += _CHANGE_BONUS
    if support.adds_up(figure.value):
        score += _SUM_BONUS
    if figure.role == "total" and support.is_partly_paid(figure.value):
        score += _PARTLY_PAID_BONUS
    if figure.role == "either" and support.is_net(figure):
        score -= _NET_PENALTY
    return score + figure.row * _ROW_BONUS - (1.0 if figure.value == 0 else 0.0)


def _apply_rounding(total: Figure, figures: Sequence[Figure]) -> Figure:
    """Return the rounded total if a till has printed one below the total, else the total itself."""
    steps = {abs(each.value) for each in _select("rounding", figures) if 0 < abs(each.value) <= _MAX_ROUNDING}
    below = [each for each in figures if total.row < each.row <= total.row + _MAX_ROWS_BELOW]
    return next((each for each in below if abs(each.value - total.value) in steps), total)


def _select(role: str, figures: Iterable[Figure]) -> list[Figure]:
    return [each for each in figures if each.role == role]


def _find_net_and_tax(total: Figure, figures: Sequence[Figure]) -> tuple[Figure | None, Figure | None]:
    """Return a net and a tax that add up to the total, else labelled ones that do not contradict it."""
    smaller = [each for each in figures if abs(each.value) <= abs(total.value) and each is not total]
    taxes = _select("tax", smaller)
    for role in _NET_ROLES:
        for net in _select(role, smaller):
            for tax in reversed(taxes):
                if abs(net.value + tax.value - total.value) < _TOLERANCE and abs(tax.value) < abs(net.value):
                    return net, tax
    labelled_net = _find_labelled_net(total, smaller)
    return labelled_net, _find_labelled_tax(total, labelled_net, taxes) or _find_difference(
        total, labelled_net, smaller
    )


def _find_labelled_net(total: Figure, figures: Sequence[Figure]) -> Figure | None:
    """Return the largest amount labelled net, else a subtotal that equals the total less all taxes."""
    labelled = [each for each in _select("net", figures) if each.weight >= 1.0]
    if labelled:
        return max(labelled, key=lambda each: abs(each.value))
    taxes = {each.value for each in _select("tax", figures) if each.value}
    if not taxes:
        return None
    expected = total.value - sum(taxes)
    bases = [each for role in ("either", "subtotal") for each in _select(role, figures)]
    return next((each for each in bases if abs(each.value - expected) < _TOLERANCE), None)


def _find_labelled_tax(total: Figure, net: Figure | None, taxes: Sequence[Figure]) -> Figure | None:
    """Return the tax if all labelled taxes have the same value and this value can be the whole tax."""
    nonzero = [each for each in taxes if each.value]
    is_single = len({each.value for each in nonzero}) == 1
    if is_single and net is not None and total.value - net.value in [nonzero[0].value * times for times in (2, 3)]:
        return None
    return nonzero[-1] if is_single and abs(nonzero[-1].value) <= _MAX_TAX_SHARE * abs(total.value) else None


def _find_difference(total: Figure, net: Figure | None, figures: Sequence[Figure]) -> Figure | None:
    """Return a figure that equals the total less the net and has the role "net" or "other"."""
    difference = total.value - net.value if net is not None else Decimal()
    if not 0 < abs(difference) <= _MAX_TAX_SHARE * abs(total.value):
        return None
    return next((each for each in figures if each.value == difference and each.role in ("net", "other")), None)
