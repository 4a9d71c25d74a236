"""How a type of stage value is kept; a new type needs nothing but its dataclass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from docyard.db import Connection
from docyard.errors import Retry
from docyard.model.documents import Document
from docyard.model.stage_value import StageValue
from docyard.pipeline.road import current
from docyard.stages import STAGES
from docyard.store import results

_VALUE = "value"


def nothing_to_save(conn: Connection, document: Document, value: StageValue) -> None:
    """Everything about the value is in the facts of its result."""
    del conn, document, value


def _cannot_load(conn: Connection, document: Document) -> StageValue:
    del conn
    raise TypeError(f"a value of document {document.id} cannot be loaded")


def _no_facts(value: Any) -> dict[str, object]:
    raise TypeError(f"{type(value).__name__} is not given by any stage")


@dataclass(frozen=True, slots=True)
class Storage:
    """The facts to keep with a stage's result, and how to save and load the value itself."""

    facts: Callable[[Any], dict[str, object]] = _no_facts
    save: Callable[[Connection, Document, Any], None] = nothing_to_save
    load: Callable[[Connection, Document], StageValue] = _cannot_load


@cache
def result_storage(kind: type) -> Storage:
    """Keeps a value whole, as JSON, in the result of the stage that gives it."""
    giver = next((stage.name for stage in STAGES if stage.gives is kind), None)
    if giver is None:
        return Storage()
    from pydantic import TypeAdapter  # heavy, and no stage of ours needs it

    adapter: TypeAdapter[StageValue] = TypeAdapter(kind)

    def load(conn: Connection, document: Document) -> StageValue:
        for result in current(results.stage_results(conn, document.id)):
            if result.stage == giver and _VALUE in result.facts:
                return adapter.validate_python(result.facts[_VALUE])
        raise Retry("internal", f"The result of the stage {giver} is missing.")

    return Storage(facts=lambda value: {_VALUE: adapter.dump_python(value, mode="json")}, load=load)
