"""Train the tagger of names: `python -m training.entities.train CORPUS FOLD OUTPUT`."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler

from docyard.inference.token_windows import load_tokenizer
from eval.maintenance_set import read_orders
from eval.ner_sets import EMERGING, GENERAL, GERMAN_LAW, Labelled, read
from training.entities.encoder import Tagger, model_folder
from training.entities.examples import LEFT_OUT, TAGS, Example, examples, sentences, varied
from training.entities.names import made_names

FOLDS = 3
EPOCHS, BATCH, RATE, HEAD_RATE = 4, 16, 1.5e-4, 1e-3
LAYERS = 4
SWAPPED = 0.35  # of the names
Batch = tuple[Tensor, Tensor, Tensor, Tensor]
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
NAMES = ("person", "organisation", "place")
# German law has far more text than the rest; most of its sentences name nobody, which is a lesson too: German
# writes every noun with a capital.
UNNAMED_LAW = 800


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
            named = [each for each in found if any(kind in NAMES for kind, _, _ in each.truth)]
            parts += named + chance.sample([each for each in found if each not in named], UNNAMED_LAW)
        else:
            parts += [part for each in found for part in sentences(each)]
    return parts


def _batches(found: list[Example], chance: random.Random) -> list[Batch]:
    order = sorted(range(len(found)), key=lambda n: len(found[n].tokens) + chance.random() * 12)
    groups = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]
    chance.shuffle(groups)
    return [_batch([found[n] for n in group]) for group in groups]


def _batch(rows: list[Example]) -> Batch:
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


def train(corpus: Path, fold: int) -> Tagger:
    """A tagger that has not seen the documents the fold holds out."""
    torch.manual_seed(fold)
    chance = random.Random(fold)  # noqa: S311 (no secret)
    folder = model_folder()
    tokenizer = load_tokenizer(folder)
    learnt = _lessons(documents(corpus, fold, held_out=False), chance)
    names = made_names(learnt, chance)
    tagger = Tagger(folder, LAYERS, len(TAGS))
    steps = EPOCHS * (sum(len(examples(tokenizer, each)) for each in learnt) // BATCH + 1)
    optimiser, schedule = _optimiser(tagger, steps)
    for epoch in range(EPOCHS):
        started = time.time()
        texts = [varied(each, names, chance, SWAPPED if epoch else 0.0) for each in learnt]
        found = [example for each in texts for example in examples(tokenizer, each)]
        loss = _epoch(tagger, optimiser, schedule, _batches(found, chance))
        torch.save(tagger.changed(), sys.argv[3])
        seconds = time.time() - started
        print(f"epoch {epoch}: {len(found)} windows, loss {loss:.4f}, {seconds:.0f} s", flush=True)
    return tagger.eval()


def _optimiser(tagger: Tagger, steps: int) -> tuple[Optimizer, LRScheduler]:
    """The encoder learns slowly, what is new to it fast."""
    new = [*tagger.head.parameters(), *tagger.shapes.parameters()]
    old = [
        parameter
        for name, parameter in tagger.named_parameters()
        if parameter.requires_grad and not name.startswith(("head", "shapes"))
    ]
    groups = [{"params": old, "lr": RATE}, {"params": new, "lr": HEAD_RATE}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [RATE, HEAD_RATE], total_steps=steps + 200, pct_start=0.1, anneal_strategy="linear"
    )
    return optimiser, schedule


def _epoch(tagger: Tagger, optimiser: Optimizer, schedule: LRScheduler, batches: list[Batch]) -> float:
    tagger.train()
    loss_of, total = nn.CrossEntropyLoss(ignore_index=LEFT_OUT), 0.0
    for tokens, shapes, mask, tags in batches:
        optimiser.zero_grad()
        loss = loss_of(tagger(tokens, shapes, mask).flatten(0, 1), tags.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        total += loss.item()
    return total / len(batches)


if __name__ == "__main__":
    torch.set_num_threads(1)
    trained = train(Path(sys.argv[1]), int(sys.argv[2]))
    torch.save(trained.changed(), sys.argv[3])
