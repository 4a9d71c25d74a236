"""`docyard doctor`: check an installation and report how to fix it."""

from __future__ import annotations

import click

from docyard.cli.doctor.checks import run_checks
from docyard.cli.doctor.findings import FAIL, OK, WARN
from docyard.cli.options import json_option
from docyard.cli.output import print_json
from docyard.settings import Settings

_SIGNS = {OK: ("✓", "green"), WARN: ("!", "yellow"), FAIL: ("✗", "red")}


@click.command()
@json_option
@click.pass_obj
def doctor(settings: Settings, as_json: bool) -> None:
    """Check this installation and report what to fix.

    The exit code is 3 if a check fails; warnings do not change it.
    """
    findings = run_checks(settings)
    if as_json:
        print_json([{"check": f.check, "state": f.state, "words": f.words} for f in findings])
    else:
        for finding in findings:
            sign, colour = _SIGNS[finding.state]
            click.secho(f"{sign} {finding.check}: {finding.words}", fg=colour)
    if any(finding.state == FAIL for finding in findings):
        raise SystemExit(3)
