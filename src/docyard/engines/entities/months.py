"""Names of months in the languages whose dates are read."""

from __future__ import annotations

_NAMES = {
    "en": "january february march april may june july august september october november december",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
}
_SHORT = {
    "en": "jan feb mar apr may jun jul aug sep oct nov dec",
    "de": "jan feb mrz apr mai jun jul aug sep okt nov dez",
    "fr": "janv févr mars avr mai juin juil août sept oct nov déc",
}
_OTHER = {
    "sept": 9,
    "jänner": 1,
    "feber": 2,
    "maerz": 3,
    "fevrier": 2,
    "aout": 8,
    "decembre": 12,
    "setiembre": 9,
}

MONTHS: dict[str, int] = {
    name: number
    for names in (*_NAMES.values(), *_SHORT.values())
    for number, name in enumerate(names.split(), start=1)
} | _OTHER

# The longest first, so that "june" is not read as "jun" and an "e".
ANY_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
