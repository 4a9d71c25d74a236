"""Verdicts on fields and workspace settings in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Installation
from tests.browser.lease_document import open_lease
from tests.builders.ai_server import KEY, AiServer, run_ai_server

pytestmark = pytest.mark.browser


@pytest.fixture
def ai() -> Iterator[AiServer]:
    with run_ai_server() as running:
        running.answer = {"answer": "hello"}
        yield running


def test_confirms_and_corrects_a_field_by_keyboard(page: Page, tmp_path: Path) -> None:
    open_lease(page, tmp_path)
    page.evaluate("window.same = true")
    label = page.locator("dt", has_text=re.compile("^Governing law$"))
    law = page.locator(".fields > div").filter(has=label)
    law.get_by_role("button", name=re.compile("^Confirm: Governing law")).press("Enter")
    expect(law.locator(".chip")).to_have_text("Confirmed")
    expect(law.get_by_role("button", name=re.compile("^Undo: Governing law"))).to_be_focused()
    law.locator("summary", has_text="Correct").press("Enter")
    box = law.get_by_label("Correct value of Governing law")
    box.fill("Scotland")
    box.press("Enter")
    expect(law.locator(".value").first).to_have_text("Scotland")
    expect(law.locator(".value.rejected")).to_have_text("England and Wales")
    expect(law).to_contain_text("entered by a user")
    expect(page.locator(".marks a.field", has_text="Governing law: ")).to_have_count(0)
    law.get_by_role("button", name=re.compile("^Undo: Governing law Scotland")).press("Enter")
    expect(law.locator(".value")).to_have_text(["England and Wales"])
    expect(law.locator(".chip")).to_have_count(0)
    assert page.evaluate("window.same"), "the page was reloaded"


def test_connects_tests_and_removes_a_model(page: Page, ai: AiServer) -> None:
    page.locator(".menu summary").click()
    page.get_by_role("link", name="Language models").click()
    for label, value in (("Name", "Ours"), ("Model", "small-1"), ("API key", KEY)):
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_label("Base URL").fill(f"http://127.0.0.1:{ai.port}/v1")
    page.get_by_role("button", name="Connect").click()
    page.get_by_role("button", name="Test: Ours").click()
    expect(page.locator(".rows .chip.green")).to_have_text("Test passed")
    assert KEY in str(ai.asked[0]["headers"])
    assert KEY not in page.content()
    page.locator("summary", has_text="Remove").click()
    page.get_by_role("button", name="Remove permanently: Ours").click()
    expect(page.locator("main")).to_contain_text("No language model is connected.")


def test_settings_work_without_javascript_and_on_a_narrow_screen(browser: Browser, yard: Installation) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 360, "height": 740}, color_scheme="dark"
    )
    plain = context.new_page()
    plain.goto(yard.link())
    plain.get_by_role("button", name=re.compile("sign in", re.IGNORECASE)).click()
    home = plain.url
    plain.goto(f"{home}types")
    plain.get_by_label("Name", exact=True).fill("Lab report")
    plain.get_by_label("Description").fill("Results of laboratory tests of samples of blood or of water.")
    plain.get_by_label("Key phrases").fill("reference range\nsample taken")
    plain.get_by_role("button", name="Add").click()
    expect(plain.locator("#notices")).to_contain_text("Type lab_report saved.")
    plain.get_by_role("button", name="Switch off: Presentation").click()
    expect(plain.get_by_role("button", name="Switch on: Presentation")).to_have_count(1)
    for path in ("types", "connections"):
        plain.goto(f"{home}{path}")
        assert plain.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    context.close()
