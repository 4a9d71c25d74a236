"""Ground truth of fields, from annotations or from the files themselves; used only for evaluation."""

from __future__ import annotations

import csv
import json
import re
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree as ET

from eval.corpus import Sample

_DATE_FORMATS = (
    *("%d/%m/%Y", "%d-%m-%Y", "%d/%m/%y", "%d-%m-%y", "%d.%m.%Y", "%d.%m.%y", "%d%m%Y"),
    *("%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%d/%b/%Y", "%d %b %y"),
    *("%Y/%m/%d", "%Y-%m-%d"),
)
_CLAUSES = "clauses.csv"
# Text in parentheses is a short name and is removed. Parts that do not name a party are skipped.
_SHORT_NAME = re.compile(r"\(.*", re.DOTALL)
_NOT_A_NAME = re.compile(r"\(?(?:collectively|each|individually)\b|.*\band (?:Global|AGI)\b", re.IGNORECASE)


def receipt_truth(sample: Sample) -> dict[str, str]:
    """Return seller, date and total of a receipt."""
    path = next(truth for truth in sample.truths if truth.suffix == ".json")
    truth = json.loads(path.read_text())
    found = {"seller": truth.get("company", ""), "date": _parse_date(truth.get("date", ""))}
    return _drop_empty({**found, "total": _parse_amount(truth.get("total", ""))})


def invoice_truth(path: Path) -> dict[str, str]:
    """Return the fields of an invoice as verified by the authors of its template."""
    truth = json.loads(path.read_text())[0]
    names = {"seller": "issuer", "date": "date", "number": "invoice_number", "currency": "currency"}
    found = {name: str(truth.get(key, "")).lstrip("# ") for name, key in names.items()}
    found["seller"] = found["seller"].partition(" - ")[0]  # the rest describes the template
    amounts = {"total": "amount", "net": "amount_untaxed", "tax": "amount_tax"}
    found |= {name: _parse_amount(truth.get(key, "")) for name, key in amounts.items()}
    return _drop_empty({**found, "due_date": str(truth.get("date_due", ""))})


def xml_truth(path: Path) -> dict[str, str]:
    """Return the fields of an invoice according to its XML."""
    root = ET.fromstring(path.read_bytes())  # noqa: S314 (the corpus is trusted)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    totals = "MonetarySummation"
    seller = next(root.iter("SellerTradeParty"))
    buyer = next(root.iter("BuyerTradeParty"))
    document = next(each for each in root if each.tag.endswith("ExchangedDocument"))
    total = next(each for each in root.iter() if each.tag.endswith(totals) and "Line" not in each.tag
                 and each.find("GrandTotalAmount") is not None)  # fmt: skip
    due = root.find(".//DueDateDateTime")
    found = {
        "seller": seller.findtext("Name", ""),
        "buyer": buyer.findtext("Name", ""),
        "number": document.findtext("ID", ""),
        "date": _parse_xml_date(document.find("IssueDateTime")),
        "due_date": _parse_xml_date(due),
        "currency": root.findtext(".//InvoiceCurrencyCode", ""),
        "iban": root.findtext(".//PayeePartyCreditorFinancialAccount/IBANID", ""),
        "net": _parse_amount(total.findtext("TaxBasisTotalAmount", "")),
        "tax": _parse_amount(total.findtext("TaxTotalAmount", "")),
        "total": _parse_amount(total.findtext("GrandTotalAmount", "")),
    }
    return _drop_empty({name: " ".join(value.split()) for name, value in found.items()})


def contract_truths(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Return parties, dates and governing law as lawyers annotated them, by normalised file name."""
    path = next(folder.rglob(_CLAUSES), None)
    if path is None:
        return {}
    with path.open(newline="") as file:
        return {normalise_text(row["Filename"]): _parse_contract(row) for row in csv.DictReader(file)}


def _parse_contract(row: dict[str, str]) -> dict[str, list[str]]:
    names = [part.strip().lstrip("(") for part in re.split(r";|\n", row["Parties-Answer"])]
    parties = [_SHORT_NAME.sub("", name).strip() for name in names if not _NOT_A_NAME.match(name)]
    law = [part.strip() for part in row["Governing Law-Answer"].split(";") if part.strip()]
    return {
        "party": [name for name in parties if len(name) > 2],
        "effective_date": _parse_american_date(row["Effective Date-Answer"]),
        "expiration_date": _parse_american_date(row["Expiration Date-Answer"]),
        "governing_law": law,
    }


def _parse_american_date(text: str) -> list[str]:
    when = re.fullmatch(r"(\d+)/(\d+)/(\d{4})", text.strip())
    return [f"{when[3]}-{int(when[1]):02}-{int(when[2]):02}"] if when else []


def court_truth(sample: Sample) -> dict[str, set[str]]:
    """Return the docket numbers and dates of a court page."""
    rows = json.loads(sample.truths[0].read_text())
    names = {"docket": "docket_numbers", "date": "case_dates"}
    return {
        name: {part.strip() for row in rows for part in str(row.get(key) or "").split(",") if part.strip()}
        for name, key in names.items()
    }


def normalise_text(text: str) -> str:
    """Return only the letters and digits of a text, in lower case."""
    return re.sub(r"[\W_]", "", text.casefold())


def _parse_date(text: str) -> str:
    plain = " ".join(str(text).split()).title()
    for date_format in _DATE_FORMATS:
        try:
            return datetime.strptime(plain, date_format).date().isoformat()  # noqa: DTZ007 (a date has no zone)
        except ValueError:
            continue
    return ""


def _parse_xml_date(element: ET.Element | None) -> str:
    digits = re.sub(r"\D", "", "".join(element.itertext()))[:8] if element is not None else ""
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}" if len(digits) == 8 else ""


def _parse_amount(value: object) -> str:
    plain = re.sub(r"[^\d.-]", "", str(value))
    return f"{float(plain):.2f}" if re.fullmatch(r"-?\d*\.?\d+", plain) else ""


def _drop_empty(values: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
