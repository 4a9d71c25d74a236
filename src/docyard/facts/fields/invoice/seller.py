"""The seller of an invoice or receipt, chosen by labels, position, legal form and similar evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docyard.facts.fields.invoice.addressees import find_address_blocks
from docyard.facts.fields.layout.columns import find_cells_below
from docyard.facts.fields.layout.labels import fold_label, unfold_offset
from docyard.facts.fields.layout.rows import Cell, Row
from docyard.facts.notation.addresses import find_towns, is_address
from docyard.facts.notation.amounts import find_amounts
from docyard.facts.notation.dates import find_dates
from docyard.facts.notation.legal_forms import CERTAIN_FOLDED_FORM, CERTAIN_FORM, FOLDED_FORM, FORM, has_own_dot
from docyard.facts.notation.months import ANY_MONTH
from docyard.model.facts import FieldValue

_FORM = re.compile(rf"\b(?:{FOLDED_FORM})(?!\w)\.?")
_STRONG_FORM = re.compile(rf"\b(?:{CERTAIN_FOLDED_FORM})(?!\w)")
_TRADE_WORD = re.compile(
    r"\b(trading|enterprise|restaura?nt|restoran|kedai|cafe|bistro|hardware|store|stores|mart|market"
    r"|supermarket|shop|hotel"
    r"|bakery|pharmacy|farmasi|klinik|clinic|pasar\w*|perniagaan|gallery|books?|stationery|electrical"
    r"|station|motor|auto"
    r"|house|kitchen|services?|industries|handicraft|deco|gift|seafood|foods?|apotheke|backerei|praxis"
    r"|solutions|group"
    r"|kopitiam|syarikat|maju|jaya|holdings|international|company|bank|versicherung|hosting|interior"
    r"|studio|works)\b"
)
_NOT_A_NAME = re.compile(
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
_ADDRESS_WORD = re.compile(
    r"^\W*[a-z]{0,3}\d[\w/-]*\s?,|\bjl\b|^\W*(no|lot|unit|block|blk|level|jalan|jln|suite)\W{0,3}\d|\b(jalan|jln|lorong|taman|persiaran"
    r"|street|road|avenue|lane|"
    r"rue|chemin|allee|weg|platz|strasse|straat|selangor|johor|kuala lumpur|petaling|floor)\b"
    r"|^\W*(malaysia|germany|deutschland|france|usa|india|united kingdom)\W*$|strasse\b|straße|\b\d{5}\b"
    r"|^\d+[,\s]|str\. \d"
)
_BUYER_LABEL = re.compile(
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
_SELLER_LABEL = re.compile(
    r"\b(sold by|seller|vendor|from|supplier|issued by|verkaufer|rechnungsersteller|rechnungssteller"
    r"|aussteller"
    r"|service provider|vendeur|fournisseur|emetteur|emisor|proveedor|vendedor|emittente|fornitore|cedente"
    r"|leverancier|afzender|provider|remit to|lieferant|exporter|shipper|prestataire|prestador"
    r"|leistungserbringer(?:in)?|sprzedawca|dodavatel|opdrachtnemer)\s{0,40}(?:[:.]\W*|$)"
    r"|(?:your )?(?:tax )?invoice from\W+"
    r"|\W*(?:please )?(?:make )?(?:all )?che(?:cks?|ques?) payable to\W*"
)
# The account holder is usually the seller, but may be its owner or its bank.
_HOLDER_LABEL = re.compile(
    r"\b(?:account (?:name|holder)|kontoinhaber(?:in)?|beneficiary|beneficiaire|titulaire(?: du compte)?"
    r"|titular(?: de la cuenta)?|intestatario|t\.?n\.?v\.?|ten name van)\s{0,40}:\s{0,40}"
)
_PAYMENT_WORD = re.compile(
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
_REGISTRATION = re.compile(
    r"\b(tva|vat|ust|siret|iban|hrb|handelsreg|gst (id|no|reg)|co\.? ?(no|reg)|company (no|reg)|kvk|btw"
    r"|abn|roc|bic|reg\.? ?no)"
)
_REGISTRATION_NUMBER = re.compile(
    r"\s{0,40}[(\[]?\s{0,40}(?:co\.?\s{0,40}(?:no"
    r"|reg)?\W*)?(?:[a-z]{0,3}\d[\d\s]{3,}[-–]?\s?[a-z]{0,2}\s{0,40}[)\]]?|\(?\d{5,}.*)$",
    re.IGNORECASE,
)
_DOMAIN = re.compile(r"(?:www\.|@|https?://(?:www\.)?)([a-z0-9-]{3,})\.")
_PUBLIC_DOMAINS = {"gmail", "yahoo", "hotmail", "facebook", "outlook", "localhost", "example", "web", "gmx", "mail"}
_SEPARATOR = re.compile(r"\s{1,40}[-–●•|·*]\s{1,40}|\s{0,40}[|●•]\s{0,40}|,\s{1,40}(?=\D*\d)|\s{2,}")
_TITLE_AT_END = re.compile(r"\s{1,40}(?:tax )?(?:invoice|receipt|rechnung|statement)\s{0,40}$", re.IGNORECASE)
_DAY_OF_MONTH = re.compile(rf"\b\d{{1,2}}\.? (?:{ANY_MONTH})\b")
_FORM_AND_STOP = re.compile(rf"\b(?:{CERTAIN_FORM})[.,;](?=\s\S)(?!\s{{1,3}}(?:{FORM})\b)")
_BRACKETS = re.compile(r"\([^()]{0,40}\)")
_TOP_ROWS, _REGISTRATION_ROWS = 14, 3
_SENDER_BONUS, _ACCOUNT_BONUS = 1.2, 1.5
_TOP_ADDRESS_SCORE, _LATER_ADDRESS_SCORE, _INSIDE_ADDRESS_SCORE = 1.5, -1.0, -1.5
_LETTERHEAD_ROWS, _MIN_LEFT, _MAX_OFF_CENTRE, _SAME_COLUMN = 3, 120.0, 80.0, 8.0
_MAX_CHARS = 70


class _Candidate(NamedTuple):
    score: float
    cell: Cell
    row: Row
    start: int
    end: int


def find_seller(rows: Sequence[Row], *, receipt: bool, buyer: str = "") -> FieldValue | None:
    """Return the name with the highest score that is not the buyer's."""
    buyer_key = _make_key(buyer)
    candidates = [
        each
        for each in _find_candidates(rows, receipt=receipt)
        if not buyer_key or _make_key(_get_name(each)) != buyer_key
    ]
    if not candidates:
        return None
    best = max(candidates, key=lambda each: each.score)
    others = [each.score for each in candidates if _make_key(_get_name(each)) != _make_key(_get_name(best))]
    lead = best.score - max(others, default=0.0)
    confidence = min(0.95, 0.42 + 0.06 * min(best.score, 6.0) + 0.08 * min(max(lead, 0.0), 2.5))
    span = best.cell.span(best.row.page, best.start, best.end)
    return FieldValue("seller", _get_name(best), " ".join(_get_name(best).split()), round(confidence, 2), "rule", span)


