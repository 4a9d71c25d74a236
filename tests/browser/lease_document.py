"""A lease document for several browser tests."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from docyard.cli.run.samples import make_text_pdf

_LEASE = [
    "LEASE AGREEMENT",
    'This Lease Agreement is made on 3 March 2025 between Harbour Quay Estates Ltd ("Landlord")',
    'and Northwind Chandlery GmbH ("Tenant") for the boathouse at 14 Harbour Quay.',
    "1. Rent. Northwind Chandlery GmbH pays Harbour Quay Estates Ltd the sum of 2,400 EUR a month.",
    "2. Governing law. This agreement is governed by the law of England and Wales.",
]


def open_lease(page: Page, tmp_path: Path) -> None:
    """Upload the lease and open it when it is ready."""
    file = tmp_path / "lease.pdf"
    file.write_bytes(make_text_pdf(_LEASE, title="Lease of the boathouse"))
    page.set_input_files("input[type=file]", file)
    row = page.locator("tr", has_text="lease.pdf").first
    expect(row).to_contain_text("Completed")
    expect(row).to_contain_text("Contract · 3")
    row.get_by_role("link").first.click()
    page.locator("#document[data-alive]").wait_for(state="attached")
