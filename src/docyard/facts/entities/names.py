"""Organisations found by their legal form, and people found by a title, a signature or a label."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.legal_forms import FORM, KEY_WORDS, has_own_dot, is_ordinary_word
from docyard.facts.notation.months import is_month
from docyard.facts.notation.person_names import PARTICLE, TITLE
from docyard.facts.notation.plain_name import normalise_name

_WORD = r"(?:[A-ZÄÖÜÉÈÀÅØ0-9](?:[\w’'/+&-]|\.(?=\w))*|(?:[A-Z]\.)+|(?:St|Ins|Bros|Mfg|Intl|Assn|Natl|Mt|Ft|Am)\.)"
_CONNECTOR = r"(?:\s+(?:of|the|for|de|du|des|la|le|di|der|die|das|&|\+)){1,2}"
_COMPANY = re.compile(
    rf"(?<![\w@./-])(?P<name>{_WORD}(?:(?:(?:{_CONNECTOR})?[ \t\u00a0]+|,\s(?=[A-Z]\w+\s&)){_WORD}){{0,7}}?)"
    rf"(?:,?\s+|\s+&\s+)(?P<form>(?:{FORM})\.?)(?![\w-]|\sAct\b)"
)
_OPENING_WORD = (
    r"(?:The|This|That|These|By|And|Or|Of|In|On|At|To|For|From|With|Between|Whereas|WHEREAS|Each|Any|All"
    r"|Such|If|As|When|An?|It|Its|Our|Your|Their"
    r"|Der|Die|Das|Den|Dem|Des|Ein|Eine|Und|Bei|Von|Vom|Zur|Zum|Mit|Für|Firma|Le|La|Les|L'|Et|De|BETWEEN"
    r"|AND|THE|BY|OF|TO|FOR|Attention|Attn)"
)
_OPENING_WORDS = re.compile(rf"^(?:(?:{_OPENING_WORD}|\d+)\s+)+")
_ENDS_IN_OPENING_WORD = re.compile(rf"(?:^|\s){_OPENING_WORD}$")
# Words for the kind or the role of a company; they do not identify it.
_GENERIC_WORDS = frozenset(
    """a agent an any borrower buyer client contractor customer each employer foreign guarantor holding i ii
    insurance investment issuer joint landlord lender lessee lessor liability licensee licensor limited listed
    management new operating other owner parent party parties portfolio private public purchaser said seller
    stock subsidiary such supplier surviving target tenant the this trust vendor""".split()  # noqa: SIM905 (a word list)
)

_NAME = (
    r"(?:[A-ZÄÖÜÉ][a-zäöüßéèáíóúñçøåëïã]+(?:[-’'][A-ZÄÖÜÉ]?[a-zäöüßéèáíóú]+)*|Mc[A-Z][a-z]+|Mac[A-Z][a-z]+"
    r"|O['’][A-Z][a-z]+|De[A-Z][a-z]+)"
)
_MIDDLE = rf"(?:[A-Z]\.(?:\s?[A-Z]\.)*|{PARTICLE})"
_FULL_NAME = rf"{_NAME}(?:\s(?:{_MIDDLE}\s)*{_NAME}){{0,3}}|[A-Z]\.(?:\s?[A-Z]\.)*\s{_NAME}(?:\s{_NAME})?"
_RANK = r"(?:(?:Chief|Magistrate|District|Circuit|Senior|Presiding)\s)*(?:Judge|Justice)"
_TITLED = re.compile(
    rf"(?<!\w)(?:{TITLE}|{_RANK})\s(?:(?:Dr|Prof|Ing|jur|med|h|c|Dipl)\.\s?-?)*(?P<name>{_FULL_NAME})(?!\w|\s*:)"
)
_SIGNED_OR_LABELLED = re.compile(
    r"(?:/s/|[Ss]igned\s(?:by|for):?|(?<!\w)(?:Name|Attn|Attention|Ansprechpartner(?:in)?"
    r"|Bearbeiter(?:in)?|Contact|Prepared\sby|Technician|Inspector|Author):)\s*"
    rf"(?P<name>{_NAME}(?:[ \t](?:{_MIDDLE}[ \t])*{_NAME}){{1,3}})(?!\w|\s*:)"
)
_BEFORE_JUDGE = re.compile(
    rf"(?<!\w)(?P<name>{_FULL_NAME}|[A-Z]{{3,}}(?:\s[A-Z]{{2,}})*),\s(?:(?:Chief|Circuit|District|Presiding"
    r"|Associate|Senior|Magistrate)\s)*(?:Judges?|Justice|C\.?J\.|J\.)(?!\w)"
)
_NOT_A_NAME = {
    "Dr",
    "Prof",
    "The",
    "This",
    "Court",
    "Judge",
    "State",
    "Department",
    "District",
    "United",
    "Chief",
    "President",
    "Honor",
}


def find_companies(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield names that end in a legal form; the form is part of the name."""
    for match in _COMPANY.finditer(text):
        lead = _OPENING_WORDS.match(match["name"])
        start = match.start("name") + (lead.end() if lead else 0)
        name = text[start : match.end("name")]
        if not _is_specific(name):
            continue
        form = match["form"]
        end = match.end("form") - (form[-1] == "." and not has_own_dot(form))
        confidence = 0.75 if is_ordinary_word(form) else 0.92
        yield NamedSpan("organisation", start, end, normalise_name(text[start:end]), confidence)


def _is_specific(name: str) -> bool:
    words = {word.lower() for word in re.findall(r"\w+", name) if not word.isdigit()}
    return bool(words - _GENERIC_WORDS - KEY_WORDS.keys()) and not _ENDS_IN_OPENING_WORD.search(name)


def find_people(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield names next to a title, a signature or a label; the title is not part of the name."""
    for pattern, confidence in ((_TITLED, 0.9), (_SIGNED_OR_LABELLED, 0.9), (_BEFORE_JUDGE, 0.85)):
        for match in pattern.finditer(text):
            first = match["name"].split()[0]
            if first.title() not in _NOT_A_NAME and not is_month(first):
                start, end = match.span("name")
                yield NamedSpan("person", start, end, normalise_name(match["name"]), confidence)
