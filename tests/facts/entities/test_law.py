"""Citations, statutes, courts and case numbers."""

from __future__ import annotations

import pytest

from tests.facts.sample_documents import find_rule_mentions


def read(text: str, language: str) -> list[tuple[str, str]]:
    found = find_rule_mentions(text, language)
    return [(each.kind, text[each.start : each.end]) for each in found]


@pytest.mark.parametrize(
    ("text", "language", "kind", "written"),
    [
        ("See [2019] UKSC 12.", "en", "citation", "[2019] UKSC 12"),
        ("in [2015] EWHC 123 (Ch),", "en", "citation", "[2015] EWHC 123 (Ch)"),
        ("Donoghue v Stevenson [1932] AC 562", "en", "citation", "[1932] AC 562"),
        ("ECLI:EU:C:2014:317.", "en", "citation", "ECLI:EU:C:2014:317"),
        ("in Case C-131/12", "en", "case_number", "C-131/12"),
        ("Regulation (EU) 2016/679", "en", "statute", "Regulation (EU) 2016/679"),
        ("Directive 95/46/EC", "en", "statute", "Directive 95/46/EC"),
        (
            "under Article 6(1)(f) of Regulation (EU) 2016/679",
            "en",
            "statute",
            "Article 6(1)(f) of Regulation (EU) 2016/679",
        ),
        ("by section 21 of the Housing Act 1988", "en", "statute", "section 21 of the Housing Act 1988"),
        ("347 U.S. 483", "en", "citation", "347 U.S. 483"),
        ("15 U.S.C. § 1", "en", "statute", "15 U.S.C. § 1"),
        ("Case No. 3:19-cv-01234-ABC", "en", "case_number", "3:19-cv-01234-ABC"),
        ("Docket No. 12-345", "en", "case_number", "12-345"),
        ("10-4092 | USA v. Saferstein", "en", "case_number", "10-4092"),
        ("before the Supreme Court of Delaware", "en", "court", "Supreme Court of Delaware"),
        ("nach § 823 Abs. 1 BGB", "de", "statute", "§ 823 Abs. 1 BGB"),
        ("§ 137c Abs 1 S 1 SGB V", "de", "statute", "§ 137c Abs 1 S 1 SGB V"),
        ("Art. 2 Abs. 1 i. V. m. Art. 1 Abs. 1 GG", "de", "statute", "Art. 2 Abs. 1 i. V. m. Art. 1 Abs. 1 GG"),
        ("(BGH, Urt. v. 3. Mai 2019 – VIII ZR 123/20)", "de", "citation", "BGH, Urt. v. 3. Mai 2019 – VIII ZR 123/20"),
        ("BVerfGE 106, 275 <299>", "de", "citation", "BVerfGE 106, 275 <299>"),
        ("Az.: 12 O 345/18", "de", "case_number", "12 O 345/18"),
        ("das Landgericht Memmingen", "de", "court", "Landgericht Memmingen"),
        ("article 1240 du Code civil", "fr", "statute", "article 1240 du Code civil"),
        ("la Cour de cassation", "fr", "court", "Cour de cassation"),
    ],
)
def test_finds_legal_references(text: str, language: str, kind: str, written: str) -> None:
    assert read(text, language) == [(kind, written)]


def test_id_refers_to_the_previous_citation() -> None:
    text = "Brown v. Board of Education, 347 U.S. 483, 490 (1954).\nId. at 495."
    found = [each for each in find_rule_mentions(text, "en") if each.kind == "citation"]
    assert [each.normal for each in found] == ["347 U.S. 483", "347 U.S. 483"]


def test_finds_a_citation_across_a_line_break() -> None:
    text = "as held in 347 U.S.\n483 (1954)"
    (found,) = [each for each in find_rule_mentions(text, "en") if each.kind == "citation"]
    assert (text[found.start : found.end], found.normal) == ("347 U.S.\n483", "347 U.S. 483")


@pytest.mark.parametrize("text", ["Die Holding KG zahlt.", "Das Oberlandesgericht entscheidet.", "Die Anordnung gilt."])
def test_ignores_words_that_resemble_legal_references(text: str) -> None:
    assert [kind for kind, _ in read(text, "de") if kind in ("court", "statute")] == []
