"""Facts in a real browser: marks, selection, verdicts and filters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Installation
from tests.browser.lease_document import open_lease

pytestmark = pytest.mark.browser


def test_selects_lists_and_confirms_an_entity(page: Page, tmp_path: Path) -> None:
    open_lease(page, tmp_path)
    mark = page.locator(".marks a.organisation", has_text="Northwind Chandlery GmbH").first
    expect(mark.locator("title")).to_have_text(re.compile(r"^Organisation: Northwind Chandlery GmbH · .*%"))
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("#document[data-alive]").wait_for(state="attached")
    mark.hover()
    expect(page.locator(".words .lit")).to_have_count(2)
    mark.click()
    chosen = page.locator("#chosen")
    expect(chosen).to_be_focused()
    expect(chosen).to_contain_text("2 mentions in this document")
    chosen.get_by_role("button", name=re.compile("^Confirm: Northwind")).first.click()
    expect(chosen.locator(".chip")).to_have_text("Confirmed")
    expect(chosen.get_by_role("button", name=re.compile("^Undo: Northwind"))).to_be_focused()
    expect(page.locator(".marks a.confirmed")).to_have_count(1)
    expect(other.locator(".marks a.confirmed")).to_have_count(1)  # by a live update
    page.reload()
    expect(page.locator("#chosen .chip")).to_have_text("Confirmed")
    page.go_back()
    expect(page.locator("#chosen")).to_have_count(0)


def test_added_field_updates_relations(page: Page, tmp_path: Path) -> None:
    open_lease(page, tmp_path)
    page.get_by_text("Add a field").click()
    form = page.locator("#add-field form")
    form.get_by_label("Field").select_option("expiration_date")
    form.get_by_label("Value", exact=True).fill("2025-03-03")
    form.get_by_role("button", name="Add").click()
    expect(form.get_by_role("radio")).to_have_count(2)
    expect(form.locator("mark")).to_have_text("3 March 2025")
    form.get_by_role("button", name="Add").click()
    added = page.locator(".fields > div", has_text="Expiration date")
    expect(added).to_contain_text("entered by a user")
    expect(page.locator(".notice")).to_contain_text("Field added.")
    relation = page.locator(".relations li", has_text="Northwind Chandlery GmbH is a party to")
    expect(relation).to_have_count(1)
    page.locator("#document[data-alive]").wait_for(state="attached")
    party = page.locator(".fields > div", has_text="Party").locator("dd", has_text="Northwind")
    party.get_by_role("button", name=re.compile("^Reject")).click()
    expect(relation).to_have_count(0)  # by a live update, when the job has run
    party.get_by_role("button", name=re.compile("^Undo")).click()
    expect(relation).to_have_count(1)
    added.get_by_role("button", name=re.compile("^Undo")).click()
    expect(added).to_have_count(0)


def test_field_links_to_its_passage_and_back(page: Page, tmp_path: Path) -> None:
    open_lease(page, tmp_path)
    page.evaluate("window.same = true")
    value = page.locator(".fields .value", has_text="England and Wales")
    value.get_by_role("link").click()
    expect(page.locator(".sheet rect.passage")).to_have_count(3)
    expect(page.locator(".words .passage")).to_have_text("England and Wales")
    page.locator(".marks a.field", has_text="Governing law: England and Wales").click()
    expect(page).to_have_url(re.compile(r"#field-governing_law-0$"))
    assert value.evaluate("value => value.matches(':target')")
    assert page.evaluate("window.same"), "the page was reloaded"


def test_keyboard_reaches_the_marked_facts(page: Page, tmp_path: Path) -> None:
    open_lease(page, tmp_path)
    page.locator(".things a", has_text="Harbour Quay Estates Ltd").focus()
    expect(page.locator(".marks a.lit")).to_have_count(2)
    page.keyboard.press("Enter")
    expect(page.locator("#chosen")).to_be_focused()
    page.locator("#chosen").get_by_role("link", name=re.compile("All mentions in")).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Harbour Quay Estates Ltd")
    reject = page.get_by_role("button", name=re.compile("^Reject: Harbour Quay Estates Ltd in Lease")).first
    reject.press("Enter")
    expect(page.locator("#mentions-title ~ ol .chip.red")).to_have_text("Rejected")
    page.get_by_role("button", name=re.compile("^Undo:")).press("Enter")
    expect(page.locator("#mentions-title ~ ol .chip")).to_have_count(0)
    page.get_by_role("link", name="Search documents").press("Enter")
    expect(page.locator("main")).to_contain_text("Mentions: Harbour Quay Estates Ltd")
    expect(page.locator(".hits")).to_contain_text("Lease of the boathouse")


def test_facts_work_without_javascript_and_on_a_narrow_screen(
    page: Page, browser: Browser, yard: Installation, tmp_path: Path
) -> None:
    open_lease(page, tmp_path)
    address = page.url
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 360, "height": 740}, color_scheme="dark"
    )
    plain = context.new_page()
    plain.goto(yard.link())
    plain.get_by_role("button", name=re.compile("sign in", re.IGNORECASE)).click()
    plain.goto(address)
    plain.locator(".things a", has_text="Northwind Chandlery GmbH").click()
    plain.locator("#chosen").get_by_role("button", name=re.compile("^Reject:")).last.click()
    expect(plain.locator("#notices")).to_contain_text("Mention rejected.")
    expect(plain.locator("#chosen li.rejected")).to_have_count(1)
    for path in ("/", "/entities", "/search?type=contract"):
        plain.goto(re.sub(r"/documents/.*", path, address))
        expect(plain.locator("main")).to_contain_text(re.compile("Lease of the boathouse|Harbour Quay"))
        assert plain.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    context.close()
