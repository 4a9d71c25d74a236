"""UBL, the Universal Business Language: the elements of Peppol invoices and of many XRechnung invoices."""

from __future__ import annotations

from docyard.facts.fields.e_invoice.cii import text
from docyard.facts.fields.e_invoice.en16931_rules import Told, amount, day
from docyard.readers.xml_tree import Element, attribute, child, descend, inside, local


def read(root: Element) -> Told:
    """Read the header of an invoice."""
    totals = child(root, "LegalMonetaryTotal")
    currency = text(root, "DocumentCurrencyCode")
    seller = descend(root, "AccountingSupplierParty", "Party")
    buyer = descend(root, "AccountingCustomerParty", "Party")
    values = {
        "seller": _read_name(seller),
        "seller_vat": text(seller, "PartyTaxScheme", "CompanyID"),
        "buyer": _read_name(buyer),
        "number": text(root, "ID"),
        "date": day(text(root, "IssueDate")),
        "due_date": day(text(root, "DueDate") or text(root, "PaymentMeans", "PaymentDueDate")),
        "currency": currency,
        "net": amount(text(totals, "TaxExclusiveAmount")),
        "tax": amount(_read_tax(root, currency)),
        "total": amount(text(totals, "TaxInclusiveAmount")),
        "payable": amount(text(totals, "PayableAmount")),
        "iban": text(root, "PaymentMeans", "PayeeFinancialAccount", "ID").replace(" ", ""),
    }
    names = {
        "prepaid": "PrepaidAmount",
        "rounding": "PayableRoundingAmount",
        "lines": "LineExtensionAmount",
        "allowances": "AllowanceTotalAmount",
        "charges": "ChargeTotalAmount",
    }
    amounts = {name: value for name, element in names.items() if (value := text(totals, element))}
    customization = text(root, "CustomizationID")
    return Told(
        {name: value for name, value in values.items() if value},
        checked="en16931" in customization,
        sums=amounts,
    )


def _read_name(party: Element | None) -> str:
    """Return the registered name of a party, else its trading name."""
    return text(party, "PartyLegalEntity", "RegistrationName") or text(party, "PartyName", "Name")


def _read_tax(root: Element, currency: str) -> str:
    totals = [child(each, "TaxAmount") for each in inside(root) if local(each) == "TaxTotal"]
    found = [each for each in totals if each is not None]
    own = [each for each in found if attribute(each, "currencyID") in (currency, None)]
    return next((each.text or "" for each in own or found), "")
