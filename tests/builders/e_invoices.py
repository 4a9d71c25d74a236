"""Generated electronic invoices: CII with any values, UBL, and PDF files with an invoice inside."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pypdfium2

from tests.builders.pdf.pdfs import make_text_pdf

_CII = """<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
 xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
 xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>{profile}</ram:ID>
</ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>{number}</ram:ID><ram:TypeCode>380</ram:TypeCode>
<ram:IssueDateTime><udt:DateTimeString format="102">{date}</udt:DateTimeString></ram:IssueDateTime>
</rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction>
<ram:ApplicableHeaderTradeAgreement>
<ram:SellerTradeParty><ram:Name>{seller}</ram:Name>
<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456789</ram:ID></ram:SpecifiedTaxRegistration>
</ram:SellerTradeParty><ram:BuyerTradeParty><ram:Name>Quay Stores KG</ram:Name></ram:BuyerTradeParty>
</ram:ApplicableHeaderTradeAgreement><ram:ApplicableHeaderTradeDelivery/>
<ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>{settlement}
<ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime>
<udt:DateTimeString format="102">20260415</udt:DateTimeString>
</ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
<ram:SpecifiedTradeSettlementHeaderMonetarySummation>
<ram:LineTotalAmount>{net}</ram:LineTotalAmount><ram:TaxBasisTotalAmount>{net}</ram:TaxBasisTotalAmount>
<ram:TaxTotalAmount currencyID="DKK">999.00</ram:TaxTotalAmount>
<ram:TaxTotalAmount currencyID="EUR">{tax}</ram:TaxTotalAmount>
<ram:GrandTotalAmount>{total}</ram:GrandTotalAmount><ram:TotalPrepaidAmount>19.00</ram:TotalPrepaidAmount>
<ram:DuePayableAmount>{payable}</ram:DuePayableAmount>
</ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement>
</rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>
"""
_VALID = {
    "profile": "urn:cen.eu:en16931:2017",
    "number": "R-2026-17",
    "date": "20260316",
    "seller": "Harbour Works GmbH",
    "net": "100.00",
    "tax": "19.00",
    "total": "119.00",
    "payable": "100.00",
    "settlement": "",
}
UBL = b"""<?xml version="1.0"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID><cbc:ID>U-9</cbc:ID>
<cbc:IssueDate>2026-02-03</cbc:IssueDate><cbc:DueDate>2026-03-03</cbc:DueDate>
<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
<cac:AccountingSupplierParty><cac:Party><cac:PartyName><cbc:Name>Shop</cbc:Name></cac:PartyName>
<cac:PartyLegalEntity><cbc:RegistrationName>Tide Mills Ltd</cbc:RegistrationName></cac:PartyLegalEntity>
</cac:Party></cac:AccountingSupplierParty>
<cac:AccountingCustomerParty><cac:Party><cac:PartyName><cbc:Name>Quay Stores</cbc:Name></cac:PartyName>
</cac:Party>
</cac:AccountingCustomerParty>
<cac:PaymentMeans><cac:PayeeFinancialAccount><cbc:ID>DE02 1203 0000 0000 2020 51</cbc:ID>
</cac:PayeeFinancialAccount></cac:PaymentMeans>
<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">4.00</cbc:TaxAmount></cac:TaxTotal>
<cac:LegalMonetaryTotal><cbc:LineExtensionAmount currencyID="EUR">20.00</cbc:LineExtensionAmount>
<cbc:TaxExclusiveAmount currencyID="EUR">20.00</cbc:TaxExclusiveAmount>
<cbc:TaxInclusiveAmount currencyID="EUR">24.00</cbc:TaxInclusiveAmount>
<cbc:PayableAmount currencyID="EUR">24.00</cbc:PayableAmount></cac:LegalMonetaryTotal></Invoice>
"""


def make_cii(**changes: str) -> bytes:
    """Return a valid invoice in CII with these values changed."""
    return _CII.format(**(_VALID | changes)).encode()


def make_pdf_with_invoice(lines: Sequence[str], name: str, data: bytes) -> bytes:
    """Return a PDF with these lines of text and this attachment."""
    document = pypdfium2.PdfDocument(make_text_pdf(lines))
    document.new_attachment(name).set_data(data)
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()
