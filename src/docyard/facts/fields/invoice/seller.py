"""Who issued an invoice or receipt: the name at its head, unless it is the buyer's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docyard.facts.fields.invoice.addressees import address_blocks
from docyard.facts.fields.layout.columns import cells_below
from docyard.facts.fields.layout.labels import fold, unfolded
from docyard.facts.fields.layout.rows import Cell, Row
from docyard.facts.notation.addresses import is_address, towns_in
from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.dates import find_dates
from docyard.facts.notation.legal_forms import (
    CERTAIN_FOLDED_FORM,
    CERTAIN_FORM,
    FOLDED_FORM,
    FORM,
    has_own_dot,
)
from docyard.facts.notation.months import ANY_MONTH
from docyard.model.facts import FieldValue

_FORM = re.compile(rf"\b(?:{FOLDED_FORM})(?!\w)\.?")
_STRONG_FORM = re.compile(rf"\b(?:{CERTAIN_FOLDED_FORM})(?!\w)")
_TRADE = re.compile(
    r"\b(trading|enterprise|restaura?nt|restoran|kedai|cafe|bistro|hardware|store|stores|mart|market"
    r"|supermarket|shop|hotel"
    r"|bakery|pharmacy|farmasi|klinik|clinic|pasar\w*|perniagaan|gallery|books?|stationery|electrical"
    r"|station|motor|auto"
    r"|house|kitchen|services?|industries|handicraft|deco|gift|seafood|foods?|apotheke|backerei|praxis"
    r"|solutions|group"
    r"|kopitiam|syarikat|maju|jaya|holdings|international|company|bank|versicherung|hosting|interior"
    r"|studio|works)\b"
)
_NO_NAME = re.compile(
    r"\b(tax ?invoice|invoice|receipt|cash ?(bill|sale)|rechnung|facture|welcome|thank|tel|fax|phone|gst"
    r"|vat|ust|tva|date|"
    r"datum|page|seite|bill to|ship to|customer|cashier|table|copy|reprint|duplicate|www|http|email|e-mail"
    r"|shopping hours"
    r"|opening|order|guest|station\W{0,3}\d+|description|iban|lieferant|kaufer|rechnungsersteller|rechnungsempfanger"
    r"|account|summary"
    r"|your bill|issued|due|guest|factura|fattura|factuur|credit note|gutschrift|questions|paid"
    r"|tq for|terms|amount|betrag|kundennummer|total|site|simplified|warehouse|address|statement|payment"
    r"|notes?|capital|bestellung|bestelling|commande|pedido|ordine|fatura|faktura|liquidation|mahnung|lieferschein"
    r"|angebot|quotation|quote|nota de credito|nota di credito|creditnota|parcella)\b"
)
_PLACE = re.compile(
    r"^\W*[a-z]{0,3}\d[\w/-]*\s?,|\bjl\b|^\W*(no|lot|unit|block|blk|level|jalan|jln|suite)\W{0,3}\d|\b(jalan|jln|lorong|taman|persiaran"
    r"|street|road|avenue|lane|"
    r"rue|chemin|allee|weg|platz|strasse|straat|selangor|johor|kuala lumpur|petaling|floor)\b"
    r"|^\W*(malaysia|germany|deutschland|france|usa|india|united kingdom)\W*$|strasse\b|straße|\b\d{5}\b"
    r"|^\d+[,\s]|str\. \d"
)
_BUYER = re.compile(
    r"\b(bill(ed|ing)?( address| to)?|sold to|ship(ping)?( to| address)|customer|client|kaufer"
    r"|rechnungsempfanger|"
    r"warenempfanger|kunde|invoice (to|address)|attn|deliver(y)? (to|address)|adresse de (livraison"
    r"|facturation)"
    r"|herrn?|frau|an|to|buyer|purchaser|guest|prepared for|datos del cliente|cliente|klant|acheteur"
    r"|destinataire|facture a"
    r"|factuuradres|facturar a|comprador|destinatario|cessionario|spett\.?le|rechnungsadresse"
    r"|rechnungsanschrift|consignee|importer|receptor|nabywca|odberatel|adquirente|faturar a"
    r"|exm[oa]|leistungsempfanger|opdrachtgever|recipient)\b"
)
_SELLER = re.compile(
    r"\b(sold by|seller|vendor|from|supplier|issued by|verkaufer|rechnungsersteller|rechnungssteller"
    r"|aussteller"
    r"|service provider|vendeur|fournisseur|emetteur|emisor|proveedor|vendedor|emittente|fornitore|cedente"
    r"|leverancier|afzender|provider|remit to|lieferant|exporter|shipper|prestataire|prestador"
    r"|leistungserbringer(?:in)?|sprzedawca|dodavatel|opdrachtnemer)\s{0,40}(?:[:.]\W*|$)"
    r"|(?:your )?(?:tax )?invoice from\W+"
    r"|\W*(?:please )?(?:make )?(?:all )?che(?:cks?|ques?) payable to\W*"
)
# Whoever owns the account is mostly the seller, but may be its owner or its bank.
_OWNS_ACCOUNT = re.compile(
    r"\b(?:account (?:name|holder)|kontoinhaber(?:in)?|beneficiary|beneficiaire|titulaire(?: du compte)?"
    r"|titular(?: de la cuenta)?|intestatario|t\.?n\.?v\.?|ten name van)\s{0,40}:\s{0,40}"
)
_NOBODY = re.compile(
    r"\W*(?:cash|visa|card|change|mastercard|bar|karte|cheque|chèque|virement|copy|original|paid)\W*"
)
_SMALL_WORDS = {
    "of",
    "the",
    "and",
    "for",
    "de",
    "la",
    "le",
    "du",
    "des",
    "van",
    "von",
    "der",
    "und",
    "et",
    "di",
    "e",
    "y",
    "del",
    "a",
    "am",
    "an",
    "im",
    "zum",
    "zur",
    "in",
}
_REGISTER = re.compile(
    r"\b(tva|vat|ust|siret|iban|hrb|handelsreg|gst (id|no|reg)|co\.? ?(no|reg)|company (no|reg)|kvk|btw"
    r"|abn|roc|bic|reg\.? ?no)"
)
_NUMBER = re.compile(
    r"\s{0,40}[(\[]?\s{0,40}(?:co\.?\s{0,40}(?:no"
    r"|reg)?\W*)?(?:[a-z]{0,3}\d[\d\s]{3,}[-–]?\s?[a-z]{0,2}\s{0,40}[)\]]?|\(?\d{5,}.*)$",
    re.IGNORECASE,
)
_DOMAIN = re.compile(r"(?:www\.|@|https?://(?:www\.)?)([a-z0-9-]{3,})\.")
_GENERIC = {"gmail", "yahoo", "hotmail", "facebook", "outlook", "localhost", "example", "web", "gmx", "mail"}
_PARTS = re.compile(r"\s{1,40}[-–●•|·*]\s{1,40}|\s{0,40}[|●•]\s{0,40}|,\s{1,40}(?=\D*\d)|\s{2,}")
_TITLE = re.compile(r"\s{1,40}(?:tax )?(?:invoice|receipt|rechnung|statement)\s{0,40}$", re.IGNORECASE)
_DAY_OF_MONTH = re.compile(rf"\b\d{{1,2}}\.? (?:{ANY_MONTH})\b")
_FORM_AND_STOP = re.compile(rf"\b(?:{CERTAIN_FORM})[.,;](?=\s\S)(?!\s{{1,3}}(?:{FORM})\b)")
_BRACKETS = re.compile(r"\([^()]{0,40}\)")
_HEAD_ROWS, _REGISTER_ROWS = 14, 3
_OF_SENDER, _OF_ACCOUNT = 1.2, 1.5
_TOP_ADDRESS, _LATER_ADDRESS, _IN_ADDRESS = 1.5, -1.0, -1.5
_LETTERHEAD_ROWS, _MARGIN, _OFF_CENTRE, _SAME_COLUMN = 3, 120.0, 80.0, 8.0
_LONGEST = 70


class _Named(NamedTuple):
    score: float
    cell: Cell
    row: Row
    start: int
    end: int


def seller_of(rows: Sequence[Row], *, receipt: bool, buyer: str = "") -> FieldValue | None:
    """The name that has most for it; who is said to buy does not sell."""
    bought = _key(buyer)
    named = [each for each in _names(rows, receipt=receipt) if not bought or _key(_shown(each)) != bought]
    if not named:
        return None
    best = max(named, key=lambda each: each.score)
    others = [each.score for each in named if _key(_shown(each)) != _key(_shown(best))]
    lead = best.score - max(others, default=0.0)
    confidence = min(0.95, 0.42 + 0.06 * min(best.score, 6.0) + 0.08 * min(max(lead, 0.0), 2.5))
    span = best.cell.span(best.row.page, best.start, best.end)
    return FieldValue(
        "seller", _shown(best), " ".join(_shown(best).split()), round(confidence, 2), "rule", span
    )


def _shown(named: _Named) -> str:
    return named.cell.text[named.start : named.end]


def _key(name: str) -> str:
    return re.sub(r"\W", "", _FORM.sub("", fold(name)))


def _names(rows: Sequence[Row], *, receipt: bool) -> Iterator[_Named]:
    domains = {found for row in rows for found in _DOMAIN.findall(row.text.casefold())} - _GENERIC
    near, below = cells_below(rows, _BUYER, 5), cells_below(rows, _SELLER, 2)
    places = {} if receipt else _of_places(rows)
    seen: dict[str, int] = {}
    found: list[_Named] = []
    for number, row in enumerate(rows):
        priced = any(amount.exact for cell in row.cells for amount in find_amounts(cell.text))
        for cell in row.cells if not receipt or number < _HEAD_ROWS else ():
            for start, end, said in _pieces(cell):
                name = cell.text[start:end]
                if not said and (not _is_name(name) or _is_town(cell.text, start, end)):
                    continue
                score = _score(name, number, said=said, receipt=receipt, domains=domains)
                score -= 3.0 if (row.page, id(cell)) in near and not said else 0.0
                score -= 2.0 if priced else 0.0
                score += 2.5 if (row.page, id(cell)) in below else 0.0
                first = start == 0 and cell is row.cells[0]
                score += _OF_SENDER if first and id(cell) not in places and _is_sender(row, end) else 0.0
                score += _OF_ACCOUNT if _OWNS_ACCOUNT.search(fold(cell.text[:start])) else 0.0
                score += places.get(id(cell), 0.0)
                score += _TOP_ADDRESS if not receipt and _is_centred(rows, number) else 0.0
                score += (
                    (0.4 if receipt else 1.0) if _registered(rows, number, number + _REGISTER_ROWS) else 0.0
                )
                seen[_key(name)] = seen.get(_key(name), 0) + 1
                found.append(_Named(score, cell, row, start, end))
    for named in found:
        again = 0.3 * min(seen[_key(_shown(named))] - 1, 3)
        yield named._replace(score=named.score + again)


def _pieces(cell: Cell) -> Iterator[tuple[int, int, bool]]:
    """The cell's parts that could be a name, without the register's number after it; whether it says so."""
    folded = fold(cell.text)
    said = _SELLER.match(folded)
    label = said or _OWNS_ACCOUNT.search(folded)
    first = unfolded(cell.text, label.end()) if label else 0
    edges = [
        first,
        *(edge for part in _PARTS.finditer(cell.text, first) for edge in part.span()),
        len(cell.text),
    ]
    for start, end in list(zip(edges[::2], edges[1::2], strict=True))[:3]:
        place = _trimmed(cell.text, start, _sentence_end(cell.text, start, end))
        if place[1] - place[0] >= 3:
            yield *place, bool(said) and first > 0


def _sentence_end(text: str, start: int, end: int) -> int:
    """Where a legal form ends the sentence that a name is: "Quay Ltd. Registered office: …"."""
    over = _FORM_AND_STOP.search(text, start, end)
    if over is None:
        return end
    return over.end() - (0 if has_own_dot(over[0]) else 1)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    number = _NUMBER.search(piece) or _TITLE.search(piece)
    last = start + (number.start() if number and number.start() > 3 else len(piece))
    first = start + len(piece) - len(piece.lstrip(" *-:.,=>_'\""))
    return first, first + len(text[first:last].rstrip(" *-:,=<_("))


def _is_name(name: str) -> bool:
    folded = fold(name)
    letters = sum(map(str.isalpha, name))
    if _NOBODY.fullmatch(folded) or _is_sentence(name) or _is_street(name):
        return False
    if letters < 3 or letters < 0.55 * len(name.replace(" ", "")) or len(name) > _LONGEST:
        return False
    if _NO_NAME.search(folded) and ("capital" in folded or not _STRONG_FORM.search(folded)):
        return False
    if any(map(str.isdigit, name)) and (find_dates(name) or _DAY_OF_MONTH.search(folded)):
        return False
    return not _PLACE.search(_BRACKETS.sub("", folded)) or bool(_STRONG_FORM.search(folded[-14:]))


def _is_street(name: str) -> bool:
    return any(map(str.isdigit, name)) and is_address(name) and not _STRONG_FORM.search(fold(name))


def _is_town(text: str, start: int, end: int) -> bool:
    """Whether a town and its post code begin inside these words, which no form or trade makes a name."""
    name = fold(text[start:end])
    towns = any(start <= place.start < end for place in towns_in(text))
    return towns and not _FORM.search(name) and not _TRADE.search(name)


def _is_sentence(name: str) -> bool:
    """Whether most of its longer words begin small, as in no name but one in small letters throughout; what
    ends in a legal form is none, what ends in a full stop after many words is one."""
    if _STRONG_FORM.search(_BRACKETS.sub("", fold(name)).rstrip()[-14:]):
        return False
    if re.search(r"(?:\S+\s{1,40}){3}\S*[^\W\d_]{4}\W?[.!?]$", name):
        return True
    words = [word for word in re.findall(r"[^\W\d_]+", name) if word.casefold() not in _SMALL_WORDS]
    small = sum(word[0].islower() for word in words)
    return len(words) > 3 and len(words) > small > len(words) / 2


def _score(name: str, row: int, *, said: bool, receipt: bool, domains: set[str]) -> float:
    folded = fold(name)
    score = 2.0 - row * (0.25 if receipt else 0.04) if row < 60 else 0.0
    score += 4.0 if said and not receipt else 0.0  # whoever sold it there is the cashier
    if _STRONG_FORM.search(folded):
        score += 2.4
    elif _FORM.search(folded) or (_TRADE.search(folded) and re.search(r"\w{2}", _TRADE.sub("", folded))):
        score += 1.3
    key = _key(name)
    if len(key) >= 4 and any(_same(key, domain) for domain in domains):
        score += 2.5
    if name.islower() and receipt:
        score -= 1.5  # a name written by hand, as people do when they claim expenses
    score -= 1.5 if ":" in name else 0.0
    words = len(name.split())
    score -= 0.8 if words > 7 else 0.6 if words == 1 and not _STRONG_FORM.search(folded) else 0.0
    return score


def _same(key: str, domain: str) -> bool:
    plain = domain.replace("-", "")
    return key.startswith(plain) or plain.startswith(key) or (len(plain) > 5 and plain in key)


def _of_places(rows: Sequence[Row]) -> dict[int, float]:
    """What the place in an address says for a cell: of several, the topmost is a letterhead's.

    Where a number of a register stands beside a lower one, as in a footer, places say nothing.
    """
    blocks = address_blocks(rows)
    order = {id(row): number for number, row in enumerate(rows)}
    registered = [
        _registered(rows, order[id(block[0][0])], order[id(block[-1][0])] + _REGISTER_ROWS)
        for block in blocks
    ]
    top = min((block[0][0].top for block in blocks if block[0][0].page == rows[0].page), default=0.0)
    found: dict[int, float] = {}
    for block in blocks:
        found.update((id(cell), _IN_ADDRESS) for _, cell in block[1:])
        heads = len(blocks) > 1 and not any(registered[1:])
        high = block[0][0].top <= top and block[0][0].page == rows[0].page
        found[id(block[0][1])] = (_TOP_ADDRESS if high else _LATER_ADDRESS) if heads else 0.5
    return found


def _is_centred(rows: Sequence[Row], number: int) -> bool:
    """Whether a line at the very top stands in the middle above an address, as on a letterhead."""
    row = rows[number]
    if number >= _LETTERHEAD_ROWS or len(row.cells) > 1 or row.cells[0].left < _MARGIN:
        return False
    name = row.cells[0]
    return any(
        abs(below.cells[0].left + below.cells[-1].right - name.left - name.right) < _OFF_CENTRE
        and abs(below.cells[0].left - name.left) > _SAME_COLUMN  # else it is the window of a letter
        and is_address(below.cells[0].text)
        for below in rows[number + 1 : number + 1 + _LETTERHEAD_ROWS]
    )


def _is_sender(row: Row, end: int) -> bool:
    """Whether an address follows on the same line, as above the window of a letter."""
    rest = [row.cells[0].text[end:], *(cell.text for cell in row.cells[1:3])]
    return any(is_address(part.strip(" ,●•·|-–")) for part in rest)


def _registered(rows: Sequence[Row], first: int, after: int) -> bool:
    return any(_REGISTER.search(fold(row.text)) for row in rows[first:after])
