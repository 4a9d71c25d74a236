"""Entry point of `python -m docyard`."""

from docyard.cli import main

main()
