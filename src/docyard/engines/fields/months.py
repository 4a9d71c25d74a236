"""The names of months in the languages whose documents are common here."""

from __future__ import annotations

_NAMES = """
    1 january jan january januar jänner janvier janv enero ene gennaio gen januari janeiro styczeń stycznia
    2 february feb febr februar feber février févr fév febrero febbraio februari fevereiro luty lutego
    3 march mar märz mär mrz mars marzo maart março marzec marca
    4 april apr avril avr abril abr aprile kwiecień kwietnia
    5 may mai mayo maggio mag mei maio maj maja
    6 june jun juni juin junio giugno giu junho czerwiec czerwca
    7 july jul juli juillet juil julio luglio lug julho lipiec lipca
    8 august aug août aout agosto ago augustus sierpień sierpnia
    9 september sep sept septembre septiembre settembre set setembro wrzesień września
    10 october oct oktober okt octobre octubre ottobre ott oktober outubro out październik października
    11 november nov novembre noviembre novembro listopad listopada
    12 december dec dezember dez décembre déc diciembre dic dicembre dezembro grudzień grudnia
"""


def _numbers() -> dict[str, int]:
    found: dict[str, int] = {}
    for row in _NAMES.strip().splitlines():
        number, *names = row.split()
        found.update((name, int(number)) for name in names)
    return found


MONTHS = _numbers()
# Longest first, so that "March" is not read as "Mar".
PATTERN = "|".join(sorted(MONTHS, key=len, reverse=True))


def month(name: str) -> int:
    """The number of a month by a name that `PATTERN` found."""
    return MONTHS[name.casefold().rstrip(".")]
