"""Confined child processes that read files, so that a crash of a reader does not affect the worker."""

from docyard.pipeline.children.pool import ChildPool

__all__ = ["ChildPool"]
