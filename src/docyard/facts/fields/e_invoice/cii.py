"""CII, the Cross Industry Invoice: the elements of ZUGFeRD, Factur-X, XRechnung and Order-X."""

from __future__ import annotations

from collections.abc import Iterator

from docyard.facts.fields.e_invoice.en16931_rules import InvoiceData, normalise_amount, normalise_date
from docyard.readers.xml_tree import Element, attribute, child, child_elements, find_path, local_name

_DOCUMENT = ("ExchangedDocument", "HeaderExchangedDocument")
_TRANSACTION = ("SupplyChainTradeTransaction", "SpecifiedSupplyChainTradeTransaction")
_AGREEMENT = ("ApplicableHeaderTradeAgreement", "ApplicableSupplyChainTradeAgreement")
_DELIVERY = ("ApplicableHeaderTradeDelivery", "ApplicableSupplyChainTradeDelivery")
_SETTLEMENT = ("ApplicableHeaderTradeSettlement", "ApplicableSupplyChainTradeSettlement")
_TOTALS = ("SpecifiedTradeSettlementHeaderMonetarySummation", "SpecifiedTradeSettlementMonetarySummation")
_MINIMUM_ELEMENTS = {"InvoiceCurrencyCode", *_TOTALS}


def read(root: Element) -> InvoiceData:
    """Read the header of an invoice; its lines are only checked against the profile."""
    document, transaction = _find_child(root, _DOCUMENT), _find_child(root, _TRANSACTION)
    agreement, settlement = _find_child(transaction, _AGREEMENT), _find_child(transaction, _SETTLEMENT)
    totals = _find_child(settlement, _TOTALS)
    currency = read_text(settlement, "InvoiceCurrencyCode") or read_text(settlement, "OrderCurrencyCode")
    seller, buyer = child(agreement, "SellerTradeParty"), child(agreement, "BuyerTradeParty")
    values = {
        "seller": read_text(seller, "Name"),
        "seller_vat": _read_vat_number(seller),
        "buyer": read_text(buyer, "Name"),
        "number": read_text(document, "ID"),
        "date": _read_date(child(document, "IssueDateTime")),
        "due_date": _read_date(find_path(settlement, "SpecifiedTradePaymentTerms", "DueDateDateTime")),
        "currency": currency,
        "net": normalise_amount(read_text(totals, "TaxBasisTotalAmount")),
        "tax": normalise_amount(_read_tax_total(totals, currency)),
        "total": normalise_amount(read_text(totals, "GrandTotalAmount")),
        "payable": normalise_amount(read_text(totals, "DuePayableAmount")),
        "iban": _read_iban(settlement),
    }
    profile = _read_profile(root)
    return InvoiceData(
        {name: value for name, value in values.items() if value},
        claims_en16931=local_name(root) == "CrossIndustryInvoice",
        amounts=_read_other_amounts(totals),
        violations=tuple(_check_profile(profile, transaction, settlement)),
    )


def read_text(element: Element | None, *names: str) -> str:
    """Return the text of the element at this path, as one line; empty if the element does not exist."""
    found = find_path(element, *names)
    return "" if found is None else " ".join("".join(found.itertext()).split())


def _find_child(element: Element | None, names: tuple[str, ...]) -> Element | None:
    return next((found for name in names if (found := child(element, name)) is not None), None)


def _read_date(element: Element | None) -> str:
    return normalise_date("".join(element.itertext())) if element is not None else ""


def _read_vat_number(party: Element | None) -> str:
    for each in child_elements(party):
        number = child(each, "ID") if local_name(each) == "SpecifiedTaxRegistration" else None
        if number is not None and attribute(number, "schemeID") in ("VA", None):
            return "".join(number.itertext()).strip()
    return ""


def _read_tax_total(totals: Element | None, currency: str) -> str:
    """Return the tax, preferably in the invoice's currency; a second one may be in the seller's currency."""
    taxes = [each for each in child_elements(totals) if local_name(each) == "TaxTotalAmount"]
    own = [each for each in taxes if attribute(each, "currencyID") in (currency, None)]
    return next((each.text or "" for each in own or taxes), "")


def _read_iban(settlement: Element | None) -> str:
    for each in child_elements(settlement):
        if local_name(each) == "SpecifiedTradeSettlementPaymentMeans":
            iban = read_text(each, "PayeePartyCreditorFinancialAccount", "IBANID")
            if iban:
                return iban.replace(" ", "")
    return ""


def _read_other_amounts(totals: Element | None) -> dict[str, str]:
    names = {
        "prepaid": "TotalPrepaidAmount",
        "rounding": "RoundingAmount",
        "lines": "LineTotalAmount",
        "allowances": "AllowanceTotalAmount",
        "charges": "ChargeTotalAmount",
    }
    return {name: value for name, element in names.items() if (value := read_text(totals, element))}


def _read_profile(root: Element) -> str:
    context = _find_child(root, ("ExchangedDocumentContext", "SpecifiedExchangedDocumentContext"))
    return read_text(context, "GuidelineSpecifiedDocumentContextParameter", "ID").lower()


def _check_profile(profile: str, transaction: Element | None, settlement: Element | None) -> Iterator[str]:
    """Yield violations of the profile; only a few rules, which real files have broken, are checked."""
    if not profile:
        yield "BR-01: the specification identifier is missing"
    if profile.endswith(":minimum"):
        disallowed = {local_name(each) for each in child_elements(settlement)} - _MINIMUM_ELEMENTS
        if disallowed:
            yield f"the profile MINIMUM does not allow {', '.join(sorted(disallowed))}"
    if profile.startswith("urn:cen.eu:en16931") and "extended" not in profile:
        lines = [each for each in child_elements(transaction) if local_name(each) == "IncludedSupplyChainTradeLineItem"]
        if any(_has_base_amount(line) for line in lines):
            yield "CII-SR-123: a price discount states its base amount, which EN 16931 does not allow"
        if _read_tax_category(settlement) == "K" and not _has_delivery_date(transaction, settlement):
            yield "BR-IC-11: an intra-Community supply needs a delivery date or an invoicing period"


def _has_base_amount(line: Element) -> bool:
    price = find_path(line, "SpecifiedLineTradeAgreement", "GrossPriceProductTradePrice")
    return find_path(price, "AppliedTradeAllowanceCharge", "BasisAmount") is not None


def _read_tax_category(settlement: Element | None) -> str:
    return read_text(settlement, "ApplicableTradeTax", "CategoryCode")


def _has_delivery_date(transaction: Element | None, settlement: Element | None) -> bool:
    event = find_path(_find_child(transaction, _DELIVERY), "ActualDeliverySupplyChainEvent")
    return event is not None or child(settlement, "BillingSpecifiedPeriod") is not None
