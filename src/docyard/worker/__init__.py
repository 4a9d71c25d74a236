"""Workers: processes that claim jobs for their free slots, run and settle them, and do upkeep."""

from docyard.worker.options import WorkerOptions
from docyard.worker.worker import run_worker

__all__ = ["WorkerOptions", "run_worker"]
