"""The `docyard` command: tables and progress for users, --json and exit codes for programs."""

from docyard.cli.main import main

__all__ = ["main"]
