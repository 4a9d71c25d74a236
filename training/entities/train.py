"""Train the tagger of names: `python -m training.entities.train CORPUS FOLD OUTPUT`."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from docyard.engines.embedding import find_model
from eval.maintenance_set import read_orders
from eval.ner_sets import EMERGING, GENERAL, GERMAN_LAW, Labelled, read
from training.entities.encoder import Tagger
from training.entities.examples import LEFT_OUT, TAGS, Example, examples, sentences, varied
from training.entities.names import made_names

FOLDS = 3
EPOCHS, BATCH, RATE, HEAD_RATE = 5, 16, 1.5e-4, 1e-3
LAYERS = 4
SETS = {
    "wikigold.conll.txt": (GENERAL | {"MISC": "other"}, False),
    "sec_FIN5.conll": (GENERAL | {"MISC": "other"}, False),
    "emerging.dev.conll": (EMERGING | {"product": "other", "creative-work": "other"}, True),
    "ler_dev.conll": (
        GERMAN_LAW | {"MRK": "other", "LIT": "law", "VT": "law", "VS": "law"},
        True,
    ),
}
ORDERS = "maintie_gold.json"
LAW_SENTENCES = 300  # with names, and a third as many of any kind: German law would be most of what there is


def documents(corpus: Path, fold: int, *, held_out: bool) -> dict[str, list[Labelled]]:
    """Those that a fold learns from, or those that it is tested on; a document is never in both."""
    every = {
        name: read(corpus / "ner" / name, kinds, by_sentence=by_sentence)
        for name, (kinds, by_sentence) in SETS.items()
    } | {ORDERS: read_orders(corpus / "maintenance" / ORDERS)}
    return {
        name: [each for number, each in enumerate(found) if (number % FOLDS == fold) == held_out]
        for name, found in every.items()
    }


def _lessons(learnt: dict[str, list[Labelled]], chance: random.Random) -> list[Labelled]:
    parts = []
    for name, found in learnt.items():
        if name == "ler_dev.conll":
            named = [
                each
                for each in found
                if any(kind in ("person", "organisation", "place") for kind, _, _ in each.truth)
            ]
            parts += chance.sample(named, LAW_SENTENCES) + chance.sample(found, LAW_SENTENCES // 3)
        else:
            parts += [part for each in found for part in sentences(each)]
    return parts


def _batches(found: list[Example], chance: random.Random) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    order = sorted(range(len(found)), key=lambda n: len(found[n].tokens) + chance.random() * 12)
    groups = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]
    chance.shuffle(groups)
    return [_batch([found[n] for n in group]) for group in groups]


def _batch(rows: list[Example]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    longest = max(len(row.tokens) for row in rows)

    def filled(values: list[list[int]], empty: int) -> Tensor:
        return torch.tensor([each + [empty] * (longest - len(each)) for each in values])

    tokens, shapes = filled([r.tokens for r in rows], 0), filled([r.shapes for r in rows], 0)
    return (
        tokens,
        shapes,
        filled([[1] * len(r.tokens) for r in rows], 0),
        filled([r.tags for r in rows], LEFT_OUT),
    )


def train(corpus: Path, fold: int, epochs: int = EPOCHS, layers: int = LAYERS) -> Tagger:
    """A tagger that has not seen the documents the fold holds out."""
    torch.manual_seed(fold)
    chance = random.Random(fold)
    model = find_model()
    assert model is not None, "the sentence model is not installed"
    tokenizer = Tokenizer.from_file(str(model.folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    learnt = _lessons(documents(corpus, fold, held_out=False), chance)
    names = made_names(learnt, chance)
    tagger = Tagger(model.folder, layers, len(TAGS))
    head = [*tagger.head.parameters(), *tagger.shapes.parameters()]
    rest = [
        p
        for name, p in tagger.named_parameters()
        if p.requires_grad and not name.startswith(("head", "shapes"))
    ]
    optimiser = torch.optim.AdamW(
        [{"params": rest, "lr": RATE}, {"params": head, "lr": HEAD_RATE}], weight_decay=0.01
    )
    steps = epochs * (sum(len(examples(tokenizer, each)) for each in learnt) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [RATE, HEAD_RATE], total_steps=steps + 200, pct_start=0.1, anneal_strategy="linear"
    )
    loss_of = nn.CrossEntropyLoss(ignore_index=LEFT_OUT)
    for epoch in range(epochs):
        tagger.train()
        started, total, count = time.time(), 0.0, 0
        found = [
            example
            for each in learnt
            for example in examples(tokenizer, varied(each, names, chance, 0.35 if epoch else 0.0))
        ]
        for tokens, shapes, mask, tags in _batches(found, chance):
            optimiser.zero_grad()
            loss = loss_of(tagger(tokens, shapes, mask).flatten(0, 1), tags.flatten())
            loss.backward()
            nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total, count = total + loss.item(), count + 1
        torch.save(tagger.changed(), sys.argv[3])
        print(
            f"epoch {epoch}: {len(found)} windows, loss {total / count:.4f}, {time.time() - started:.0f} s",
            flush=True,
        )
    return tagger.eval()


if __name__ == "__main__":
    torch.set_num_threads(1)
    trained = train(Path(sys.argv[1]), int(sys.argv[2]), *map(int, sys.argv[4:]))
    torch.save(trained.changed(), sys.argv[3])
