"""Citations, statutes, courts and case numbers of English-speaking countries, the EU and France."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.law.german import normalise_citation
from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.conventions import Conventions

_DASH = r"[-‑–]"
_NEUTRAL = (
    r"\[(?:19|20)\d\d\]\s(?:UKSC|UKHL|UKPC|EWCA\s(?:Civ|Crim)|EWHC|EWFC|EWCOP|UKUT|UKFTT|UKEAT|EAT|NICA"
    r"|NIQB|CSIH|CSOH|HCJAC"
    r"|IESC|IECA|IEHC|HCA|FCA|FCAFC|NSWCA|NSWSC|VSCA|VSC|NZSC|NZCA|NZHC|SGCA|SGHC|HKCFA|ZASCA)\s\d{1,5}"
    r"(?:\s\((?:Admin|Ch|QB|KB|Comm|Fam|TCC|Pat|IPEC|AC|IAC|TC|LC|AAC|Admlty|Costs|SCCO)\))?"
)
_REPORTED = (
    r"\[(?:18|19|20)\d\d\]\s(?:\d\s)?(?:AC|A\.C\.|QB|Q\.B\.|KB|K\.B\.|Ch|WLR|W\.L\.R\.|All\sER|All\sE\.R\."
    r"|Fam|ICR|IRLR|FSR"
    r"|RPC|BCLC|Lloyd’?'?s\sRep|Cr\sApp\sR|ECR|E\.C\.R\.|CMLR|EHRR|SCR|S\.C\.R\.)\s(?:I{1,2}-)?\d{1,5}"
)
_CANADA = r"(?<![\w.])(?:19|20)\d\d\s(?:SCC|ABCA|ONCA|BCCA|QCCA|FCA|FC|ONSC|BCSC|ABQB)\s\d{1,5}"
_ECLI = r"ECLI:[A-Z]{2}:[A-Z0-9]{1,7}:\d{4}:[A-Z0-9.]*[A-Z0-9]"
_CASSATION = (
    r"Cass\.\s(?:\d[a-zè]{1,3}\s)?(?:civ|com|soc|crim|ass\.\splén"
    r"|ch\.\smixte)\.(?:\s?\d[a-z]{1,3})?,\s\d{1,2}\s\w+\s\d{4},\sn[°o]\s?\d{2}-\d{2}\.\d{3}"
)
_CITATION = re.compile(rf"{_NEUTRAL}(?!\d)|{_REPORTED}(?!\d)|{_CANADA}(?!\d)|{_ECLI}|{_CASSATION}")

_ARTICLE = (
    r"(?:(?:[Aa]rticles?|[Ss]ections?|[Ss]ubsections?|[Rr]ule|[Rr]ecital|[Pp]aragraph|Art\.|[Ss]s?\."
    r"|[Rr]egulation|[Ss]chedule)"
    r"\s\d+[A-Za-z]?(?:\s?\([\da-z]{1,4}\))*(?:\s?(?:,|and|to|or|-"
    r"|–)\s?\d+[A-Za-z]?(?:\([\da-z]{1,4}\))*)*,?\s(?:of|to|du|de\sla|des)\s(?:the\s)?)"
)
_EU_LAW = (
    r"(?:(?:Council|Commission|Implementing|Delegated|Framework)\s)*(?:Regulation|Directive|Decision"
    r"|Règlement|Reglamento|Regolamento)"
    r"\s(?:\((?:EU|EC|EEC|UE|CE|Euratom)(?:,\sEuratom)?\)\s)?(?:N[o°]\.?\s?)?\d{2,4}/\d{1,4}(?:/(?:EU"
    r"|EC|EEC|UE|CE|JHA))?"
)
_NAME = r"(?:[A-Z][\w’'&-]{0,30}|and|of|the|for|in|to|on|from|with|\([A-Z][\w\s]*\))"
_ACT = (
    rf"[A-Z][\w’'&-]{{0,30}}(?:,?\s{_NAME}){{0,9}}\s(?:Act|Code|Rules|Regulations|Ordinance"
    r"|Order)(?:,?\s(?:of\s)?(?:1[5-9]|20)\d\d|\sof\s(?:1[89]|20)\d\d)"
)
_CODE = r"[A-Z][\w’'&-]{0,30}(?:\s(?:[A-Z][\w’'&-]{0,30}|and|of)){0,4}\s(?:Act|Code)(?![\w])"
_FRENCH = (
    r"[Aa]rt(?:icle|\.)s?\s(?:L|R|D)?\.?\s?\*?\d+(?:-\d+)*(?:\s(?:et|à)\s(?:L|R"
    r"|D)?\.?\s?\d+(?:-\d+)*)?\sdu\s[Cc]ode\s(?:civil|pénal|(?:de\s(?:la\s|l['’])?|du\s"
    r"|des\s)?[a-zéèô]+(?:\s(?:civile|pénale|intellectuelle|générale|et\sfinancier))?)"
)
_SHORT = r"(?:GDPR|TFEU|TEU|ECHR|EPC|UCC|U\.C\.C\.|ERISA)"
_STATUTE = re.compile(
    rf"(?<!\w)(?:{_ARTICLE}?(?:{_EU_LAW}|{_ACT})(?!\d)|{_ARTICLE}{_CODE}"
    r"|(?:[Aa]rticles?|Art\.|[Ss]ection"
    rf"|§)\s\d+[A-Za-z]?(?:-\d+)?(?:\([\da-z]{{1,4}}\))*\s(?:of\s(?:the\s)?)?{_SHORT}(?!\w)|{_FRENCH})"
)

_DOCKET = (
    rf"\d{{2}}{_DASH}\d{{2}}{_DASH}\d{{5}}{_DASH}C[VR]"
    rf"|\d{{1,2}}:\d{{2}}{_DASH}[a-zA-Z]{{2,4}}{_DASH}\d{{3,6}}(?:{_DASH}[A-Z]{{2,4}})*"
    rf"|\d{{2,4}}{_DASH}[a-zA-Z]{{2,4}}{_DASH}\d{{2,6}}(?:{_DASH}[A-Z]{{2,4}})*"
)
_PLAIN_NUMBER = rf"[A-Z]{{0,4}}\d{{1,4}}(?:{_DASH}[A-Z0-9]{{1,8}}){{1,4}}|[A-Z]{{2,4}}{_DASH}?\d{{4,}}|\d{{4,9}}"
_LABELLED_NUMBER = re.compile(
    r"(?:(?:Case|Docket|Civil\sAction|Cause|Index|Claim|Appeal|Crim(?:inal|\.)\s(?:Action|Case)"
    r"|Bankruptcy)(?:\sCase)?\s(?:Nos?\.?|Number|\#):?"
    rf"|(?<![\w.])Nos?\.)\s?(?P<number>{_DOCKET}|{_PLAIN_NUMBER})(?![\w/])",
    re.IGNORECASE,
)
_BARE_DOCKET = re.compile(rf"(?<![\w:-])(?:{_DOCKET})(?![\w-])")
_NUMBER_NEAR_PARTIES = re.compile(
    rf"(?<![\w-])\d{{2,4}}{_DASH}(?:[A-Z]{{1,4}}{_DASH})?\d{{3,6}}(?:{_DASH}[A-Z]{{2,3}})?(?![\w-])"
    r"|(?<![\w-])[A-Z]\d{6}(?![\w-])"
)
_PARTIES = re.compile(r"\S\sv[s]?\.?\s\S|\b(?i:in\sre|ex\sparte)\b")
_MAX_DISTANCE = 160  # characters between a number and the parties of the case
_EU_CASE = re.compile(
    r"(?:(?:[Jj]oined\s)?[Cc]ases?|Rechtssachen?|Rs\.|[Aa]ffaires?|[Aa]suntos?"
    rf"|[Cc]aus[ae])\s(?P<number>[CTF]\s?{_DASH}\s?\d{{1,4}}/\d{{2}}(?:\s(?:P|PPU))?)(?!\d)"
)
_COURT = re.compile(
    r"(?:(?:United\sStates|U\.\s?S\.|Federal)\s)?(?:(?:Supreme|Superior|District|Circuit|County|Family"
    r"|Probate|Bankruptcy|High|Crown|Chancery"
    r"|Municipal|Commercial|Juvenile|Appellate|Magistrates['’]|Federal|Constitutional|General)\s){1,2}Court"
    r"(?:\s(?:of|for)\s(?:the\s)?(?:(?:Northern|Southern|Eastern|Western|Middle|Central)\sDistrict\sof\s"
    r"|District\sof\s|State\sof\s|City\sof\s)?"
    r"(?:Appeals?(?:\s(?:of|for)\s(?:the\s)?(?:[A-Z][\w-]*)(?:\s[A-Z][\w-]*){0,2})?"
    r"|[A-Z][\w.-]*(?:\s(?:of\s(?:the\s)?)?[A-Z][\w.-]*){0,3}))?"
    r"|(?:(?:United\sStates|U\.\s?S\.)\s)?Courts?\sof\s(?:Appeals?|Justice|Chancery|Session|Claims"
    r"|King's\sBench|First\sInstance|Common\sPleas|International\sTrade)"
    r"(?:\s(?:of|for)\s(?:the\s)?(?:State\sof\s|European\s)?[A-Z][\w.-]*(?:\s[A-Z][\w.-]*){0,2})?"
    r"|(?:First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Eleventh|Federal"
    r"|D\.C\.)\sCircuit(?!\sCourt)"
    r"|European\sCourt\sof\sHuman\sRights|Cour\sde\s[Cc]assation|Conseil\sd['’]État"
    r"|[Cc]our\sd['’]appel\sde\s[A-Z]\w+"
    r"|[Tt]ribunal\s(?:judiciaire|de\scommerce|administratif|de\sgrande\sinstance)\sde\s[A-Z]\w+"
)


def find_citations(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield decisions cited by neutral citation, law report or ECLI, and those of the Cour de cassation."""
    for match in _CITATION.finditer(text):
        yield NamedSpan("citation", match.start(), match.end(), normalise_citation(match[0]), 0.97)


