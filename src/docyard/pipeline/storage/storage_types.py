"""The storage of stage values by type; by default, a value is stored as JSON in its stage result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from docyard.db import Connection
from docyard.errors import Retry
from docyard.model.documents import Document
from docyard.model.stage_value import StageValue
from docyard.pipeline.stage_order import filter_current
from docyard.stages import STAGES
from docyard.store import results

_VALUE_KEY = "value"


def save_nothing(conn: Connection, document: Document, value: StageValue) -> None:
    """Save nothing, for values that are stored elsewhere."""
    del conn, document, value


def _cannot_load(conn: Connection, document: Document) -> StageValue:
    del conn
    raise TypeError(f"this type of value cannot be loaded for document {document.id}")


def _no_facts(value: Any) -> dict[str, object]:
    raise TypeError(f"no stage makes values of type {type(value).__name__}")


@dataclass(frozen=True, slots=True)
class Storage:
    """Functions that return the facts of a value for its stage result, save the value, and load it."""

    facts: Callable[[Any], dict[str, object]] = _no_facts
    save: Callable[[Connection, Document, Any], None] = save_nothing
    load: Callable[[Connection, Document], StageValue] = _cannot_load


@cache
def make_result_storage(kind: type) -> Storage:
    """Return a storage that keeps values of this type as JSON in the result of the stage that outputs them.

    If no stage outputs them, `facts` and `load` of the storage raise TypeError.
    """
    maker = next((stage.name for stage in STAGES if stage.output is kind), None)
    if maker is None:
        return Storage()
    from pydantic import TypeAdapter  # slow to import, and no built-in stage needs it

    adapter: TypeAdapter[StageValue] = TypeAdapter(kind)

    def load(conn: Connection, document: Document) -> StageValue:
        for result in filter_current(results.load_stage_results(conn, document.id)):
            if result.stage == maker and _VALUE_KEY in result.facts:
                return adapter.validate_python(result.facts[_VALUE_KEY])
        raise Retry("internal", f"The result of the stage {maker} is missing.")

    return Storage(facts=lambda value: {_VALUE_KEY: adapter.dump_python(value, mode="json")}, load=load)
