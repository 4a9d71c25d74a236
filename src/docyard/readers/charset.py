"""Detection of the charset of text that is not Unicode.

The detected charset is the one in which the characters best match the alphabet of a language. General-purpose
detectors mistook a few lines of Danish for Polish, and Hebrew for Russian.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

DEFAULT_ENCODING = "cp1252"
_MIN_SCORE = 0.8  # scores are the share of characters in the alphabet plus the share of its common ones
_PUNCTUATION = frozenset(
    "’‘“”„‚–—…«»‹›€£§°©®™·•¿¡ªº½¼¾²³µ×\xa0\xad、。，．・：；？！「」『』（）【】《》　ー～％＝＋／－"
)

# The letters above ASCII of each language, by the charsets in which these languages are written.
_LATIN = {
    "cp1252 mac_roman cp850 iso8859_15": (
        "äöüß", "éèêëàâçîïôûùœæ", "áéíóúñü", "ãõáéíóúâêôçà", "àèéìòùî", "åäöæøé", "ëïéöüèê", "áðéíóúýþæö",
    ),
    "cp1250 iso8859_2 cp852": (
        "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíľĺňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž",
    ),
    "cp1254": ("çğıöşüâîİ",),
    "cp1257": ("āčēģīķļņšūž", "ąčęėįšųūž", "äöõüšž"),
}  # fmt: skip
_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўјљњћџђ"
_GREEK = "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋΐΰ"
_HAN = (
    "的一是不了人在有我他这中大来上国和地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家事成方"
    "多经去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日者意无力它与长把机十民第公此已工使"
    "情明性知全三又关点正业外将两高间由问很最重并物手应向头文体政美相见被利什二等产或新己制身果加西月话合回特代内信表"
    "這來國說時會對於後過發種經麼學現當沒動還進樣開從實無與長機關點業將兩間問應頭體見產話內權義嚴們賦嚴价权严们赋尊"
)
_HANGUL = "이다는을의에가고하지로사한자리어들기서대인은도를해아시과나그있정부일수만보라으와니주전게"
_KANA = "のにはをたがでてとしれさいるもなくりあすっかまらきこうけせよめわんつどそえみアイウンスルトリクラ"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A charset and the alphabet of a language written in it."""

    encoding: str
    alphabet: frozenset[str]
    common: frozenset[str]


def _make_candidate(encoding: str, alphabet: str, common: str) -> _Candidate:
    return _Candidate(encoding, frozenset(alphabet + alphabet.upper()), frozenset(common))


def _code_block(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last + 1)))


@cache
def _candidates() -> Sequence[_Candidate]:
    """Return every candidate. Building them takes 30 ms, so it is done on first use."""
    return (
        *(
            _make_candidate(encoding, alphabet, alphabet)
            for encodings, languages in _LATIN.items()
            for encoding in encodings.split()
            for alphabet in languages
        ),
        *(
            _make_candidate(encoding, _CYRILLIC, "оеаинтсрвлкмдпуяы")
            for encoding in ("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic")
        ),
        *(_make_candidate(encoding, _GREEK, "αοιετσνηυρπκάίό") for encoding in ("cp1253", "iso8859_7")),
        _make_candidate("cp1255", _code_block(0x5B0, 0x5EA), "יוהלאמרבתשנ"),
        _make_candidate("cp1256", _code_block(0x620, 0x652), "اليمونتربةعدسفهكق"),
        _make_candidate("cp874", _code_block(0xE01, 0xE5B), "านรอกเงมยลวดทสตะปคบหแจพช่้ีัิ"),
        *(
            _make_candidate(encoding, _code_block(0x3041, 0x30FE) + _code_block(0x4E00, 0x9FFF), _KANA)
            for encoding in ("cp932", "euc_jp")
        ),
        *(_make_candidate(encoding, _code_block(0x4E00, 0x9FFF), _HAN) for encoding in ("gb18030", "big5")),
        _make_candidate("cp949", _code_block(0xAC00, 0xD7A3), _HANGUL),
    )


def detect_encoding(sample: bytes) -> str:
    """Return the most plausible charset of bytes that are not UTF-8; cp1252 if no candidate fits."""
    best, encoding = _MIN_SCORE, DEFAULT_ENCODING
    counted = {DEFAULT_ENCODING: _count_characters(sample, DEFAULT_ENCODING)}
    if not counted[DEFAULT_ENCODING]:  # only punctuation, such as quotes and dashes
        return DEFAULT_ENCODING
    for each in _candidates():
        if each.encoding not in counted:
            counted[each.encoding] = _count_characters(sample, each.encoding)
        score = _score(counted[each.encoding], each)
        if score > best:
            best, encoding = score, each.encoding
    return encoding


def _count_characters(sample: bytes, encoding: str) -> Counter[str]:
    """Count the characters above ASCII. Punctuation is left out because many charsets share it."""
    counted = Counter(sample.decode(encoding, "replace"))
    return Counter(
        {
            character: count
            for character, count in counted.items()
            if character > "\x7f" and character not in _PUNCTUATION
        }
    )


def _score(counted: Counter[str], candidate: _Candidate) -> float:
    total = counted.total()
    if not total:
        return 0.0
    known = sum(count for character, count in counted.items() if character in candidate.alphabet)
    common = sum(count for character, count in counted.items() if character in candidate.common)
    return (known + common) / total - 2 * counted["\ufffd"] / total
