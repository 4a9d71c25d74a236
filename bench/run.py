"""`make bench`: Docyard's queue beside its peers, in one run on servers of its own.

QUICK=1 in the environment makes it short; ONLY="Docyard,Oban" asks some contestants only.
A full run of everybody also writes docs/speed.md and its picture.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import FrameType

from bench.chart import chart
from bench.contest import FULL, QUICK, Plan, gathered, hold
from bench.contestant import Contestant
from bench.envs import FOLDER, ROOT
from bench.micro import operations
from bench.report import details, medians, printed, settings
from bench.results import Results
from bench.servers import Postgres, postgres

_IDLE = 0.7
_BUSY = (
    ". The machine was busy with other work, so these figures are too low and their ratios uncertain: "
    "run it again on an idle one before drawing conclusions"
)
_TEMPLATE = ROOT / "bench" / "speed.template.md"


def main() -> None:
    """Measure, print, and keep."""
    quick = bool(os.environ.get("QUICK"))
    only = {name.strip() for name in os.environ.get("ONLY", "").split(",") if name.strip()}
    # Both end the contest early and report what there is; a background job would ignore the first.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    results = Results()
    load = [os.getloadavg()[0]]
    with postgres() as server:
        operation_costs = list(operations(server.create("bench_operations")))
        with gathered(server, results, only) as contestants:
            complete = _held(QUICK if quick else FULL, contestants, results)
        load.append(os.getloadavg()[0])
    machine = f"{_machine(server)}; load average {load[0]:.1f} before and {load[1]:.1f} after the run"
    if load[0] > _IDLE:
        machine += _BUSY
    print(f"\nNo-op jobs of 200 bytes; {machine}")
    print(*printed(results), sep="\n")
    print("\nSingle operations of Docyard's queue, one process, without a worker")
    print(*(f"{name:<44}{cost:>24}" for name, cost in operation_costs), sep="\n")
    _keep(results, operation_costs, machine, docs=complete and not quick and not only)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _held(plan: Plan, contestants: list[Contestant], results: Results) -> bool:
    """Whether the contest was held to its end; an interruption ends it early."""
    try:
        hold(plan, contestants, results)
    except KeyboardInterrupt:
        return False
    return True


def _machine(server: Postgres) -> str:
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        "unknown processor",
    )
    return (
        f"{os.cpu_count()} cores ({model}), PostgreSQL {server.version} with fsync and synchronous_commit on"
    )


def _keep(results: Results, costs: list[tuple[str, str]], machine: str, *, docs: bool) -> None:
    page = _TEMPLATE.read_text().format(
        command="make bench" if docs else "make bench QUICK=1",
        machine=machine,
        medians=medians(results),
        details=details(results),
        settings=settings(results),
        operations="\n".join(["| | |", "|---|---:|", *(f"| {name} | {cost} |" for name, cost in costs)]),
    )
    target, picture = FOLDER / "speed.md", FOLDER / "queue-speed.svg"
    if docs:
        target, picture = ROOT / "docs" / "speed.md", ROOT / "docs" / "pictures" / "queue-speed.svg"
    target.write_text(page)
    picture.write_text(chart(results))
    print(f"\nWritten: {target.relative_to(ROOT)}, {picture.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
