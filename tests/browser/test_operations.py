"""The Operations page in a real browser: live updates, actions, layout and contrast."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, expect

from docyard import queue
from docyard.db import Connection, Database
from docyard.db.embedded import EmbeddedServer
from docyard.model.jobs import JobFailure, NewJob, Worker
from docyard.queue import monitor
from docyard.store.users import get_or_create_workspace
from tests.browser.conftest import Installation

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def conn(yard: Installation) -> Iterator[Connection]:
    """A connection to the database of the installation, as its owner."""
    with EmbeddedServer.attach(yard.home) as server:
        database = Database(server.conninfo)
        with database.connect() as connection:
            yield connection
        database.close()


def add_dead_letters(conn: Connection, count: int, message: str) -> None:
    """Add dead letters of one cause, in one transaction so that no worker claims the jobs."""
    with conn.transaction():
        worker = uuid4()
        queue.register(conn, Worker(worker, "elsewhere", 1, ("classify",), 4, 3600.0))
        workspace = get_or_create_workspace(conn, "Main")
        queue.enqueue(conn, [NewJob(workspace, "classify", "test") for _ in range(count)])
        leases = queue.claim(conn, "classify", worker, count)
        queue.settle(conn, [JobFailure(lease, "corrupt", message, final=True) for lease in leases])
        queue.stop_worker(conn, worker)
        monitor.take_sample(conn, lag=0)


@pytest.mark.parametrize("width", [360, 721, 800, 1000, 1280])
def test_header_elements_do_not_overlap(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    for name in (".rooms a:first-child", ".rooms a:last-child", ".find input", ".menu summary"):
        box = page.locator(f".top {name}").bounding_box()
        assert box
        for across in (2, box["width"] - 2):
            at = [box["x"] + across, box["y"] + box["height"] / 2]
            hit = page.evaluate(
                "([x, y, name]) => document.elementFromPoint(x, y)?.closest(name) !== null", [*at, f".top {name}"]
            )
            assert hit, f"{name} is covered at {width} pixels"


def test_page_updates_itself_and_runs_actions(page: Page, conn: Connection) -> None:
    page.get_by_role("link", name="Operations").click()
    page.locator("#operations[data-alive]").wait_for(state="attached")
    pause = page.get_by_role("button", name="Pause the pool chunk")
    pause.focus()
    add_dead_letters(conn, 3, "The mast is broken.")
    conn.execute(
        "INSERT INTO pool_breakers (pool, state, category, open_until)"
        " VALUES ('extract', 'open', 'network', now() + interval '9 min')"
    )
    expect(page.locator(".advice")).to_contain_text("breaker of the pool extract is open")
    expect(page.locator("#causes")).to_contain_text("The mast is broken.")
    expect(pause).to_be_focused()

    page.keyboard.press("Enter")
    expect(page.locator("#notices")).to_contain_text("Paused the pool chunk")
    page.get_by_role("button", name="Resume the pool chunk").click()
    page.get_by_role("button", name="Close the breaker of the pool extract").click()
    expect(page.locator(".advice")).not_to_contain_text("breaker")

    page.get_by_role("link", name=re.compile("Discard 3 dead letters: The mast")).click()
    expect(page.locator("h1")).to_have_text("Discard these 3 dead letters?")
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("#causes")).not_to_contain_text("The mast is broken.")
    expect(page.get_by_role("img", name=re.compile("failed attempts in the last 24 hours"))).to_be_visible()


def test_works_without_javascript(browser: Browser, yard: Installation, conn: Connection) -> None:
    add_dead_letters(conn, 2, "The anchor is lost.")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(yard.link())
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Operations").click()
    expect(page.locator("#causes")).to_contain_text("The anchor is lost.")
    page.get_by_role("button", name="Pause the tier low").click()
    expect(page.locator("main")).to_contain_text("Paused the tier low")
    page.get_by_role("button", name="Resume the tier low").click()
    page.get_by_role("link", name=re.compile("^Discard 2 dead letters")).click()
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("main")).to_contain_text("2 dead letters discarded")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_a_narrow_screen_with_sufficient_contrast(
    browser: Browser, yard: Installation, conn: Connection, scheme: str
) -> None:
    """Every text of the page has at least the contrast that WCAG AA requires."""
    add_dead_letters(conn, 1, "A_message_without_any_space_" * 8)
    conn.execute("INSERT INTO duties (duty, error, failed_at) VALUES ('sweep', 'no', now()) ON CONFLICT DO NOTHING")
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(yard.link())
    page.wait_for_url(re.compile(r":\d+/$"))
    page.get_by_role("link", name="Operations").click()
    page.locator("#operations[data-alive]").wait_for(state="attached")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.evaluate(_FAINT) == []
    context.close()


# Returns texts whose contrast with their background is less than 4.5.
_FAINT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (css) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = css;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const element of document.querySelectorAll("main *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || element.closest(".unseen, title") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(rgba(element.closest("svg") ? style.fill : style.color)), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${element.tagName} ${element.textContent}`);
  }
  return faint;
}"""
