"""`make eval CORPUS=folder`: what becomes of every file of a folder, in direct mode, counted by kind."""

from __future__ import annotations

import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from docyard.cli.files import files_below
from docyard.model.limits import Limits
from docyard.model.values import Extracted, Fetched
from docyard.pipeline.children import ChildPool
from docyard.pipeline.direct import Processed, process_file

SLOTS = 2


def main() -> None:
    """Process everything and print one table."""
    if len(sys.argv) != 2:
        sys.exit("Name a folder: make eval CORPUS=folder")
    files = list(files_below([Path(sys.argv[1])]))
    began = time.perf_counter()
    with ChildPool(SLOTS, Limits()) as children, ThreadPoolExecutor(SLOTS) as threads:
        processed = list(threads.map(lambda path: process_file(children, Limits(), path), files))
    seconds = time.perf_counter() - began
    counted = Counter((media_type(one), outcome(one)) for one in processed)
    for (kind, end), count in sorted(counted.items()):
        print(f"{kind:<62}{end:<24}{count:>6}")
    pages = sum(len(value.pages) for one in processed for value in one.values if isinstance(value, Extracted))
    rate = len(files) * 60 / seconds
    print(f"\n{len(files)} files, {pages} pages in {seconds:.1f} s: {rate:,.0f} files a minute")


def media_type(one: Processed) -> str:
    """What the content turned out to be."""
    return next((value.media_type for value in one.values if isinstance(value, Fetched)), "unreadable")


def outcome(one: Processed) -> str:
    """Read, or the category of what went wrong."""
    return "read" if one.failure is None else one.failure.category


if __name__ == "__main__":
    main()
