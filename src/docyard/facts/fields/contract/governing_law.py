"""The law that governs a contract."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.fields.layout.document_text import DocumentText, collapse_whitespace
from docyard.model.facts import FieldValue

# A capitalised word, even in patterns that ignore case; full stops only in abbreviations such as U.S. or D.C.
_CAPITAL = r"(?-i:(?:[A-Z]\.)+|[A-Z][\w'’-]*)"
_SHORT_NAME = r"(?-i:[A-Z][\w'’-]{1,30})"  # bounded, because no word before it marks where it begins
_PLACE = (
    rf"(?P<place>(?:the\s{{1,40}})?{_CAPITAL}"
    rf"(?:\s{{1,40}}(?:of|and|the|der|du|de)(?=\s{{1,40}}(?:the\s{{1,40}})?{_CAPITAL})"
    rf"|\s{{1,40}}{_CAPITAL}){{0,5}})"
)
_STATE = r"(?:State|Commonwealth|Province)"
_LAWS_OF = (
    r"(?:(?:internal|substantive|domestic|applicable|the)\s{1,40})*laws?\s{1,40}(?:of|in)\s{1,40}"
    rf"(?:the\s{{1,40}})?(?:{_STATE}\s{{1,40}}of\s{{1,40}})?"
)
_GOVERNED = re.compile(
    r"\b(?:govern(?:ed|ing)?|construed|interpreted|enforced|resolved|controlled|determined|subject\s{1,40}to)\b"
    r"[^;]{0,260}?\b" + _LAWS_OF + _PLACE,
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(
    r"\b(?:governed|construed|interpreted)\b[^.;]{0,120}?\b(?:by|with|under"
    r"|to)\s{1,40}(?:the\s{1,40})?(?P<place>"
    r"English|German|French|Swiss|Dutch|Italian|Spanish|Austrian|Belgian|Irish|Scottish|Scots|Canadian"
    r"|Australian|Indian|Israeli|Japanese|PRC|Chinese|Singapore|Delaware|California|New York|Texas|Florida"
    r"|Nevada|Danish|Swedish|Norwegian|Polish)\s{1,40}laws?\b",
    re.IGNORECASE,
)
_LAWS_THEREOF = re.compile(
    rf"\b(?:in|of|under)\s{{1,40}}the\s{{1,40}}{_STATE}\s{{1,40}}of\s{{1,40}}{_PLACE}[^;]{{0,200}}?"
    rf"\blaws?\s{{1,40}}(?:thereof|of\s{{1,40}}(?:that|such|said)\s{{1,40}}{_STATE})",
    re.IGNORECASE,
)
# Matches "the laws of Ohio shall govern" or "Ohio law applies".
_GOVERNS = re.compile(
    rf"\bthe\s{{1,40}}{_LAWS_OF}{_PLACE}(?:,[^.;]{{0,80}},)?\s{{1,40}}(?:(?:shall|will)\s{{1,40}})?"
    r"(?:govern|control|appl(?:y|ie))s?\b"
    rf"|(?<![\w'’-])(?P<whose>{_SHORT_NAME}(?:\s{_SHORT_NAME}){{0,2}})\s{{1,40}}law\s{{1,40}}"
    r"(?:(?:shall|will)\s{1,40})?(?:governs?|appl(?:y|ies)|controls?)\b",
    re.IGNORECASE,
)
_OTHER_LANGUAGES = re.compile(
    r"\b(?P<place>(?:[Dd]eutsche|[Öö]sterreichische|[Ss]chweizer(?:ische)?)[ns]?)\s{1,40}Rechts?\b"
    r"|\bdroit\s{1,40}(?P<loi>français|suisse|belge|luxembourgeois)\b"
    r"|\bRecht\s{1,40}der\s{1,40}(?P<land>Bundesrepublik Deutschland|Republik Österreich|Schweiz)"
    r"|\b(?:ley(?:es)?|legislación|derecho)\s{1,40}(?P<ley>español(?:as?|es)?)\b"
    r"|\b(?:legge|diritto|legislazione)\s{1,40}(?P<legge>italian[ao])\b"
    r"|\b(?P<recht>[Nn]ederlands|[Bb]elgisch)\s{1,40}recht\b"
)
_PATTERNS = ((_GOVERNED, 0.92), (_LAWS_THEREOF, 0.85), (_ADJECTIVE, 0.9), (_OTHER_LANGUAGES, 0.85), (_GOVERNS, 0.8))
_COUNTRY_BY_ADJECTIVE = {
    "english": "England", "german": "Germany", "french": "France", "swiss": "Switzerland",
    "dutch": "Netherlands", "italian": "Italy", "spanish": "Spain", "austrian": "Austria",
    "belgian": "Belgium", "irish": "Ireland", "scottish": "Scotland", "scots": "Scotland",
    "canadian": "Canada", "australian": "Australia", "indian": "India", "israeli": "Israel",
    "japanese": "Japan", "prc": "People's Republic of China", "singapore": "Singapore",
    "chinese": "People's Republic of China", "danish": "Denmark", "swedish": "Sweden",
    "norwegian": "Norway", "polish": "Poland",
}  # fmt: skip
_COUNTRY_BY_FOREIGN_WORD = {
    "deutsch": "Germany",
    "bundesrepublik deutschland": "Germany",
    "österreich": "Austria",
    "republik österreich": "Austria",
    "schweiz": "Switzerland",
    "français": "France",
    "suisse": "Switzerland",
    "belge": "Belgium",
    "luxembourgeois": "Luxembourg",
    "español": "Spain",
    "italian": "Italy",
    "nederlands": "Netherlands",
    "belgisch": "Belgium",
}
_TAIL = re.compile(
    r"\s{1,40}(?:without|and\s{1,40}the\s{1,40}federal|applicable|as|excluding|exclusive|regardless"
    r"|in\s{1,40}force|but|with"
    r"|U\.?S\.?A?\.?|USA).*$|,.*$|\.$",
    re.IGNORECASE | re.DOTALL,
)
_NEXT_CLAUSE = re.compile(
    r"\s{1,40}(?:and|in)\s{1,40}(?:shall|will|the\s{1,40}United)\b.*$|\s{1,40}(?:SECTION|ARTICLE"
    r"|Section)\b.*$",
    re.DOTALL,
)
_NOT_A_PLACE = re.compile(
    r"(?:the\s{1,40})?(?:jurisdiction|country|place|state|united states copyright|land|such|that|this|any"
    r"|parties"
    r"|section)\b",
    re.IGNORECASE,
)


def find_governing_law(document: DocumentText) -> Iterator[FieldValue]:
    """Yield the jurisdiction whose law governs the contract, as the contract names it; at most one."""
    text = document.text
    for pattern, confidence in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span(match.lastgroup or "place")
            end = _find_end(text, start, end)
            normal = _normalise_jurisdiction(text[start:end])
            if normal:
                yield document.make_field("governing_law", start, end, normal, confidence=confidence)
                return


def _find_end(text: str, start: int, end: int) -> int:
    for pattern in (_TAIL, _NEXT_CLAUSE):
        tail = pattern.search(text, start, end)
        end = tail.start() if tail and tail.start() > start else end
    return end


def _normalise_jurisdiction(written: str) -> str:
    plain = collapse_whitespace(written).strip(" .,")
    plain = re.sub(r"^the\s{1,40}|^(?:State|Commonwealth|Province)\s{1,40}of\s{1,40}", "", plain, flags=re.IGNORECASE)
    for prefix, country in _COUNTRY_BY_FOREIGN_WORD.items():
        if plain.casefold().startswith(prefix):
            return country
    if not plain or not plain[0].isupper() or _NOT_A_PLACE.match(plain):
        return ""
    if plain.casefold() in _COUNTRY_BY_ADJECTIVE:
        return _COUNTRY_BY_ADJECTIVE[plain.casefold()]
    return plain.title() if plain.isupper() and len(plain) > 4 else plain
