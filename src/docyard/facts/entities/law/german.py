"""German statutes, decisions, courts and file numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.spans import Found
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.dates import DAY_MONTH_YEAR

_TOWN = (
    r"(?:\s+[A-ZÄÖÜ][\wäöüß.-]*(?:\s+(?:am|an\s+der|im|in\s+der)\s+[A-ZÄÖÜ]\w+|\s*\((?:Main|Oder|Saale)\))?)?"
)
_HIGHEST = "BGH|BVerfG|BVerwG|BAG|BSG|BFH|BPatG|EuGH|EuG|EGMR|RG|BayObLG|KG|GmS-OGB"
_LOCAL = "OLG|LAG|LSG|OVG|VGH|ArbG|LG|AG|SG|VG|FG"
_COURT = rf"(?:(?:{_HIGHEST})|(?:{_LOCAL}){_TOWN})"
_LOWER = (
    r"(?:Ober|Land|Amts|Verwaltungs|Sozial|Finanz|Arbeits|Landes|Familien|Insolvenz)"
    r"(?:landes|verwaltungs|sozial|arbeits)?gericht(?:e?s)?"
)
_LONG_COURT = (
    r"(?:Bundesgerichtshof|Bundesverfassungsgericht|Bundesverwaltungsgericht|Bundesarbeitsgericht"
    r"|Bundessozialgericht"
    r"|Bundesfinanzhof|Bundespatentgericht|Europäische[nr]?\s+Gerichtshof|Reichsgericht"
    r"|Kammergericht)(?:e?s)?(?:\s+für\s+Menschenrechte)?"
    r"|Gerichtshof(?:e?s)?\s+der\s+Europäischen\s+Union"
    rf"|[A-ZÄÖÜ][\w-]+(?:ische[sn]?|er)\s+{_LOWER}|{_LOWER}\s+[A-ZÄÖÜ][\wäöüß.-]*(?:\s+am\s+[A-ZÄÖÜ]\w+"
    rf"|\s+I{{1,3}}\b)?"
)
_DECISION = (
    r"(?:(?:Senats|Vorlage|Revisions|Teil|End)?[Uu]rt(?:eile?|\.)|(?:Senats|Kammer"
    r"|Nichtannahme)?[Bb]eschl(?:uss|uß|üsse|\.)|Entscheidung|Verfügung)"
)
_REGISTER = (
    r"(?:ZR|ZB|ZA|StR|ARs?|BLw|NotZ|KZR|KVR|BvR|BvL|BvF|BvE|BvQ|BvN|AZR|ABR|AZN|AZB|ABN|GS|O|OH|S|U|T|C|F|W"
    r"|Ws|Ss|Sa|Ta|Ca"
    r"|K|L|A|B|D|E|R|KA|KR|AS|SB|SO|SF|AL|EG|P|RA|RAr|RJ|RKg|N|CN|CS|VR|WD|WDS|WDS-VR|W-VR|WRB|Ni|VA|UF|WF)"
)
_FILE = (
    rf"(?:(?:[IVX]+[a-z]?|\d{{1,3}})\s?(?:W\s\(pat\)|{_REGISTER}(?:\s?\([A-Za-z]+\))?)\s\d{{1,5}}/\d{{2,4}}"
    r"|B\s\d{1,2}(?:/\d{1,2}\w?)?\s(?:\w\s)?[A-Z]{1,3}\s\d{1,4}/\d{2}\s(?:R|B|S|BH|KL)"
    r"|(?:BVerwG\s)?\d{1,2}\s[A-Z]{1,3}(?:-VR)?\s\d{1,4}\.\d{2}"
    r"|C-\s?\d{1,4}/\d{2}(?:\sP)?)"
)
_REPORT = (
    r"(?:BGHZ|BGHSt|BVerfGE|BVerfGK|BVerwGE|BAGE|BSGE|BFHE|BPatGE|RGZ|RGSt|BFH\s?/\s?NV|BStBl(?:\sI{1,3})?"
    r"|BGHR"
    r"|NJW(?:-RR)?|NZA(?:-RR)?|NZG|NVwZ(?:-RR)?|NStZ(?:-RR)?|NZI|NZM|NZS|GRUR(?:-RR|\sInt\.?|-Prax)?|WRP"
    r"|MDR|FamRZ|VersR|WM"
    r"|ZIP|StV|wistra|DStR|EFG|HFR|DVBl|DÖV|InfAuslR|ZUM|MarkenR|Mitt\.|SozR\s\d\s?-\s?\d{4}|AP|EzA|Slg\.)"
)
_NUMBER = r"\d+[a-z]?(?:\sf{1,2}\.?)?"
_PLACE = rf"(?:Rn|Rdnr|RdNr|Rdn|Rz|Nr|S|Tz)\.?\s?{_NUMBER}(?:(?:,|\sund|\s?-)\s?{_NUMBER})*"
_ONE_REPORT = (
    rf"{_REPORT}\s(?:§\s\d+\w?\s(?:Nr\.?\s\d+)?|\d+(?:,\s?{_NUMBER}(?:\s?<[^<>]{{1,24}}>)?"
    rf"|\s?<[^<>]{{1,24}}>)*)"
)
_MORE = (
    rf"(?:\s?(?:,|=|[-–]|[-–],)?\s?(?:{_ONE_REPORT}|{_PLACE}|\({_PLACE}\)|[Jj]uris|u\.\s?a\."
    r"|a\.\s?a\.\s?O\.|aaO|www\.[\w.]+|Buchholz\s[\d.]+\s§\s\d+\s\w+\sNr\.\s\d+"
    rf"|zu\s[A-Z]?\s?[IVX]+\s[\w\s]{{0,12}}der\sGründe)"
    rf"|;\s\d+,\s\d+\s?<[^<>]{{1,24}}>)*"
)
_CASE_NAME = r"(?:\s[–-]\s(?:[A-ZÄÖÜ][\w'-]*)(?:\s?/\s?[A-ZÄÖÜ][\w-]*|\s(?:[A-ZÄÖÜ][\w'-]*|I{1,3}|IV|V))*)?"
_CITED = re.compile(
    rf"(?<![\w-])(?:{_COURT}(?:-{_DECISION})?,?\s)?(?:{_DECISION}(?:\sdes\s(?:{_COURT}|{_LONG_COURT}|Senats"
    rf"|\d\.\sSenats)|\sder\s\d\.\sKammer\sdes\s\w+\sSenats)?\s)?(?:vom\s|v\.\s?)?{DAY_MONTH_YEAR},?\s?"
    rf"(?:\({_FILE}[^()]{{0,60}}\)|(?:[-–]\s?)?{_FILE})(?:\s[-–](?=,|\s\w))?{_MORE}{_CASE_NAME}"
    rf"|(?<![\w-])(?:{_COURT}(?:-(?:{_DECISION}|Beschlüsse)(?:\sin)?)?,?\s)?{_ONE_REPORT}{_MORE}{_CASE_NAME}"
)
_ABBREVIATION = (
    r"(?:SGB\s(?:XI{0,2}|I[XV]?|VI{0,3}|I{1,3})|(?:[A-ZÄÖÜ][a-zäöü]{0,10}){1,5}(?:G|GB|PO|VO|O|VfG|StG|RL|V"
    r"|K)(?:\s(?:Nds|NRW|NW|BW|SH))?"
    r"|(?!(?:[A-Z]{0,2})TV)[A-ZÄÖÜ]{2,6}(?:-[A-Z]{2,4})?)"
)
_PART = (
    r"(?:Abs|Absatz|Satz|Sätze|S|Nr|Nrn|Nummer|Hs|Halbs|Halbsatz|Buchst|Buchstabe|lit|Var|Alt|Unterabs|UAbs"
    r"|Ziff|Anlage)\.?"
    r"\s?(?:\d+[a-z]?|[a-z]{1,2}|[IVX]+)\b"
)
_JOINT = r"(?:\s?(?:,|und|oder|bzw\.|bis|i\.\s?V\.\s?m\.|iVm|in\s+Verbindung\s+mit|-|–)\s?)"
_SECTION = (
    rf"(?:§§?|Art\.?|Artikel)\s?\d+[a-z]?(?:\sf{{1,2}}\.?)?(?:,?\s?{_PART}|{_JOINT}(?:(?:§§?"
    rf"|Art\.?)\s?)?(?:{_PART}|\d+[a-z]?\b|[a-z]\b))*"
)
_ORDERS = (
    "Zivilprozess|Strafprozess|Insolvenz|Abgaben|Gewerbe|Verwaltungsgerichts|Finanzgerichts|Bau|Wahl|Schul"
    "|Grundbuch|Handwerks"
)
_LONG_LAW = (
    r"(?:(?!Denk|Natur)[A-ZÄÖÜ][a-zäöüß]{3,}gesetz(?:buch)?(?:e?s)?|[A-ZÄÖÜ][a-zäöüß]{3,}(?<!Ver)verordnung"
    rf"|(?:{_ORDERS})ordnung|(?:Europäischen?\s)?Menschenrechtskonvention"
    r"|Bürgerliche[ns]?\sGesetzbuch(?:e?s)?|Grundgesetz(?:es)?"
    r"|Gesetz(?:es)?\s(?:über|zur)\s(?:die|das|den|der)?\s?[A-ZÄÖÜ]\w+)"
)
_EU_LAW = (
    r"(?:Richtlinie|Verordnung|RL|VO)\s?(?:[(<]\s?(?:EU|EG"
    r"|EWG)\s?[)>]\s?)?(?:Nr\.?\s?)?\d+\s?/\s?\d+(?:\s?/\s?(?:EU|EG|EWG))?"
)
_BARE_LAW = (
    r"(?:SGB\s(?:XI{0,2}|I[XV]?|VI{0,3}|I{1,3})|(?:[A-ZÄÖÜ][a-zäöü]{0,10}){1,5}G|BGB|StGB|HGB|ZPO|StPO|VwGO"
    r"|FGO|AO|EMRK|AEUV"
    r"|DSGVO|InsO)(?!,\s(?:§|\d+\.\s?Aufl|[12]\d{3}))"
)
_STATUTE = re.compile(
    rf"(?<![\w-])(?:{_SECTION}\s(?:(?:des|der)\s)?(?:{_EU_LAW}|{_ABBREVIATION}|{_LONG_LAW})"
    rf"(?:\s(?:aF|nF|a\.\s?F\.|n\.\s?F\.))?|{_EU_LAW}|{_LONG_LAW}|{_BARE_LAW})(?![\w-])"
)
_NAMED_COURT = re.compile(
    rf"(?<![\w-])(?:{_LONG_COURT}|(?:{_HIGHEST})(?<!KG)|(?:OLG|LAG|LSG|OVG|VGH|ArbG|LG|AG|SG|VG"
    r"|FG)\s[A-ZÄÖÜ][\wäöüß.-]+)(?![\w-])"
)
_FILE_ALONE = re.compile(rf"(?<![\w/]){_FILE}(?![\w/])")
_FILE_CUE = re.compile(r"(?:Az|Aktenzeichen|Geschäftszeichen|Gz|AZ)\.?:?\s*$")
_FEDERAL = re.compile(r"ZR|ZB|StR|Bv[RLFEQN]|A[ZB]R|AZN|pat|B\s\d")
# What makes a section German in a text of another language.
_GERMAN = re.compile(r"\b(?:Abs|Satz|Nr|Buchst|BGB|StGB|HGB|ZPO|StPO|VwGO|GG|AO|InsO|DSGVO|[A-Z][a-z]\w*G)\b")
# Legal forms are written like laws: "GmbHG" is one, "OHG" is a company.
_NO_LAW = {
    "AG",
    "KG",
    "OHG",
    "LG",
    "OLG",
    "VG",
    "FG",
    "SG",
    "LSG",
    "BAG",
    "BSG",
    "BVerfG",
    "BVerwG",
    "OVG",
    "PDG",
    "EG",
    "BPatG",
    "ArbG",
    "EWG",
}
_SIGNS = str.maketrans({"‑": "-", "–": "-", "\u00a0": " "})


def german_citations(text: str, conventions: Conventions) -> Iterator[Found]:
    """Decisions by court, date and file number, or by where they are printed."""
    if conventions.language not in (None, "de"):
        return
    for match in _CITED.finditer(text):
        if conventions.language == "de" or _FILE_ALONE.search(match[0]):
            yield Found("citation", match.start(), match.end(), normal_law(match[0]), 0.9)


def german_statutes(text: str, conventions: Conventions) -> Iterator[Found]:
    """Sections with their law, and laws by name in German texts."""
    for match in _STATUTE.finditer(text):
        section = match[0].startswith(("§", "Art"))
        german = conventions.language == "de" or (section and _GERMAN.search(match[0]))
        if german and match[0] not in _NO_LAW:
            yield Found("statute", match.start(), match.end(), normal_law(match[0]), 0.95 if section else 0.8)


def german_courts(text: str, conventions: Conventions) -> Iterator[Found]:
    """Courts by name or by their common abbreviation."""
    if conventions.language != "de":
        return
    for match in _NAMED_COURT.finditer(text):
        yield Found("court", match.start(), match.end(), normal_law(match[0]), 0.65)


def german_files(text: str, conventions: Conventions) -> Iterator[Found]:
    """File numbers of courts, of the highest ones as such, of others where they are announced."""
    for match in _FILE_ALONE.finditer(text):
        announced = _FILE_CUE.search(text[max(0, match.start() - 24) : match.start()])
        if announced or (conventions.language in (None, "de") and _FEDERAL.search(match[0])):
            yield Found("case_number", match.start(), match.end(), normal_law(match[0]), 0.93)


def normal_law(written: str) -> str:
    """One space between words, plain hyphens, no sign that only ends a sentence."""
    return " ".join(written.translate(_SIGNS).split()).rstrip(" ,;-")
