"""CII, the Cross Industry Invoice: the elements of ZUGFeRD, Factur-X, XRechnung and Order-X."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.facts.fields.e_invoice.en16931_rules import Told, amount, day
from docyard.readers.xml_tree import Element, attribute, child, descend, inside, local

_HEAD = ("ExchangedDocument", "HeaderExchangedDocument")
_TRADE = ("SupplyChainTradeTransaction", "SpecifiedSupplyChainTradeTransaction")
_AGREEMENT = ("ApplicableHeaderTradeAgreement", "ApplicableSupplyChainTradeAgreement")
_DELIVERY = ("ApplicableHeaderTradeDelivery", "ApplicableSupplyChainTradeDelivery")
_SETTLEMENT = ("ApplicableHeaderTradeSettlement", "ApplicableSupplyChainTradeSettlement")
_SUMS = ("SpecifiedTradeSettlementHeaderMonetarySummation", "SpecifiedTradeSettlementMonetarySummation")
_OF_MINIMUM = {"InvoiceCurrencyCode", *_SUMS}


def read(root: Element) -> Told:
    """What the header says; the lines are not read, only that they are allowed."""
    head, trade = _any(root, _HEAD), _any(root, _TRADE)
    agreement, settlement = _any(trade, _AGREEMENT), _any(trade, _SETTLEMENT)
    sums = _any(settlement, _SUMS)
    currency = text(settlement, "InvoiceCurrencyCode") or text(settlement, "OrderCurrencyCode")
    seller, buyer = child(agreement, "SellerTradeParty"), child(agreement, "BuyerTradeParty")
    values = {
        "seller": text(seller, "Name"),
        "seller_vat": _tax_number(seller),
        "buyer": text(buyer, "Name"),
        "number": text(head, "ID"),
        "date": _day(child(head, "IssueDateTime")),
        "due_date": _day(descend(settlement, "SpecifiedTradePaymentTerms", "DueDateDateTime")),
        "currency": currency,
        "net": amount(text(sums, "TaxBasisTotalAmount")),
        "tax": amount(_tax_total(sums, currency)),
        "total": amount(text(sums, "GrandTotalAmount")),
        "payable": amount(text(sums, "DuePayableAmount")),
        "iban": _iban(settlement),
    }
    profile = _profile(root)
    return Told(
        {name: value for name, value in values.items() if value},
        checked=local(root) == "CrossIndustryInvoice",
        sums=_other_sums(sums),
        breaches=tuple(_breaches(profile, trade, settlement)),
    )


def text(element: Element | None, *names: str) -> str:
    """The words of the element at the end of a path, on one line."""
    found = descend(element, *names)
    return "" if found is None else " ".join("".join(found.itertext()).split())


def _any(element: Element | None, names: tuple[str, ...]) -> Element | None:
    return next((found for name in names if (found := child(element, name)) is not None), None)


def _day(element: Element | None) -> str:
    return day("".join(element.itertext())) if element is not None else ""


def _tax_number(party: Element | None) -> str:
    for each in inside(party):
        number = child(each, "ID") if local(each) == "SpecifiedTaxRegistration" else None
        if number is not None and attribute(number, "schemeID") in ("VA", None):
            return "".join(number.itertext()).strip()
    return ""


def _tax_total(sums: Element | None, currency: str) -> str:
    """The tax in the invoice's own currency; a second one may stand there for the tax office."""
    totals = [each for each in inside(sums) if local(each) == "TaxTotalAmount"]
    own = [each for each in totals if attribute(each, "currencyID") in (currency, None)]
    return next((each.text or "" for each in own or totals), "")


def _iban(settlement: Element | None) -> str:
    for each in inside(settlement):
        if local(each) == "SpecifiedTradeSettlementPaymentMeans":
            iban = text(each, "PayeePartyCreditorFinancialAccount", "IBANID")
            if iban:
                return iban.replace(" ", "")
    return ""


def _other_sums(sums: Element | None) -> dict[str, str]:
    names = {
        "prepaid": "TotalPrepaidAmount",
        "rounding": "RoundingAmount",
        "lines": "LineTotalAmount",
        "allowances": "AllowanceTotalAmount",
        "charges": "ChargeTotalAmount",
    }
    return {name: value for name, element in names.items() if (value := text(sums, element))}


def _profile(root: Element) -> str:
    context = _any(root, ("ExchangedDocumentContext", "SpecifiedExchangedDocumentContext"))
    return text(context, "GuidelineSpecifiedDocumentContextParameter", "ID").lower()


def _breaches(profile: str, trade: Element | None, settlement: Element | None) -> Iterator[str]:
    """What its profile does not allow or asks for; the ones that were met in real files."""
    if not profile:
        yield "BR-01: it does not say which rules it keeps"
    if profile.endswith(":minimum"):
        foreign = {local(each) for each in inside(settlement)} - _OF_MINIMUM
        if foreign:
            yield f"its profile MINIMUM does not allow {', '.join(sorted(foreign))}"
    if profile.startswith("urn:cen.eu:en16931") and "extended" not in profile:
        lines = [each for each in inside(trade) if local(each) == "IncludedSupplyChainTradeLineItem"]
        if any(_has_basis(line) for line in lines):
            yield "CII-SR-123: a discount on a price gives its base amount, which EN 16931 does not allow"
        if _category(settlement) == "K" and not _delivered(trade, settlement):
            yield "BR-IC-11: a delivery inside the EU needs the day or the period of delivery"


def _has_basis(line: Element) -> bool:
    price = descend(line, "SpecifiedLineTradeAgreement", "GrossPriceProductTradePrice")
    return descend(price, "AppliedTradeAllowanceCharge", "BasisAmount") is not None


def _category(settlement: Element | None) -> str:
    return text(settlement, "ApplicableTradeTax", "CategoryCode")


def _delivered(trade: Element | None, settlement: Element | None) -> bool:
    event = descend(_any(trade, _DELIVERY), "ActualDeliverySupplyChainEvent")
    return event is not None or child(settlement, "BillingSpecifiedPeriod") is not None
