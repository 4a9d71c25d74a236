"""A child reads many files. What it says about one must not depend on those that it read before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from PIL import Image

from docyard.errors import Failure
from docyard.model.limits import Limits
from docyard.pipeline.children import ChildPool
from tests.builders import child_functions
from tests.builders.heic_files import make_heic
from tests.builders.images import encode_image, encode_tiff, make_empty_png, make_tiff
from tests.builders.office.binary_sheets import encrypted_xls
from tests.builders.office.packages import docx, paragraph
from tests.builders.pdf.pdfs import PdfPage, assemble_pdf, make_pdf, make_text_pdf

_HEIC_ROWS = [bytes([40, 80]), bytes([10, 20])]


def make_files() -> dict[str, bytes]:
    picture = Image.effect_noise((60, 40), 90)
    return {
        "good.pdf": make_text_pdf(["A line of text"]),
        "locked.pdf": make_pdf([PdfPage(["A secret"])], password="a password"),
        "unknown encryption.pdf": make_pdf([PdfPage(["A secret"])], locked=True),
        "cut.pdf": b"%PDF-1.7\n1 0 obj\n<<",
        "no pages.pdf": assemble_pdf([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"]),
        "broken page.pdf": make_pdf([PdfPage(["A line"]), PdfPage(["Another"], broken=True)]),
        "cut.docx": docx(paragraph("A letter"))[:-200],
        "locked.xls": encrypted_xls(),
        "good.png": encode_image(picture),
        "cut.png": encode_image(picture)[:-600],
        "cut.jpg": encode_image(picture, "JPEG")[:-400],
        "good.tif": encode_tiff(picture, picture),
        "jbig.tif": make_tiff(34661),
        "huge.png": make_empty_png(17_000),
        "good.heic": make_heic(_HEIC_ROWS),
        "damaged.heic": make_heic(_HEIC_ROWS, damaged=[0]),
    }


def read(pool: ChildPool, path: Path) -> object:
    try:
        return pool.call(child_functions.read_whole_file, path, seconds=60)
    except Failure as failure:
        return failure.category, failure.message


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("files")
    for name, content in make_files().items():
        (folder / name).write_bytes(content)
    return sorted(folder.iterdir())


@pytest.fixture
def single(limits: Limits) -> Iterator[ChildPool]:
    with ChildPool(1, limits) as pool:
        yield pool


def test_the_outcome_of_a_file_does_not_depend_on_the_file_before(
    files: list[Path], single: ChildPool, limits: Limits
) -> None:
    with ChildPool(1, replace(limits, child_documents=1)) as fresh:
        expected = {path: read(fresh, path) for path in files}
    assert len({str(outcome) for outcome in expected.values()}) > 8
    light = [path for path in files if path.name != "huge.png"]  # it ends its child: the next test reads it
    for before, after in product(light, light):
        read(single, before)
        assert (before.name, after.name, read(single, after)) == (before.name, after.name, expected[after])


def test_a_child_without_memory_reads_no_other_file(files: list[Path], single: ChildPool) -> None:
    huge, good = (next(path for path in files if path.name == name) for name in ("huge.png", "good.pdf"))
    before = single.call(child_functions.get_process_id, seconds=20)
    assert read(single, huge) == ("out_of_memory", "Reading the file took more memory than allowed.")
    assert single.call(child_functions.get_process_id, seconds=20) != before
    assert "A line of text" in str(read(single, good))
