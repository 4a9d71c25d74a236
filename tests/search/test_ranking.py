"""Lexical search: the ranking of documents, and the word counts it is based on."""

from __future__ import annotations

from collections import Counter
from datetime import date
from uuid import UUID

import pytest

from docyard.db import Database
from tests.search.library import Library

FILLER = "This passage is about something else entirely and was written by somebody."


def test_rarer_words_weigh_more(library: Library) -> None:
    for n in range(20):
        library.put(f"{n}", f"The contract of number {n}. {FILLER}")
    library.put("contract", "contract contract and nothing besides")
    library.put("walrus", "walrus seen once, in a text that is otherwise of the same length")
    library.count()
    assert library.find_names("contract walrus")[0] == "walrus"


def test_ranks_a_passage_with_all_words_above_one_that_repeats_a_word(library: Library) -> None:
    library.put("often", "lease lease lease lease lease lease")
    library.put("both", "the lease and its termination")
    library.put("none", FILLER)
    library.count()
    assert library.find_names("lease termination") == ["both", "often"]


def test_ranks_short_passages_above_long_ones(library: Library) -> None:
    library.put("long", f"invoice {FILLER * 10}")
    library.put("short", "invoice of May")
    library.count()
    assert library.find_names("invoice") == ["short", "long"]


def test_finds_an_answer_that_lacks_some_words_of_the_question(library: Library) -> None:
    library.put("answer", "Aeroelastic models of heated aircraft obey similarity laws.")
    for n in range(5):
        library.put(f"{n}", f"What must be done when this is that. {FILLER}")
    library.count()
    assert library.find_names("what similarity laws must be obeyed when constructing aeroelastic models")[0] == "answer"


def test_stop_words_find_nothing_unless_there_are_no_other_words(library: Library) -> None:
    library.put("slipway", "Two planks are rotten and must go.")
    library.put("elsewhere", "The car stands on the street.")
    library.put("deutsch", "Der Wagen steht auf der Strasse.", language="de")
    library.count()
    assert library.find_names("rotten wood on the jetty") == ["slipway"]
    assert library.find_names("faule Planken auf der Rampe") == []
    assert library.find_names("on the") == ["elsewhere"]
    assert library.find_names("auf der") == ["deutsch"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("contracts", {"english", "german in english"}),
        ('"both parties"', {"english"}),
        ('"parties both"', set()),
        ('"to be or not to be"', {"hamlet"}),
        ("contract -Vertrag", {"english"}),
        ("-contract", set()),
        ("hamlet OR vertrag", {"hamlet", "german", "german in english"}),
        ("Verträge", {"german"}),
        ("Vertrag", {"german", "german in english"}),
        ("part*", {"english", "german"}),
        ("annual report", {"Annual_Report-2024.pdf"}),
        ("", set()),
        ("o'neill \\ ' :* & | !", set()),
        ('"', set()),
    ],
)
def test_query_syntax(library: Library, words: str, found: set[str]) -> None:
    library.put("english", "The contract binds both parties.")
    library.put("hamlet", "Whether it is better: to be or not to be. Hamlet.")
    library.put("german", "Die Verträge binden beide Parteien.", language="de")
    library.put("german in english", "A contract is called Vertrag.")
    library.put("Annual_Report-2024.pdf", "nothing to see")
    library.count()
    assert set(library.find_names(words)) == found


def test_finds_words_before_they_are_counted(library: Library) -> None:
    library.put("new", "a walrus")
    library.put("german", "ein Walross", language="de")
    assert library.find_names("walruses") == ["new"]
    assert library.find_names("Walrosses") == ["german"]


def test_titles_and_names_raise_the_score_and_find_documents_without_text(library: Library) -> None:
    library.put("text", "budget for the year, " + FILLER)
    library.put("title", "budget for the year, " + FILLER, title="Budget")
    library.put("budget_2024.xyz")
    library.count()
    assert library.find_names("budget")[0] == "title"
    assert set(library.find_names("budget")) == {"text", "title", "budget_2024.xyz"}


def test_excluded_words_apply_to_documents_found_by_name(library: Library) -> None:
    library.put("lease.txt", "It is about the flat.")
    assert library.find_names("lease") == ["lease.txt"]
    assert library.find_names("lease -flat") == []


def test_a_hit_has_the_best_passage_with_marked_words(library: Library) -> None:
    library.put("two", "Nothing here.", "The walrus is here, the walrus.")
    (hit,) = library.search("walrus").hits
    assert (hit.page, hit.start, hit.end) == (1, 0, 31)
    assert hit.snippet.count("\ue000walrus\ue001") == 2
    assert hit.by == "words"