def _get_name(candidate: _Candidate) -> str:
    return candidate.cell.text[candidate.start : candidate.end]


def _make_key(name: str) -> str:
    return re.sub(r"\W", "", _FORM.sub("", fold_label(name)))


def _find_candidates(rows: Sequence[Row], *, receipt: bool) -> Iterator[_Candidate]:
    domains = {found for row in rows for found in _DOMAIN.findall(row.text.casefold())} - _PUBLIC_DOMAINS
    buyer_cells, seller_cells = (find_cells_below(rows, _BUYER_LABEL, 5), find_cells_below(rows, _SELLER_LABEL, 2))
    bonuses = {} if receipt else _score_addresses(rows)
    seen: dict[str, int] = {}
    found: list[_Candidate] = []
    for index, row in enumerate(rows):
        priced = any(amount.exact for cell in row.cells for amount in find_amounts(cell.text))
        for cell in row.cells if not receipt or index < _TOP_ROWS else ():
            for start, end, labelled in _split_cell(cell):
                name = cell.text[start:end]
                if not labelled and (not _is_name(name) or _is_town(cell.text, start, end)):
                    continue
                score = _score_name(name, index, labelled=labelled, receipt=receipt, domains=domains)
                score -= 3.0 if (row.page, id(cell)) in buyer_cells and not labelled else 0.0
                score -= 2.0 if priced else 0.0
                score += 2.5 if (row.page, id(cell)) in seller_cells else 0.0
                first = start == 0 and cell is row.cells[0]
                score += _SENDER_BONUS if first and id(cell) not in bonuses and _is_sender(row, end) else 0.0
                score += _ACCOUNT_BONUS if _HOLDER_LABEL.search(fold_label(cell.text[:start])) else 0.0
                score += bonuses.get(id(cell), 0.0)
                score += _TOP_ADDRESS_SCORE if not receipt and _is_centred(rows, index) else 0.0
                score += (
                    (0.4 if receipt else 1.0) if _has_registration(rows, index, index + _REGISTRATION_ROWS) else 0.0
                )
                seen[_make_key(name)] = seen.get(_make_key(name), 0) + 1
                found.append(_Candidate(score, cell, row, start, end))
    for candidate in found:
        repetition = 0.3 * min(seen[_make_key(_get_name(candidate))] - 1, 3)
        yield candidate._replace(score=candidate.score + repetition)


