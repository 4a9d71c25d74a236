"""The command line: tables and progress for people, --json for programs, exit codes that mean something."""

from docyard.cli.main import main

__all__ = ["main"]
