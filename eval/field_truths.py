"""What people or the files themselves say that the fields of a sample are; the product never reads this."""

from __future__ import annotations

import csv
import json
import re
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree as ET

from eval.corpus import Sample

_DAYS = (
    *("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y", "%d-%m-%y", "%d.%m.%Y", "%d.%m.%y", "%d%m%Y"),
    *("%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%d/%b/%Y", "%d %b %y"),
    *("%Y/%m/%d", "%Y-%m-%d"),
)
_CLAUSES = "clauses.csv"
# Everything in brackets is a short name; what names no party by itself is left out.
_SHORT_NAME = re.compile(r"\(.*", re.DOTALL)
_NO_NAME = re.compile(r"\(?(?:collectively|each|individually)\b|.*\band (?:Global|AGI)\b", re.IGNORECASE)


def receipt_truth(sample: Sample) -> dict[str, str]:
    """Seller, date and total of a receipt."""
    path = next(truth for truth in sample.truths if truth.suffix == ".json")
    told = json.loads(path.read_text())
    found = {"seller": told.get("company", ""), "date": _day(told.get("date", ""))}
    return _present({**found, "total": _amount(told.get("total", ""))})


def invoice_truth(path: Path) -> dict[str, str]:
    """The fields of an invoice as its template's authors checked them."""
    told = json.loads(path.read_text())[0]
    names = {"seller": "issuer", "date": "date", "number": "invoice_number", "currency": "currency"}
    found = {name: str(told.get(key, "")).lstrip("# ") for name, key in names.items()}
    found["seller"] = found["seller"].partition(" - ")[0]  # after the dash stands what the template is for
    amounts = {"total": "amount", "net": "amount_untaxed", "tax": "amount_tax"}
    found |= {name: _amount(told.get(key, "")) for name, key in amounts.items()}
    return _present({**found, "due_date": str(told.get("date_due", ""))})


def xml_truth(path: Path) -> dict[str, str]:
    """What the XML beside an invoice says, element by element."""
    root = ET.fromstring(path.read_bytes())  # noqa: S314 (the corpus is ours)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    sums = "MonetarySummation"
    party = next(root.iter("SellerTradeParty"))
    buyer = next(root.iter("BuyerTradeParty"))
    document = next(each for each in root if each.tag.endswith("ExchangedDocument"))
    total = next(each for each in root.iter() if each.tag.endswith(sums) and "Line" not in each.tag
                 and each.find("GrandTotalAmount") is not None)  # fmt: skip
    due = root.find(".//DueDateDateTime")
    found = {
        "seller": party.findtext("Name", ""),
        "buyer": buyer.findtext("Name", ""),
        "number": document.findtext("ID", ""),
        "date": _day_of_xml(document.find("IssueDateTime")),
        "due_date": _day_of_xml(due),
        "currency": root.findtext(".//InvoiceCurrencyCode", ""),
        "iban": root.findtext(".//PayeePartyCreditorFinancialAccount/IBANID", ""),
        "net": _amount(total.findtext("TaxBasisTotalAmount", "")),
        "tax": _amount(total.findtext("TaxTotalAmount", "")),
        "total": _amount(total.findtext("GrandTotalAmount", "")),
    }
    return _present({name: " ".join(value.split()) for name, value in found.items()})


def contract_truths(folder: Path) -> dict[str, dict[str, list[str]]]:
    """By the letters of a file's name: parties, dates and governing law, as lawyers marked them."""
    path = next(folder.rglob(_CLAUSES), None)
    if path is None:
        return {}
    with path.open(newline="") as file:
        return {letters_of(row["Filename"]): _contract(row) for row in csv.DictReader(file)}


def _contract(row: dict[str, str]) -> dict[str, list[str]]:
    names = [part.strip().lstrip("(") for part in re.split(r";|\n", row["Parties-Answer"])]
    parties = [_SHORT_NAME.sub("", name).strip() for name in names if not _NO_NAME.match(name)]
    law = [part.strip() for part in row["Governing Law-Answer"].split(";") if part.strip()]
    return {
        "party": [name for name in parties if len(name) > 2],
        "effective_date": _american_day(row["Effective Date-Answer"]),
        "expiration_date": _american_day(row["Expiration Date-Answer"]),
        "governing_law": law,
    }


def _american_day(text: str) -> list[str]:
    when = re.fullmatch(r"(\d+)/(\d+)/(\d{4})", text.strip())
    return [f"{when[3]}-{int(when[1]):02}-{int(when[2]):02}"] if when else []


def court_truth(sample: Sample) -> dict[str, set[str]]:
    """The case numbers and dates of a court's page."""
    rows = json.loads(sample.truths[0].read_text())
    names = {"docket": "docket_numbers", "date": "case_dates"}
    return {
        name: {part.strip() for row in rows for part in str(row.get(key) or "").split(",") if part.strip()}
        for name, key in names.items()
    }


def letters_of(text: str) -> str:
    """Letters and figures alone, small."""
    return re.sub(r"[\W_]", "", text.casefold())


def _day(text: str) -> str:
    plain = " ".join(str(text).split()).title()
    for shape in _DAYS:
        try:
            return datetime.strptime(plain, shape).date().isoformat()  # noqa: DTZ007 (a day has no zone)
        except ValueError:
            continue
    return ""


def _day_of_xml(element: ET.Element | None) -> str:
    digits = re.sub(r"\D", "", "".join(element.itertext()))[:8] if element is not None else ""
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}" if len(digits) == 8 else ""


def _amount(value: object) -> str:
    plain = re.sub(r"[^\d.-]", "", str(value))
    return f"{float(plain):.2f}" if re.fullmatch(r"-?\d*\.?\d+", plain) else ""


def _present(values: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
