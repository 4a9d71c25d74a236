"""Electronic invoices are read exactly, or rejected with a reason."""

from __future__ import annotations

import pytest

from docyard.errors import Reject
from docyard.facts.fields.e_invoice import xml_invoice
from tests.builders.e_invoices import UBL, make_cii


def test_reads_cii() -> None:
    invoice = xml_invoice.read(make_cii())
    assert invoice is not None
    assert invoice.violations == ()
    values = invoice.data.values
    assert (values["seller"], values["buyer"], values["seller_vat"]) == (
        "Harbour Works GmbH",
        "Quay Stores KG",
        "DE123456789",
    )
    assert (values["number"], values["date"], values["due_date"]) == ("R-2026-17", "2026-03-16", "2026-04-15")
    assert (values["net"], values["tax"], values["total"], values["payable"]) == ("100.00", "19.00", "119.00", "100.00")


def test_reads_ubl() -> None:
    invoice = xml_invoice.read(UBL)
    assert invoice is not None
    assert invoice.violations == ()
    values = invoice.data.values
    assert (values["seller"], values["number"], values["date"]) == ("Tide Mills Ltd", "U-9", "2026-02-03")
    assert (values["net"], values["tax"], values["total"]) == ("20.00", "4.00", "24.00")
    assert values["iban"] == "DE02120300000000202051"


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"number": ""}, "BR-02"),
        ({"date": "soon"}, "BR-03"),
        ({"date": "20261316"}, "BR-03"),
        ({"seller": " "}, "BR-06"),
        ({"total": "a lot"}, "BR-14"),
        ({"total": "120.00"}, "BR-CO-15"),
        ({"payable": "119.00"}, "BR-CO-16"),
        ({"profile": ""}, "BR-01"),
        ({"profile": "urn:factur-x.eu:1p0:minimum"}, "MINIMUM"),
    ],
)
def test_reports_a_broken_rule(changes: dict[str, str], rule: str) -> None:
    invoice = xml_invoice.read(make_cii(**changes))
    assert invoice is not None
    assert any(rule in problem for problem in invoice.violations)


def test_other_xml_is_not_an_invoice() -> None:
    assert xml_invoice.read(b"<Invoice><ID>1</ID></Invoice>") is None
    assert xml_invoice.read(b"<note/>") is None


@pytest.mark.parametrize("data", [b"", b"not xml", b"<a><b></a>", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'])
def test_refuses_data_that_cannot_be_read_safely(data: bytes) -> None:
    with pytest.raises(Reject):
        xml_invoice.read(data)
