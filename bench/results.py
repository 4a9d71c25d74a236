"""What was measured: repetitions per question and contestant, and what they come to."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Question:
    """One column of figures."""

    title: str
    unit: str
    more_is_better: bool = True
    decimals: int = 0

    def show(self, value: float) -> str:
        """A value as it is printed."""
        return f"{value:,.{self.decimals}f}"


SINGLE = Question("enqueue one by one", "jobs/s")
BULK = Question("enqueue 1,000 a call", "jobs/s")
BURN = {n: Question(f"burn-down, {n} process{'es' if n > 1 else ''}", "jobs/s") for n in (1, 2)}
PICKUP = {
    50: Question("pickup p50", "ms", more_is_better=False, decimals=1),
    99: Question("pickup p99", "ms", more_is_better=False, decimals=1),
}
FIRST = {
    waiting: Question(f"first 2,000 jobs, {label} more waiting", "jobs/s")
    for waiting, label in ((1_000, "1k"), (100_000, "100k"), (1_000_000, "1M"))
}
RECOVERY = Question("killed worker's jobs run again", "s", more_is_better=False, decimals=1)
QUESTIONS = (SINGLE, BULK, *BURN.values(), *PICKUP.values(), *FIRST.values(), RECOVERY)


@dataclass
class Results:
    """Every figure of a run."""

    contestants: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    figures: dict[tuple[Question, str], list[float]] = field(default_factory=dict)
    remarks: dict[tuple[Question, str], str] = field(default_factory=dict)

    def add(self, question: Question, contestant: str, values: Iterable[float]) -> None:
        """Keep further repetitions."""
        self.figures.setdefault((question, contestant), []).extend(values)

    def asked(self) -> list[Question]:
        """The questions to which this run has an answer."""
        return [question for question in QUESTIONS if any(key[0] == question for key in self.figures)]

    def median(self, question: Question, contestant: str) -> float | None:
        """The median of the repetitions; None when there is none."""
        values = self.figures.get((question, contestant))
        return statistics.median(values) if values else None

    def spread(self, question: Question, contestant: str) -> tuple[float, float]:
        """The least and the greatest repetition."""
        values = self.figures[question, contestant]
        return min(values), max(values)

    def shown(self, question: Question, contestant: str) -> str:
        """The median as text, or why there is none."""
        value = self.median(question, contestant)
        remark = self.remarks.get((question, contestant), "—")
        return remark if value is None else question.show(value)

    def lead(self, question: Question, contestant: str, over: str) -> float | None:
        """How many times better `contestant` is than `over`."""
        ours, theirs = self.median(question, contestant), self.median(question, over)
        if not ours or not theirs:
            return None
        return ours / theirs if question.more_is_better else theirs / ours
