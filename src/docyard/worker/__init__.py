"""Workers: they claim what they have free slots for, run it, and give back what they cannot finish."""

from docyard.worker.options import WorkerOptions
from docyard.worker.worker import run_worker

__all__ = ["WorkerOptions", "run_worker"]
