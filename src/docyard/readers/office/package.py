"""Office Open XML packages: parts of a zip file, and the relations by which they name one another."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from docyard.errors import Reject
from docyard.model.limits import Limits
from docyard.readers import xml_tree, zip_container
from docyard.readers.xml_tree import Element


@dataclass(frozen=True, slots=True)
class Package:
    """An open package; parts are read by name and never beyond the limits."""

    zip: zipfile.ZipFile
    limits: Limits

    def tree(self, name: str | None) -> Element | None:
        """The root of a part, or None when it is not there."""
        data = zip_container.read_if_there(self.zip, name, self.limits) if name else None
        return xml_tree.parse(data) if data else None

    def data(self, name: str) -> bytes | None:
        """The bytes of a part, or None when it is not there."""
        return zip_container.read_if_there(self.zip, name, self.limits)

    @contextmanager
    def stream(self, name: str) -> Iterator[BinaryIO]:
        """A part that is safe to be parsed as it arrives."""
        with zip_container.part(self.zip, name, self.limits) as stream:
            xml_tree.refuse_dtd(stream)
        with zip_container.part(self.zip, name, self.limits) as stream:
            yield stream

    def named(self, pattern: str) -> list[str]:
        """The parts whose names fit, in the order of their numbers."""
        found = [name for name in self.zip.NameToInfo if re.fullmatch(pattern, name)]
        return sorted(found, key=lambda name: (len(name), name))

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Kind and target of each relation of a part, by id; those that lead outside are left out."""
        folder, _, name = part.rpartition("/")
        root = self.tree(posixpath.join(folder, "_rels", f"{name}.rels"))
        return {
            each.attrib.get("Id", ""): (
                each.attrib.get("Type", "").rpartition("/")[2],
                _inside(folder, each.attrib.get("Target", "")),
            )
            for each in xml_tree.inside(root)
            if each.attrib.get("TargetMode") != "External"
        }

    def related(self, part: str, kind: str) -> list[str]:
        """The parts that a part names as being of that kind."""
        return [target for found, target in self.relations(part).values() if found == kind]

    def title(self) -> str | None:
        """The title that its author gave it."""
        found = xml_tree.child(self.tree("docProps/core.xml"), "title")
        return None if found is None else found.text


@contextmanager
def opened(path: Path, limits: Limits) -> Iterator[Package]:
    """The package of a file."""
    with zip_container.opened(path, limits) as zipped:
        yield Package(zipped, limits)


def main_part(package: Package, usual: str) -> str:
    """The part that holds the document; most programs give it its usual name."""
    for name in [*package.related("", "officeDocument"), usual]:
        if name in package.zip.NameToInfo:
            return name
    raise Reject("corrupt", "The file is damaged: the document inside is missing.")


def _inside(folder: str, target: str) -> str:
    joined = target[1:] if target.startswith("/") else posixpath.join(folder, target)
    return posixpath.normpath(joined)
