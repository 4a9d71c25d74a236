"""How well receipts are read, upright and turned, beside tesseract where it is installed.

python eval/turned_receipts.py FOLDER [PROGRAM] reads FOLDER/img/*.jpg; the truth is FOLDER/box/*.csv, eight
coordinates and the text of a box a line. Errors are counted without case and space.
"""

from __future__ import annotations

import io
import os
import random
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from docyard.engines import images
from docyard.engines.ocr import paddle

Read = Callable[[Any], str]
TURNS = ("0°", "5°", "90°", "180°", "skewed")


class Score(NamedTuple):
    """Errors and letters, words found and words there, and the CPU seconds it took."""

    errors: int
    letters: int
    found: int
    words: int
    seconds: float


def main() -> None:
    """Print one table."""
    folder = Path(sys.argv[1])
    program = shutil.which(sys.argv[2] if len(sys.argv) > 2 else "tesseract")
    readers: dict[str, Read] = {"docyard": ours}
    if program:
        readers["tesseract"] = lambda image: tesseract(image, program)
    print(f"{'turned':8}{'engine':12}{'CER':>7}  {'95 %':<15}{'words found':>12}{'CPU s/page':>12}")
    for turn in TURNS:
        for name, read in readers.items():
            scores = [score(path, turn, read) for path in sorted((folder / "img").glob("*.jpg"))]
            low, high = interval(scores)
            seconds = sum(one.seconds for one in scores) / len(scores)
            shown = f"{low:.4f}–{high:.4f}"
            print(f"{turn:8}{name:12}{cer(scores):7.4f}  {shown:<15}{recall(scores):12.3f}{seconds:12.2f}")


def score(path: Path, turn: str, read: Read) -> Score:
    """One receipt, turned and read."""
    image = turned(images.open_page(path, "image/jpeg", 1).image, turn)
    before = cpu()
    text = read(image)
    seconds = cpu() - before
    right = truth(path.parent.parent / "box" / f"{path.stem}.csv")
    wanted, got = (Counter(one.casefold().split()) for one in (right, text))
    one, other = ("".join(each.split()).casefold() for each in (right, text))
    return Score(distance(one, other), len(one), (wanted & got).total(), wanted.total(), seconds)


def ours(image: Any) -> str:
    """What Docyard reads."""
    return "\n".join(" ".join(word.text for word in line.words) for line in paddle.read(image))


def tesseract(image: Any, program: str) -> str:
    """What tesseract reads, told that it is one block of lines, which serves receipts best."""
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    command = [program, "stdin", "stdout", "--psm", "6"]
    environ = {**os.environ, "OMP_THREAD_LIMIT": "1"}  # its threads wait busily: three times the CPU seconds
    done = subprocess.run(command, input=file.getvalue(), capture_output=True, check=True, env=environ)
    return done.stdout.decode()


def turned(image: Any, turn: str) -> Any:
    """The picture on a larger white one, turned."""
    if turn == "skewed":
        width, height = image.size
        slanted = (1, 0, 0, -0.05, 1, 0)
        size = (width, height + round(width * 0.05))
        return image.transform(
            size, Image.Transform.AFFINE, slanted, Image.Resampling.BICUBIC, fillcolor="white"
        )
    degrees = float(turn.removesuffix("°"))
    return image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor="white")


def truth(path: Path) -> str:
    """The boxes as lines from the top down, each from left to right."""
    rows: list[list[tuple[int, float, float, str]]] = []
    boxes = []
    for line in path.read_text(errors="replace").splitlines():
        *numbers, text = line.split(",", 8)
        if len(numbers) == 8:
            xs, ys = [int(x) for x in numbers[::2]], [int(y) for y in numbers[1::2]]
            boxes.append((min(xs), (min(ys) + max(ys)) / 2, float(max(ys) - min(ys)), text))
    for box in sorted(boxes, key=lambda box: box[1]):
        beside = [row for row in rows if abs(middle(row) - box[1]) < 0.5 * min(box[2], *(o[2] for o in row))]
        if beside:
            beside[0].append(box)
        else:
            rows.append([box])
    return "\n".join(" ".join(box[3] for box in sorted(row)) for row in sorted(rows, key=middle))


def middle(row: list[tuple[int, float, float, str]]) -> float:
    """How far down a line stands."""
    return sum(box[1] for box in row) / len(row)


def distance(one: str, other: str) -> int:
    """The fewest letters to change, add or drop."""
    before = list(range(len(other) + 1))
    for count, letter in enumerate(one, start=1):
        row = [count]
        for at, wanted in enumerate(other):
            row.append(min(before[at + 1] + 1, row[at] + 1, before[at] + (letter != wanted)))
        before = row
    return before[-1]


def cer(scores: list[Score]) -> float:
    """Errors a letter, over all receipts together."""
    return sum(one.errors for one in scores) / sum(one.letters for one in scores)


def recall(scores: list[Score]) -> float:
    """The share of words that were found."""
    return sum(one.found for one in scores) / sum(one.words for one in scores)


def interval(scores: list[Score]) -> tuple[float, float]:
    """Where the rate lies in 95 of 100 draws of as many receipts from these."""
    dice = random.Random(1)  # noqa: S311 - a run must be repeatable
    drawn = sorted(cer(dice.choices(scores, k=len(scores))) for _ in range(1000))
    return drawn[25], drawn[974]


def cpu() -> float:
    """Seconds of computing so far, here and in programs that were run."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main()
