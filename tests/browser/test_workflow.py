"""The main workflow in a real browser: upload, progress, reading, search and recovery."""

from __future__ import annotations

import os
import re
import signal
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Installation
from tests.builders.pdf.pdfs import make_text_pdf
from tests.chaos.installation import wait_for

pytestmark = pytest.mark.browser

_LEASE = ["LEASE OF THE OLD BOATHOUSE", "The tenant keeps the slipway clear of ice in winter."]
_MINUTES = "Minutes of the board\n\nThe treasurer reports that the moorings are paid until June."


def _drop(page: Page, name: str, data: bytes) -> None:
    """Drop a file on the page with drag-and-drop events that carry real file content."""
    page.evaluate(
        """([name, bytes]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(bytes)], name));
            for (const kind of ["dragenter", "dragover", "drop"]) {
                document.body.dispatchEvent(
                    new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
            }
        }""",
        [name, list(data)],
    )


def test_dropped_files_are_processed_opened_and_found(page: Page, tmp_path: Path) -> None:
    _drop(page, "lease.pdf", make_text_pdf(_LEASE, title="Lease of the old boathouse"))
    _drop(page, "minutes.txt", _MINUTES.encode())
    for name in ("lease.pdf", "minutes.txt"):
        expect(page.locator("tr", has_text=name).first).to_contain_text("Completed")
    page.screenshot(path=tmp_path / "documents.png", full_page=True)

    page.get_by_role("link", name="Lease of the old boathouse").first.click()
    image = page.locator("img[src*='/pages/1']").first
    expect(image).to_be_visible()
    wait_for(lambda: image.evaluate("image => image.naturalWidth > 300"), "the page image", 30)
    expect(page.locator("main")).to_contain_text("slipway clear of ice")

    page.get_by_role("searchbox").first.fill("treasurer moorings")
    page.keyboard.press("Enter")
    expect(page.locator("main mark").first).to_be_visible()
    expect(page.locator("main")).to_contain_text("Minutes of the board")


def test_document_survives_a_killed_worker(page: Page, yard: Installation, tmp_path: Path) -> None:
    lines = [f"Line {n} of the tide tables of a whole century." for n in range(60)]
    slow = tmp_path / "tide-tables.pdf"
    slow.write_bytes(make_text_pdf(*([f"Year {year}", *lines] for year in range(500))))
    page.set_input_files("input[type=file]", slow)
    row = page.locator("tr", has_text="tide-tables.pdf").first
    expect(row).to_contain_text("Processing")
    os.kill(_pid(yard.home, "worker"), signal.SIGKILL)
    expect(row).to_contain_text("Completed")


def test_unreadable_file_shows_reason_and_can_be_retried(page: Page) -> None:
    _drop(page, "empty.pdf", b"")
    _drop(page, "cut-off.pdf", make_text_pdf(_LEASE)[:200])
    _drop(page, "picture.pdf.txt", make_text_pdf(["A PDF that calls itself text."], title="Wrongly named"))
    row = page.locator("tr", has_text="empty.pdf").first
    expect(row).to_contain_text("The file is empty")
    expect(page.locator("tr", has_text="cut-off.pdf").first).to_contain_text("damaged")
    expect(page.locator("tr", has_text="Wrongly named").first).to_contain_text("Completed")
    row.get_by_role("button", name=re.compile("Retry")).click()
    expect(row).to_contain_text("The file is empty")


def test_reports_duplicate_file(page: Page) -> None:
    data = b"The same words twice."
    _drop(page, "once.txt", data)
    expect(page.locator("tr", has_text="once.txt").first).to_contain_text("Completed")
    _drop(page, "again.txt", data)
    expect(page.locator("main")).to_contain_text("once.txt")
    expect(page.locator("main")).to_contain_text(re.compile("already exists", re.IGNORECASE))


def test_everything_works_without_javascript(browser: Browser, yard: Installation, tmp_path: Path) -> None:
    file = tmp_path / "plain.txt"
    file.write_text("A plain form\n\nuploads the barnacle report.")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(yard.link())
    page.get_by_role("button", name=re.compile("sign in", re.IGNORECASE)).click()
    page.set_input_files("input[type=file]", file)
    page.get_by_role("button", name=re.compile("upload|add", re.IGNORECASE)).click()
    expect(page.locator("main")).to_contain_text("plain.txt")
    wait_for(
        lambda: page.reload() and page.locator("tr", has_text="plain.txt", has=page.get_by_text("Completed")).count(),
        "plain.txt to be ready",
    )
    page.get_by_role("searchbox").first.fill("barnacle")
    page.get_by_role("searchbox").first.press("Enter")
    expect(page.locator("main mark").first).to_have_text("barnacle")
    context.close()


def test_narrow_screen_needs_no_horizontal_scrolling(browser: Browser, yard: Installation) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark")
    page = context.new_page()
    page.goto(yard.link())
    page.wait_for_url(re.compile(r":\d+/$"))
    for path in ("/", "/search?q=barnacle"):
        page.goto(re.sub(r"/[^/]*$", path, page.url))
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    context.close()


def test_requests_wait_while_the_web_app_restarts(yard: Installation) -> None:
    address = urlsplit(yard.link())
    os.kill(_pid(yard.home, "serve"), signal.SIGKILL)
    answer = httpx.get(f"http://{address.netloc}/healthz", timeout=60)
    assert answer.status_code == HTTPStatus.OK


def _pid(home: Path, command: str) -> int:
    """Return the pid of the process in which `up` runs this command."""
    for process in psutil.process_iter(["cmdline", "environ"]):
        environ, words = process.info["environ"] or {}, process.info["cmdline"] or []
        if environ.get("DOCYARD_HOME") == str(home) and words[1:4] == ["-m", "docyard", command]:
            return int(process.pid)
    raise AssertionError(f"no {command} runs")
