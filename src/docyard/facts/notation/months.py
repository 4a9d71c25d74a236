"""The names of months in the languages whose documents are common here."""

from __future__ import annotations

_FULL = """
    1 january januar jänner janvier enero gennaio januari janeiro styczeń stycznia
    2 february februar feber février fevrier febrero febbraio februari fevereiro luty lutego
    3 march märz maerz mars marzo maart março marzec marca
    4 april avril abril aprile kwiecień kwietnia
    5 may mai mayo maggio mei maio maj maja
    6 june juni juin junio giugno junho czerwiec czerwca
    7 july juli juillet julio luglio julho lipiec lipca
    8 august août aout agosto augustus sierpień sierpnia
    9 september septembre septiembre setiembre settembre setembro wrzesień września
    10 october oktober octobre octubre ottobre outubro październik października
    11 november novembre noviembre novembro listopad listopada
    12 december dezember décembre decembre diciembre dicembre dezembro grudzień grudnia
"""
_SHORT = """
    1 jan janv
    2 feb febr févr fév
    3 mar mrz mär
    4 apr avr abr
    6 jun
    7 jul juil
    8 aug
    9 sep sept
    10 oct okt
    11 nov
    12 dec dez déc
"""
# Short forms that are words of other languages: they name a month beside a day, never beside a year alone.
_WORDS_TOO = """
    1 ene gen
    5 mag
    6 giu
    7 lug
    8 ago
    9 set
    10 ott out
    12 dic
"""


def _numbers(*lists: str) -> dict[str, int]:
    rows = (row.split() for names in lists for row in names.strip().splitlines())
    return {name: int(number) for number, *names in rows for name in names}


MONTHS = _numbers(_FULL, _SHORT, _WORDS_TOO)
WORDS_TOO = frozenset(_numbers(_WORDS_TOO))


def _any(names: dict[str, int]) -> str:
    """Longest first, so that "March" is not read as "Mar"."""
    return "|".join(sorted(names, key=len, reverse=True))


ANY_MONTH = _any(MONTHS)
MONTH_ALONE = _any(_numbers(_FULL, _SHORT))


def month(name: str) -> int:
    """The number of a month by a name that one of the patterns found."""
    return MONTHS[name.casefold().rstrip(".")]
