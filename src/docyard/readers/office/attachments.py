"""Files that people put into office files: other office files, or anything at all packed as an object."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.model.names import clean_name
from docyard.model.values import Attachment
from docyard.readers import zip_container
from docyard.readers.containers import OLE
from docyard.readers.office import package
from docyard.readers.office.ole_object import contents

_EMBEDDED = re.compile(r"(?:word|xl|ppt)/embeddings/[^/]+")
_CHARTS = r"(?:word|xl|ppt)/charts/[^/]+\.xml"


def listed(path: Path, limits: Limits) -> tuple[list[Attachment], list[str]]:
    """The files inside, without the data of charts and formulas, which nobody put there as files."""
    found, unreadable = [], 0
    with package.opened(path, limits) as opened:
        for name in _embedded(opened):
            try:
                content = _content(opened.zip, name, limits)
            except (Reject, *zip_container.DAMAGE):
                unreadable += 1
                continue
            if content and content[1]:
                shown = clean_name(content[0] or PurePosixPath(name).name, limits.name_bytes)
                found.append(Attachment(name, shown, len(content[1])))
    notes = [f"{unreadable:,} files inside it could not be taken out: they are damaged or too large."]
    return found, notes if unreadable else []


def member(path: Path, name: str, limits: Limits) -> bytes:
    """The bytes of one file."""
    with package.opened(path, limits) as opened:
        content = _content(opened.zip, name, limits) if _EMBEDDED.fullmatch(name) else None
        if content is None:
            raise Reject("not_found", "There is no such file inside.")
        return content[1]


def _embedded(opened: package.Package) -> Iterator[str]:
    names = [name for name in opened.zip.NameToInfo if _EMBEDDED.fullmatch(name)]
    if not names:
        return
    of_charts = {target for chart in opened.named(_CHARTS) for _, target in opened.relations(chart).values()}
    yield from (name for name in names if name not in of_charts)


def _content(zipped: zipfile.ZipFile, name: str, limits: Limits) -> tuple[str, bytes] | None:
    """The name, where the object tells one, and the bytes; None for what is no file of its own."""
    data = zip_container.read_if_there(zipped, name, limits)
    if data is None:
        return None
    return contents(data, limits) if data.startswith(OLE) else ("", data)
