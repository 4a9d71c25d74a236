"""UBL, the Universal Business Language: the elements of Peppol invoices and of many XRechnung invoices."""

from __future__ import annotations

from docyard.facts.fields.e_invoice.cii import read_text
from docyard.facts.fields.e_invoice.en16931_rules import InvoiceData, normalise_amount, normalise_date
from docyard.readers.xml_tree import Element, attribute, child, child_elements, find_path, local_name


def read(root: Element) -> InvoiceData:
    """Read the header of an invoice."""
    totals = child(root, "LegalMonetaryTotal")
    currency = read_text(root, "DocumentCurrencyCode")
    seller = find_path(root, "AccountingSupplierParty", "Party")
    buyer = find_path(root, "AccountingCustomerParty", "Party")
    values = {
        "seller": _read_name(seller),
        "seller_vat": read_text(seller, "PartyTaxScheme", "CompanyID"),
        "buyer": _read_name(buyer),
        "number": read_text(root, "ID"),
        "date": normalise_date(read_text(root, "IssueDate")),
        "due_date": normalise_date(read_text(root, "DueDate") or read_text(root, "PaymentMeans", "PaymentDueDate")),
        "currency": currency,
        "net": normalise_amount(read_text(totals, "TaxExclusiveAmount")),
        "tax": normalise_amount(_read_tax(root, currency)),
        "total": normalise_amount(read_text(totals, "TaxInclusiveAmount")),
        "payable": normalise_amount(read_text(totals, "PayableAmount")),
        "iban": read_text(root, "PaymentMeans", "PayeeFinancialAccount", "ID").replace(" ", ""),
    }
    names = {
        "prepaid": "PrepaidAmount",
        "rounding": "PayableRoundingAmount",
        "lines": "LineExtensionAmount",
        "allowances": "AllowanceTotalAmount",
        "charges": "ChargeTotalAmount",
    }
    amounts = {name: value for name, element in names.items() if (value := read_text(totals, element))}
    customization = read_text(root, "CustomizationID")
    return InvoiceData(
        {name: value for name, value in values.items() if value},
        claims_en16931="en16931" in customization,
        amounts=amounts,
    )


def _read_name(party: Element | None) -> str:
    """Return the registered name of a party, else its trading name."""
    return read_text(party, "PartyLegalEntity", "RegistrationName") or read_text(party, "PartyName", "Name")


def _read_tax(root: Element, currency: str) -> str:
    totals = [child(each, "TaxAmount") for each in child_elements(root) if local_name(each) == "TaxTotal"]
    found = [each for each in totals if each is not None]
    own = [each for each in found if attribute(each, "currencyID") in (currency, None)]
    return next((each.text or "" for each in own or found), "")
