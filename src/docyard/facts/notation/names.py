"""The end of the name of a company or person in a sentence."""

from __future__ import annotations

import re

from docyard.facts.notation.legal_forms import CERTAIN_FORM, FORM, LOWER_CASE_FORM, TAIL_AFTER_FORM

# In the names of contract parties, "Trust" and "Bank" count as legal forms.
LEGAL_FORM = rf"(?:{FORM}|Trust|TRUST|Bank|BANK)"
_FORM_NEXT = re.compile(rf"\s{{0,40}}{LEGAL_FORM}\b\.?(?:\s{{1,40}}(?:{FORM})\b\.?)*")
# Parts of a form that do not begin with a capitalised word: Quay GmbH & Co. KG, Quay e.K.
_REST_OF_FORM = re.compile(rf"\s{{1,3}}(?:{TAIL_AFTER_FORM}|{LOWER_CASE_FORM})\b\.?")
_ENDS_IN_FORM = re.compile(rf"\b{LEGAL_FORM}\.?$")
_ORG_END = re.compile(
    rf"\b(?:{LEGAL_FORM}|Association|Bank|Trust|University|Agency|Authority|Society|Foundation|Union"
    "|Partners(?:hip)?|Group"
    r"|ASSOCIATION|BANK|TRUST|GROUP|UNIVERSITY|SERVICES?|Services?|PARTNERS|HOLDINGS|Holdings)\b\.?$"
)
_WORD = re.compile(r"[^\s(),;:\"“”„]+")
_CONNECTORS = {
    "of",
    "the",
    "for",
    "de",
    "la",
    "le",
    "les",
    "du",
    "des",
    "van",
    "von",
    "der",
    "und",
    "et",
    "del",
    "y",
    "en",
    "&",
    "f/b/o",
}
# After these forms, a connector such as 'of' begins an address; after "Bank" or "Company", it may continue
# the name.
_STRONG_END = re.compile(rf"\b(?:{CERTAIN_FORM})\.?$")
_FAMILY = re.compile(r"(?:Sons?|Partners|Company|Co|Associates|Brothers|Daughters)\b", re.IGNORECASE)
_INITIAL = re.compile(r"(?:[A-Z]\.)+|[A-Z]")
_NOT_IN_NAMES = {
    "DATED",
    "Dated",
    "EFFECTIVE",
    "Effective",
    "Date",
    "DATE",
    "As",
    "This",
    "THIS",
    "The",
    "Whereas",
    "Exhibit",
}
_MAX_CHARS = 120


def find_name_end(text: str, start: int) -> int:
    """Return where the name that begins at `start` ends; `start` itself if no name begins there."""
    end = offset = start
    while offset - start < _MAX_CHARS:
        word = _WORD.match(text, offset)
        if word is None:
            break
        if word[0] in ("and", "AND", "And", "und"):
            if not _continues_after_and(text, start, end, word.end()):
                break
        elif not _is_part(word[0], first=end == start) or _begins_address(text, start, end, word):
            break
        else:
            end = word.end() if word[0].casefold() not in _CONNECTORS else end
        if _ends_sentence(word[0], text[start:end]):
            break
        offset = _find_next_word(text, word.end(), text[start : word.end()])
        if offset < 0:
            break
        end = max(end, _find_form_end(text, offset, end))
        offset = max(offset, end) if end > offset else offset
    rest = _REST_OF_FORM.match(text, end) if end > start else None
    return _trim_end(text, start, rest.end() if rest else end)


def _begins_address(text: str, start: int, end: int, word: re.Match[str]) -> bool:
    """Return whether a connector such as 'of' begins an address: after a legal form, or before a number."""
    if word[0].casefold() not in _CONNECTORS or end == start:
        return False
    return bool(_STRONG_END.search(text[start:end])) or bool(re.compile(r"\s{1,40}\d").match(text, word.end()))


def _is_part(word: str, *, first: bool) -> bool:
    plain = word.lstrip("'‘’*[")
    if not plain or plain in _NOT_IN_NAMES:
        return False
    if plain.casefold() in _CONNECTORS:
        return not first
    return plain[0].isupper() or plain[0].isdigit() or (first and any(map(str.isdigit, plain)))


def _ends_sentence(word: str, so_far: str) -> bool:
    """Return whether a full stop ends the sentence, and not an initial or an abbreviation."""
    return word.endswith(".") and not _INITIAL.fullmatch(word) and len(word) > 5 and not _ENDS_IN_FORM.search(so_far)


def _find_next_word(text: str, offset: int, so_far: str) -> int:
    """Return where the next word of the name may begin; -1 if the name must end."""
    if _FORM_NEXT.match(text, offset + 1) and text[offset : offset + 1] == ",":
        return offset + 1 + len(text[offset + 1 :]) - len(text[offset + 1 :].lstrip())
    gap = re.compile(r"[ \t\u00a0]*\n?[ \t\u00a0]*(?=\S)").match(text, offset)
    if gap is None or gap.end() == offset or text[offset : gap.end()].count("\n") > 1:
        return -1
    ended = bool(_ENDS_IN_FORM.search(so_far))
    following = _FORM_NEXT.match(text, gap.end())
    if "\n" in gap[0] and ended and not following:
        return -1
    return gap.end()


def _find_form_end(text: str, offset: int, end: int) -> int:
    form = _FORM_NEXT.match(text, offset)
    after_comma = form is not None and "," in text[end:offset]
    return form.end() if form is not None and after_comma else end


def _continues_after_and(text: str, start: int, end: int, after: int) -> bool:
    """Return whether 'and' belongs to the name, as in Savings and Loan Association."""
    if end == start or _ENDS_IN_FORM.search(text[start:end]) or "\n" in text[end : after + 1].strip(" "):
        return False
    rest = re.compile(r"\s{1,40}((?:[A-Z][\w.'’-]*\s{1,40}){0,4}[A-Z][\w.'’-]*)").match(text, after)
    if rest is None or not _ORG_END.search(rest[1]):
        return False
    return len(text[start:end].split()) > 1 or bool(_FAMILY.match(rest[1]))


def _trim_end(text: str, start: int, end: int) -> int:
    while end > start and (text[end - 1].isspace() or text[end - 1] in ",;:-–*'’"):
        end -= 1
    return end
