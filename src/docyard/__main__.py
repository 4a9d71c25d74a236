"""`python -m docyard`."""

from docyard.cli import main

main()