def find_statutes(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield acts by name and year, EU law by number, and articles of codes."""
    for match in _STATUTE.finditer(text):
        yield NamedSpan("statute", match.start(), match.end(), normalise_citation(match[0]), 0.92)


def find_courts(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield courts by name; a generic name such as "Superior Court" has a lower confidence."""
    for match in _COURT.finditer(text):
        specific = len(match[0].split()) > 2
        yield NamedSpan("court", match.start(), match.end(), _normalise_court(match[0]), 0.92 if specific else 0.75)


def _normalise_court(written: str) -> str:
    return re.sub(r"^U\.\s?S\.", "United States", " ".join(written.split()))


def find_case_numbers(text: str, _conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield docket and case numbers that follow a label, have a distinctive form, or are near parties."""
    for match in _EU_CASE.finditer(text):
        normal = re.sub(r"\s", "", normalise_citation(match["number"]))
        yield NamedSpan("case_number", match.start("number"), match.end("number"), normal, 0.97)
    for match in _LABELLED_NUMBER.finditer(text):
        number = match["number"]
        if any(character.isdigit() for character in number):
            certain = not match[0].lower().startswith("no")
            yield _make_case_number(match.start("number"), number, 0.95 if certain else 0.7)
    for match in _BARE_DOCKET.finditer(text):
        yield _make_case_number(match.start(), match[0], 0.9)
    for match in _NUMBER_NEAR_PARTIES.finditer(text):
        if _PARTIES.search(text[max(0, match.start() - _MAX_DISTANCE) : match.end() + _MAX_DISTANCE]):
            yield _make_case_number(match.start(), match[0], 0.75)


def _make_case_number(start: int, number: str, confidence: float) -> NamedSpan:
    return NamedSpan("case_number", start, start + len(number), normalise_citation(number).upper(), confidence)