def _split_cell(cell: Cell) -> Iterator[tuple[int, int, bool]]:
    """Yield each range of a cell that could be a name, and whether a seller label precedes it.

    A registration number after a name is cut off.
    """
    folded = fold_label(cell.text)
    seller_label = _SELLER_LABEL.match(folded)
    label = seller_label or _HOLDER_LABEL.search(folded)
    first = unfold_offset(cell.text, label.end()) if label else 0
    edges = [first, *(edge for part in _SEPARATOR.finditer(cell.text, first) for edge in part.span()), len(cell.text)]
    for start, end in list(zip(edges[::2], edges[1::2], strict=True))[:3]:
        name = _trim(cell.text, start, _find_sentence_end(cell.text, start, end))
        if name[1] - name[0] >= 3:
            yield *name, bool(seller_label) and first > 0


def _find_sentence_end(text: str, start: int, end: int) -> int:
    """Return the end of a name whose legal form ends a sentence: "Quay Ltd. Registered office: …"."""
    form = _FORM_AND_STOP.search(text, start, end)
    if form is None:
        return end
    return form.end() - (0 if has_own_dot(form[0]) else 1)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    number = _REGISTRATION_NUMBER.search(part) or _TITLE_AT_END.search(part)
    last = start + (number.start() if number and number.start() > 3 else len(part))
    first = start + len(part) - len(part.lstrip(" *-:.,=>_'\""))
    return first, first + len(text[first:last].rstrip(" *-:,=<_("))


def _is_name(name: str) -> bool:
    folded = fold_label(name)
    letters = sum(map(str.isalpha, name))
    if _PAYMENT_WORD.fullmatch(folded) or _is_sentence(name) or _is_street(name):
        return False
    if letters < 3 or letters < 0.55 * len(name.replace(" ", "")) or len(name) > _MAX_CHARS:
        return False
    if _NOT_A_NAME.search(folded) and ("capital" in folded or not _STRONG_FORM.search(folded)):
        return False
    if any(map(str.isdigit, name)) and (find_dates(name) or _DAY_OF_MONTH.search(folded)):
        return False
    return not _ADDRESS_WORD.search(_BRACKETS.sub("", folded)) or bool(_STRONG_FORM.search(folded[-14:]))


def _is_street(name: str) -> bool:
    return any(map(str.isdigit, name)) and is_address(name) and not _STRONG_FORM.search(fold_label(name))


def _is_town(text: str, start: int, end: int) -> bool:
    """Return whether a post code and town begin in this range, and it has no legal form or trade word."""
    name = fold_label(text[start:end])
    has_town = any(start <= town.start < end for town in find_towns(text))
    return has_town and not _FORM.search(name) and not _TRADE_WORD.search(name)


