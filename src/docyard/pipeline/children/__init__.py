"""The pool of confined child processes in which files are read; a reader may crash there without harm."""

from docyard.pipeline.children.pool import ChildPool

__all__ = ["ChildPool"]
