"""German statutes, decisions, courts and file numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docyard.facts.entities.spans import NamedSpan
from docyard.facts.notation.conventions import Conventions
from docyard.facts.notation.dates import DAY_MONTH_YEAR

_TOWN = r"(?:\s+[A-ZÄÖÜ][\wäöüß.-]*(?:\s+(?:am|an\s+der|im|in\s+der)\s+[A-ZÄÖÜ]\w+|\s*\((?:Main|Oder|Saale)\))?)?"
_TOP_COURT = "BGH|BVerfG|BVerwG|BAG|BSG|BFH|BPatG|EuGH|EuG|EGMR|RG|BayObLG|KG|GmS-OGB"
_LOCAL_COURT = "OLG|LAG|LSG|OVG|VGH|ArbG|LG|AG|SG|VG|FG"
_COURT = rf"(?:(?:{_TOP_COURT})|(?:{_LOCAL_COURT}){_TOWN})"
_LOWER_COURT = (
    r"(?:Ober|Land|Amts|Verwaltungs|Sozial|Finanz|Arbeits|Landes|Familien|Insolvenz)"
    r"(?:landes|verwaltungs|sozial|arbeits)?gericht(?:e?s)?"
)
_LONG_COURT = (
    r"(?:Bundesgerichtshof|Bundesverfassungsgericht|Bundesverwaltungsgericht|Bundesarbeitsgericht"
    r"|Bundessozialgericht"
    r"|Bundesfinanzhof|Bundespatentgericht|Europäische[nr]?\s+Gerichtshof|Reichsgericht"
    r"|Kammergericht)(?:e?s)?(?:\s+für\s+Menschenrechte)?"
    r"|Gerichtshof(?:e?s)?\s+der\s+Europäischen\s+Union"
    rf"|[A-ZÄÖÜ][\w-]+(?:ische[sn]?|er)\s+{_LOWER_COURT}|{_LOWER_COURT}\s+[A-ZÄÖÜ][\wäöüß.-]*(?:\s+am\s+[A-ZÄÖÜ]\w+"
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
_FILE_NUMBER = (
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
_PINPOINT = rf"(?:Rn|Rdnr|RdNr|Rdn|Rz|Nr|S|Tz)\.?\s?{_NUMBER}(?:(?:,|\sund|\s?-)\s?{_NUMBER})*"
_ONE_REPORT = (
    rf"{_REPORT}\s(?:§\s\d+\w?\s(?:Nr\.?\s\d+)?|\d+(?:,\s?{_NUMBER}(?:\s?<[^<>]{{1,24}}>)?"
    rf"|\s?<[^<>]{{1,24}}>)*)"
)
_CONTINUATION = (
    rf"(?:\s?(?:,|=|[-–]|[-–],)?\s?(?:{_ONE_REPORT}|{_PINPOINT}|\({_PINPOINT}\)|[Jj]uris|u\.\s?a\."
    r"|a\.\s?a\.\s?O\.|aaO|www\.[\w.]+|Buchholz\s[\d.]+\s§\s\d+\s\w+\sNr\.\s\d+"
    rf"|zu\s[A-Z]?\s?[IVX]+\s[\w\s]{{0,12}}der\sGründe)"
    rf"|;\s\d+,\s\d+\s?<[^<>]{{1,24}}>)*"
)
_CASE_NAME = r"(?:\s[–-]\s(?:[A-ZÄÖÜ][\w'-]*)(?:\s?/\s?[A-ZÄÖÜ][\w-]*|\s(?:[A-ZÄÖÜ][\w'-]*|I{1,3}|IV|V))*)?"
_CITATION = re.compile(
    rf"(?<![\w-])(?:{_COURT}(?:-{_DECISION})?,?\s)?(?:{_DECISION}(?:\sdes\s(?:{_COURT}|{_LONG_COURT}|Senats"
    rf"|\d\.\sSenats)|\sder\s\d\.\sKammer\sdes\s\w+\sSenats)?\s)?(?:vom\s|v\.\s?)?{DAY_MONTH_YEAR},?\s?"
    rf"(?:\({_FILE_NUMBER}[^()]{{0,60}}\)|(?:[-–]\s?)?{_FILE_NUMBER})(?:\s[-–](?=,|\s\w))?{_CONTINUATION}{_CASE_NAME}"
    rf"|(?<![\w-])(?:{_COURT}(?:-(?:{_DECISION}|Beschlüsse)(?:\sin)?)?,?\s)?{_ONE_REPORT}{_CONTINUATION}{_CASE_NAME}"
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
_CONNECTOR = r"(?:\s?(?:,|und|oder|bzw\.|bis|i\.\s?V\.\s?m\.|iVm|in\s+Verbindung\s+mit|-|–)\s?)"
_SECTION = (
    rf"(?:§§?|Art\.?|Artikel)\s?\d+[a-z]?(?:\sf{{1,2}}\.?)?(?:,?\s?{_PART}|{_CONNECTOR}(?:(?:§§?"
    rf"|Art\.?)\s?)?(?:{_PART}|\d+[a-z]?\b|[a-z]\b))*"
)
_CODE_SUBJECT = (
    "Zivilprozess|Strafprozess|Insolvenz|Abgaben|Gewerbe|Verwaltungsgerichts|Finanzgerichts|Bau|Wahl|Schul"
    "|Grundbuch|Handwerks"
)
_LONG_LAW = (
    r"(?:(?!Denk|Natur)[A-ZÄÖÜ][a-zäöüß]{3,}gesetz(?:buch)?(?:e?s)?|[A-ZÄÖÜ][a-zäöüß]{3,}(?<!Ver)verordnung"
    rf"|(?:{_CODE_SUBJECT})ordnung|(?:Europäischen?\s)?Menschenrechtskonvention"
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
    rf"(?<![\w-])(?:{_LONG_COURT}|(?:{_TOP_COURT})(?<!KG)|(?:OLG|LAG|LSG|OVG|VGH|ArbG|LG|AG|SG|VG"
    r"|FG)\s[A-ZÄÖÜ][\wäöüß.-]+)(?![\w-])"
)
_BARE_FILE_NUMBER = re.compile(rf"(?<![\w/]){_FILE_NUMBER}(?![\w/])")
_FILE_LABEL = re.compile(r"(?:Az|Aktenzeichen|Geschäftszeichen|Gz|AZ)\.?:?\s*$")
_FEDERAL = re.compile(r"ZR|ZB|StR|Bv[RLFEQN]|A[ZB]R|AZN|pat|B\s\d")
# Words that identify a section as German law in a text of another language.
_GERMAN = re.compile(r"\b(?:Abs|Satz|Nr|Buchst|BGB|StGB|HGB|ZPO|StPO|VwGO|GG|AO|InsO|DSGVO|[A-Z][a-z]\w*G)\b")
# Courts and legal forms that look like statutes: "GmbHG" is a statute, "OHG" a legal form.
_NOT_A_STATUTE = {
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
_PLAIN_SIGNS = str.maketrans({"‑": "-", "–": "-", "\u00a0": " "})


def find_german_citations(text: str, conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield decisions cited by court, date and file number or, in German texts, by law report."""
    if conventions.language not in (None, "de"):
        return
    for match in _CITATION.finditer(text):
        if conventions.language == "de" or _BARE_FILE_NUMBER.search(match[0]):
            yield NamedSpan("citation", match.start(), match.end(), normalise_citation(match[0]), 0.9)