def _is_sentence(name: str) -> bool:
    """Return whether these words are a sentence: most of them, but not all, begin in lower case.

    Words that end in a legal form are not a sentence; several words that end in a full stop are.
    """
    if _STRONG_FORM.search(_BRACKETS.sub("", fold_label(name)).rstrip()[-14:]):
        return False
    if re.search(r"(?:\S+\s{1,40}){3}\S*[^\W\d_]{4}\W?[.!?]$", name):
        return True
    words = [word for word in re.findall(r"[^\W\d_]+", name) if word.casefold() not in _SMALL_WORDS]
    small = sum(word[0].islower() for word in words)
    return len(words) > 3 and len(words) > small > len(words) / 2


def _score_name(name: str, row: int, *, labelled: bool, receipt: bool, domains: set[str]) -> float:
    folded = fold_label(name)
    score = 2.0 - row * (0.25 if receipt else 0.04) if row < 60 else 0.0
    score += 4.0 if labelled and not receipt else 0.0  # on a receipt, the label names the cashier
    if _STRONG_FORM.search(folded):
        score += 2.4
    elif _FORM.search(folded) or (_TRADE_WORD.search(folded) and re.search(r"\w{2}", _TRADE_WORD.sub("", folded))):
        score += 1.3
    key = _make_key(name)
    if len(key) >= 4 and any(_matches_domain(key, domain) for domain in domains):
        score += 2.5
    if name.islower() and receipt:
        score -= 1.5  # a handwritten name, as on expense claims
    score -= 1.5 if ":" in name else 0.0
    words = len(name.split())
    score -= 0.8 if words > 7 else 0.6 if words == 1 and not _STRONG_FORM.search(folded) else 0.0
    return score


def _matches_domain(key: str, domain: str) -> bool:
    plain = domain.replace("-", "")
    return key.startswith(plain) or plain.startswith(key) or (len(plain) > 5 and plain in key)


def _score_addresses(rows: Sequence[Row]) -> dict[int, float]:
    """Return a score for each cell of an address, keyed by the cell's `id()`.

    The topmost address counts as the letterhead, unless a registration number is near another address, as in
    a footer.
    """
    blocks = find_address_blocks(rows)
    row_numbers = {id(row): index for index, row in enumerate(rows)}
    registered = [
        _has_registration(rows, row_numbers[id(block[0][0])], row_numbers[id(block[-1][0])] + _REGISTRATION_ROWS)
        for block in blocks
    ]
    top = min((block[0][0].top for block in blocks if block[0][0].page == rows[0].page), default=0.0)
    scores: dict[int, float] = {}
    for block in blocks:
        scores.update((id(cell), _INSIDE_ADDRESS_SCORE) for _, cell in block[1:])
        position_counts = len(blocks) > 1 and not any(registered[1:])
        is_topmost = block[0][0].top <= top and block[0][0].page == rows[0].page
        scores[id(block[0][1])] = (
            (_TOP_ADDRESS_SCORE if is_topmost else _LATER_ADDRESS_SCORE) if position_counts else 0.5
        )
    return scores


def _is_centred(rows: Sequence[Row], index: int) -> bool:
    """Return whether a line at the very top is centred above an address, as in a letterhead."""
    row = rows[index]
    if index >= _LETTERHEAD_ROWS or len(row.cells) > 1 or row.cells[0].left < _MIN_LEFT:
        return False
    name = row.cells[0]
    return any(
        abs(below.cells[0].left + below.cells[-1].right - name.left - name.right) < _MAX_OFF_CENTRE
        and abs(below.cells[0].left - name.left) > _SAME_COLUMN  # otherwise it is an address window
        and is_address(below.cells[0].text)
        for below in rows[index + 1 : index + 1 + _LETTERHEAD_ROWS]
    )


def _is_sender(row: Row, end: int) -> bool:
    """Return whether an address follows on the same line, as in the return address of a letter."""
    rest = [row.cells[0].text[end:], *(cell.text for cell in row.cells[1:3])]
    return any(is_address(part.strip(" ,●•·|-–")) for part in rest)


def _has_registration(rows: Sequence[Row], start: int, end: int) -> bool:
    return any(_REGISTRATION.search(fold_label(row.text)) for row in rows[start:end])
