"""What the words before an amount say that it is: the total, the tax, the change given back …"""

from __future__ import annotations

import re
import unicodedata

# The first rule that fits decides; each gives a role and how much it says for it.
_RULES: tuple[tuple[str, float, str], ...] = (
    ("change", 1.0, r"\bchange\b|ruckgeld|wechselgeld|rendu\b|\bbaki\b|wisselgeld|cambio\b|resto\b"),
    ("other", 0.0, r"\b(qty|quantit|items?|itens|count|pcs|sav(ed|ings?)|points?|anzahl|stuck|menge|litres?)\b"),
    ("other", 0.0, r"(?<!after )(?<!aft )\b(discount|disc|rabatt|remise|skonto|korting|sconto|deposit|capital)\b"),
    ("total", 5.0, r"\btota[l1i]\w*.{0,12}\b(round|after\b|aft\b)|round\w*d\b.{0,6}tota|rounded amount"),
    ("rounding", 1.0, r"r[o0c]u?r? ?[nd]{1,2}d?[il1]ng|rundung|arrondi|\badj(ust\w*)?\b|afronding"),
    ("subtotal", 1.2, r"\bsub\W{0,2}(t[o0i]|1 ?t)|zwischensumme|sous\W{0,2}total|subtot|\bsubt\b"),
    ("net", 1.0, r"\b(exc[li1]\w*|exkl|zzgl|hors|untaxed|netto\w*|before|w/o|without|ohne|taxable|imponibile|exclusief"
        r"|hord|tax base|base imponible)\b|\bh\.?t\.?(?=\W|$)|steuerbasis|nettobetrag|net (amou?n?t|value|price)"),
    ("total", 5.2, r"grand\W{0,2}tota|\b(tota[l1i]\w*|amount|amt|sales|sum|summe|betrag|montant|totaal)\b.{0,25}"
        r"\b(in[cg][li1]\w*|inkl\w*|with|mit|ttc|inclusief)\b|\bt\.?t\.?c\b|brutto|endbetrag|gesamtbetrag|rechnungsbetrag"
        r"|rechnungssumme|gesamtsumme|endsumme|(invoice|bill|order) (tota|amount)|tota[l1i] (for this|invoice|bill)"
        r"|total general|importe total|totale (fattura|documento)|total da fatura|razem"),
    ("tax", 2.0, r"\b(gst|vat|(?<!before )tax(es)?|mwst\w*|ust|umsatzsteuer|mehrwertsteuer|tva|btw|iva|[csiu]gst|hst|pst"
        r"|steuer\w*|sst|moms|versicherungsteuer|cst|mva)\b|mwst|vers\w*steuer"),
    ("payable", 4.6, r"\b(due|payable|to pay|balance)\b|zahlbetrag|zu zahlen|a payer|solde|te betalen|a pagar|da pagare"
        r"|do zaplaty|att betala|zahlen sie|zahlungsbetrag"),
    ("total", 4.0, r"\bnett?\b.{0,4}\bt?tota|\bnett?\b$|tota[l1i] (amount|amt|sales|price|charge)"),
    ("total", 3.0, r"\b[it]?[t]?ota[l1i]\w*|\btotaal|\bsumme\b|\bgesamt\b|\btotale\b|\bsuma\b|\bsum\b"),
    ("paid", 1.0, r"\b(cash|visa|master|card|paid|payment|tender\w*|received|amex|debit|credit|bar|karte|kartu|tunai"
        r"|given|paye|maestro|girocard|eftpos|mastercard)\b"),
    ("total", 1.5, r"\b(amount|amt|betrag|montant|bedrag|importe|importo)\b"),
)  # fmt: skip
_COMPILED = tuple((role, weight, re.compile(pattern)) for role, weight, pattern in _RULES)
# What a scanner takes for a letter inside a word.
_LOOKALIKES = str.maketrans({"0": "o", "1": "l", "5": "s", "|": "l", "!": "l"})
_MIXED = re.compile(r"\b(?=\w*[a-z])[\w|!]*[015|!][\w|!]*\b")


def fold(text: str) -> str:
    """A label in small letters without accents, figures inside words read as the letters they look like."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return _MIXED.sub(lambda found: found[0].translate(_LOOKALIKES), plain)


def role_of(label: str) -> tuple[str, float]:
    """The role of an amount by the words before it, and how much they say for it."""
    folded = fold(label)
    for role, weight, pattern in _COMPILED:
        if pattern.search(folded):
            return role, weight
    return "other", 0.0