def find_german_statutes(text: str, conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield sections with their statute and, in German texts, statutes by name."""
    for match in _STATUTE.finditer(text):
        is_section = match[0].startswith(("§", "Art"))
        german = conventions.language == "de" or (is_section and _GERMAN.search(match[0]))
        if german and match[0] not in _NOT_A_STATUTE:
            yield NamedSpan(
                "statute", match.start(), match.end(), normalise_citation(match[0]), 0.95 if is_section else 0.8
            )


def find_german_courts(text: str, conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield courts by name or common abbreviation, in German texts only."""
    if conventions.language != "de":
        return
    for match in _NAMED_COURT.finditer(text):
        yield NamedSpan("court", match.start(), match.end(), normalise_citation(match[0]), 0.65)


def find_german_file_numbers(text: str, conventions: Conventions) -> Iterator[NamedSpan]:
    """Yield court file numbers after a label; in German texts, those of federal courts need no label."""
    for match in _BARE_FILE_NUMBER.finditer(text):
        labelled = _FILE_LABEL.search(text[max(0, match.start() - 24) : match.start()])
        if labelled or (conventions.language in (None, "de") and _FEDERAL.search(match[0])):
            yield NamedSpan("case_number", match.start(), match.end(), normalise_citation(match[0]), 0.93)


def normalise_citation(written: str) -> str:
    """Return a citation with single spaces, plain hyphens and no trailing punctuation."""
    return " ".join(written.translate(_PLAIN_SIGNS).split()).rstrip(" ,;-")