def test_filters_restrict_a_search(library: Library) -> None:
    library.put("a", "the walrus", media_type="application/pdf", tags=["zoo", "sea"], day=date(2024, 5, 1))
    library.put("b", "der Walrus", language="de", media_type="image/png", tags=["sea"], day=date(2025, 5, 1))
    library.count()
    assert set(library.find_names("walrus")) == {"a", "b"}
    assert library.find_names("walrus", kinds=("pdf",)) == ["a"]
    assert set(library.find_names("walrus", kinds=("pdf", "image"))) == {"a", "b"}
    assert library.find_names("walrus", tags=("zoo",)) == ["a"]
    assert library.find_names("walrus", tags=("zoo", "other")) == []
    assert library.find_names("walrus", languages=("de",)) == ["b"]
    assert library.find_names("walrus", since=date(2024, 5, 2)) == ["b"]
    assert library.find_names("walrus", since=date(2024, 5, 1), until=date(2024, 5, 1)) == ["a"]
    assert library.find_names("b", kinds=("pdf",)) == [], "filters also apply to documents found by name"


def test_other_workspaces_affect_neither_hits_nor_scores(
    library: Library, database: Database, web_database: Database, other_workspace: UUID
) -> None:
    library.put("mine", "the walrus and the carpenter")
    library.count()
    before = library.search("walrus carpenter").hits
    theirs = Library(database, web_database, other_workspace)
    for n in range(50):
        theirs.put(f"{n}", "walrus walrus walrus")
    theirs.count()
    assert library.search("walrus carpenter").hits == before
    assert len(theirs.find_names("walrus")) == 20
    assert theirs.find_names("carpenter") == []


def load_counts(database: Database) -> Counter[str]:
    with database.transaction() as conn:
        rows = conn.execute("SELECT lexeme, chunks FROM lexemes WHERE chunks <> 0")
        return Counter({row["lexeme"]: row["chunks"] for row in rows})


def test_counts_stay_exact_when_a_document_is_rewritten(library: Library, database: Database) -> None:
    first = library.put("a", "walrus walrus carpenter", "walrus")
    library.put("b", "the carpenters")
    library.count()
    assert load_counts(database) == Counter(walrus=2, carpent=2, the=1)
    for _ in range(3):
        library.write(first, "oysters")
        library.write(first, "walrus " * 9, "oyster", "oyster")
    library.count()
    assert load_counts(database) == Counter(walrus=1, carpent=1, the=1, oyster=2)
    with database.transaction() as conn:
        often = conn.execute("SELECT chunks_3, chunks_9 FROM lexemes WHERE lexeme = 'walrus'").fetchall()
        totals = conn.execute("SELECT chunks, characters FROM text_totals").fetchall()
    assert often == [{"chunks_3": 1, "chunks_9": 1}]
    assert totals == [{"chunks": 4, "characters": 63 + 6 + 6 + 14}]


def test_the_score_is_bm25(library: Library) -> None:
    """Compare the score with the formula, for a word that occurs three times in one of two passages."""
    library.put("x", "walrus walrus walrus")
    library.put("y", "carpenter")
    library.count()
    (hit,) = library.search("walrus").hits
    length = 20 / ((20 + 9) / 2)
    weight = 0.6931471805599453  # ln 2: the word occurs in half of the passages
    assert hit.score == pytest.approx(weight * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * length)), rel=1e-4)


@pytest.mark.parametrize("times", [1, 2, 3, 5, 10, 40, 200])
def test_term_frequency_is_exact(library: Library, times: int) -> None:
    library.put("x", "walrus " * times)
    library.put("y", "something else of any length")
    library.count()
    (hit,) = library.search("walrus").hits
    size = 7 * times
    length = 1.2 * (0.25 + 0.75 * size / ((size + 28) / 2))
    assert hit.score == pytest.approx(0.6931471805599453 * times * 2.2 / (times + length), rel=1e-4)


def test_suggests_a_correction_for_a_misspelt_word(library: Library) -> None:
    library.put("a", "The carpenters and the walrus.")
    library.count()
    assert library.search("carpentres").suggestion == "carpenters"
    assert library.search("the wlarus -sea").suggestion == "the walrus -sea"
    assert library.search("walrus").suggestion is None
    assert library.search("xyzzyq").suggestion is None


def test_makes_no_suggestion_if_enough_documents_are_found(library: Library) -> None:
    library.put("a", "The carpenters and the walrus.")
    library.put("b", "A walrus.")
    library.count()
    assert library.search("walrus carpentres").suggestion == "walrus carpenters"
    library.put("c", "Another walrus.")
    library.count()
    assert library.search("walrus carpentres").suggestion is None
    assert library.search("carpentres").suggestion == "carpenters"


def test_snippets_separate_the_cells_of_a_table(library: Library) -> None:
    header = "| Berth | Length | Note |\n| --- | ---: | --- |"
    table = f"{header}\n| North pier |  | a \\| b |\n| South pier | nine metres |  |"
    library.put("a", f"## Berths\n\n{table}")
    library.put("b", "cat berths | grep pier")
    library.count()
    hits = {hit.document_name: hit.snippet for hit in library.search("pier").hits}
    shown = {name: " ".join(text.translate({0xE000: None, 0xE001: None}).split()) for name, text in hits.items()}
    assert shown["a"] == "Berths Berth · Length · Note; North pier · a | b; South pier · nine metres"
    assert shown["b"].endswith("berths | grep pier")
