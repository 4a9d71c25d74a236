"""`make bench`: Docyard's queue compared with its peers, in one run on temporary servers.

QUICK=1 in the environment makes it shorter; ONLY="Docyard,Oban" measures only these contestants.
A full run of all contestants that is not interrupted writes docs/measurements/speed.md and its chart; other
runs write to build/bench.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import FrameType

from bench.chart import chart
from bench.contest import FULL, QUICK, Plan, run_contest, start_contestants
from bench.contestant import Contestant
from bench.envs import FOLDER, ROOT
from bench.micro import operations
from bench.report import details, format_report, medians, settings
from bench.results import Results
from bench.servers import Postgres, postgres

_MAX_IDLE_LOAD = 0.7
_BUSY = (
    ". The machine had other load, so these figures are too low and their ratios are uncertain; "
    "repeat the run on an idle machine before drawing conclusions"
)
_TEMPLATE = ROOT / "bench" / "speed.template.md"


def main() -> None:
    """Measure, print the results and write the page."""
    quick = bool(os.environ.get("QUICK"))
    only = {name.strip() for name in os.environ.get("ONLY", "").split(",") if name.strip()}
    # Both signals end the contest early, and the results so far are reported. SIGTERM is handled too,
    # because background jobs of a shell ignore SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    results = Results()
    load = [os.getloadavg()[0]]
    with postgres() as server:
        operation_costs = list(operations(server.create("bench_operations")))
        with start_contestants(server, results, only) as contestants:
            complete = _run_to_end(QUICK if quick else FULL, contestants, results)
        load.append(os.getloadavg()[0])
    machine = f"{_describe_machine(server)}; load average {load[0]:.1f} before and {load[1]:.1f} after the run"
    if load[0] > _MAX_IDLE_LOAD:
        machine += _BUSY
    print(f"\nNo-op jobs of 200 bytes; {machine}")
    print(*format_report(results), sep="\n")
    print("\nSingle operations of Docyard's queue, one process, without a worker")
    print(*(f"{name:<44}{cost:>24}" for name, cost in operation_costs), sep="\n")
    _write_page(results, operation_costs, machine, docs=complete and not quick and not only)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _run_to_end(plan: Plan, contestants: list[Contestant], results: Results) -> bool:
    """Run the contest, and return whether it was complete; an interrupt ends it early."""
    try:
        run_contest(plan, contestants, results)
    except KeyboardInterrupt:
        return False
    return True


def _describe_machine(server: Postgres) -> str:
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        "unknown processor",
    )
    return f"{os.cpu_count()} cores ({model}), PostgreSQL {server.version} with fsync and synchronous_commit on"


def _write_page(results: Results, costs: list[tuple[str, str]], machine: str, *, docs: bool) -> None:
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
        target, picture = (ROOT / "docs" / "measurements" / "speed.md", ROOT / "docs" / "pictures" / "queue-speed.svg")
    target.write_text(page)
    picture.write_text(chart(results))
    print(f"\nWritten: {target.relative_to(ROOT)}, {picture.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
