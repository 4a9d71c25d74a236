"""Office Open XML packages: the parts of a zip file, and the relationships between them."""

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
from docyard.readers import xml_tree, zip_archive
from docyard.readers.xml_tree import Element


@dataclass(frozen=True, slots=True)
class Package:
    """An open package; its parts are read by name, within the limits."""

    zip: zipfile.ZipFile
    limits: Limits

    def parse_part(self, name: str | None) -> Element | None:
        """Return the root element of a part, or None if the part does not exist."""
        data = zip_archive.read_optional_member(self.zip, name, self.limits) if name else None
        return xml_tree.parse(data) if data else None

    def read_part(self, name: str) -> bytes | None:
        """Return the bytes of a part, or None if the part does not exist."""
        return zip_archive.read_optional_member(self.zip, name, self.limits)

    @contextmanager
    def open_part(self, name: str) -> Iterator[BinaryIO]:
        """Open a part for incremental parsing, after checking that it has no DTD."""
        with zip_archive.open_member(self.zip, name, self.limits) as stream:
            xml_tree.reject_dtd(stream)
        with zip_archive.open_member(self.zip, name, self.limits) as stream:
            yield stream

    def find_parts(self, pattern: str) -> list[str]:
        """Return the names of the parts that match a pattern; numbered names are in numeric order."""
        found = [name for name in self.zip.NameToInfo if re.fullmatch(pattern, name)]
        return sorted(found, key=lambda name: (len(name), name))

    def read_relationships(self, part: str) -> dict[str, tuple[str, str]]:
        """Return the type and target of each relationship of a part, by id, without external targets."""
        folder, _, name = part.rpartition("/")
        root = self.parse_part(posixpath.join(folder, "_rels", f"{name}.rels"))
        return {
            each.attrib.get("Id", ""): (
                each.attrib.get("Type", "").rpartition("/")[2],
                _resolve_target(folder, each.attrib.get("Target", "")),
            )
            for each in xml_tree.child_elements(root)
            if each.attrib.get("TargetMode") != "External"
        }

    def find_related(self, part: str, kind: str) -> list[str]:
        """Return the targets of a part's relationships of this type."""
        return [target for found, target in self.read_relationships(part).values() if found == kind]

    def read_title(self) -> str | None:
        """Return the title from the core properties, or None."""
        found = xml_tree.child(self.parse_part("docProps/core.xml"), "title")
        return None if found is None else found.text


@contextmanager
def open_package(path: Path, limits: Limits) -> Iterator[Package]:
    """Open the package in a file."""
    with zip_archive.open_archive(path, limits) as zipped:
        yield Package(zipped, limits)


def find_main_part(package: Package, usual: str) -> str:
    """Return the name of the main document part: the declared one, or else the usual one."""
    for name in [*package.find_related("", "officeDocument"), usual]:
        if name in package.zip.NameToInfo:
            return name
    raise Reject("corrupt", "The file is damaged: its main document part is missing.")


def _resolve_target(folder: str, target: str) -> str:
    joined = target[1:] if target.startswith("/") else posixpath.join(folder, target)
    return posixpath.normpath(joined)
