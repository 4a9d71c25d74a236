"""Train the name tagger: `python -m training.entities.train CORPUS FOLD OUTPUT`."""

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
from training.entities.examples import IGNORED, TAGS, Example, make_examples, split_sentences, vary
from training.entities.names import make_names

FOLDS = 3
EPOCHS, BATCH, RATE, HEAD_RATE = 4, 16, 1.5e-4, 1e-3
LAYERS = 4
REPLACED = 0.35  # share of the names that are replaced after the first epoch
Batch = tuple[Tensor, Tensor, Tensor, Tensor]
SETS = {
    "wikigold.conll.txt": (GENERAL | {"MISC": "other"}, False),
    "sec_FIN5.conll": (GENERAL | {"MISC": "other"}, False),
    "emerging.dev.conll": (EMERGING | {"product": "other", "creative-work": "other"}, True),
    "ler_dev.conll": (GERMAN_LAW | {"MRK": "other", "LIT": "law", "VT": "law", "VS": "law"}, True),
}
ORDERS = "maintie_gold.json"
NAMES = ("person", "organisation", "place")
# The German set is far larger than the others, and most of its sentences contain no name. Some of these are
# used, because the model must learn that German capitalises every noun.
LAW_WITHOUT_NAMES = 800


def documents(corpus: Path, fold: int, *, held_out: bool) -> dict[str, list[Labelled]]:
    """Return, by set, the documents that a fold trains on or, if `held_out`, those that it holds out."""
    every = {
        name: read(corpus / "ner" / name, kinds, by_sentence=by_sentence) for name, (kinds, by_sentence) in SETS.items()
    } | {ORDERS: read_orders(corpus / "maintenance" / ORDERS)}
    return {
        name: [each for number, each in enumerate(found) if (number % FOLDS == fold) == held_out]
        for name, found in every.items()
    }


def _select_texts(training: dict[str, list[Labelled]], generator: random.Random) -> list[Labelled]:
    texts = []
    for name, found in training.items():
        if name == "ler_dev.conll":
            named = [each for each in found if any(kind in NAMES for kind, _, _ in each.truth)]
            unnamed = [each for each in found if each not in named]
            texts += named + generator.sample(unnamed, LAW_WITHOUT_NAMES)
        else:
            texts += [part for each in found for part in split_sentences(each)]
    return texts


def _make_batches(found: list[Example], generator: random.Random) -> list[Batch]:
    order = sorted(range(len(found)), key=lambda n: len(found[n].tokens) + generator.random() * 12)
    groups = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]
    generator.shuffle(groups)
    return [_make_batch([found[n] for n in group]) for group in groups]


def _make_batch(rows: list[Example]) -> Batch:
    longest = max(len(row.tokens) for row in rows)

    def pad(values: list[list[int]], padding: int) -> Tensor:
        return torch.tensor([each + [padding] * (longest - len(each)) for each in values])

    tokens, shapes = pad([r.tokens for r in rows], 0), pad([r.shapes for r in rows], 0)
    return (tokens, shapes, pad([[1] * len(r.tokens) for r in rows], 0), pad([r.tags for r in rows], IGNORED))


def train(corpus: Path, fold: int) -> Tagger:
    """Train a tagger without the documents that the fold holds out; save its weights after each epoch."""
    torch.manual_seed(fold)
    generator = random.Random(fold)  # noqa: S311 (not for security)
    folder = model_folder()
    tokenizer = load_tokenizer(folder)
    training = _select_texts(documents(corpus, fold, held_out=False), generator)
    names = make_names(training, generator)
    tagger = Tagger(folder, LAYERS, len(TAGS))
    steps = EPOCHS * (sum(len(make_examples(tokenizer, each)) for each in training) // BATCH + 1)
    optimiser, schedule = _make_optimiser(tagger, steps)
    for epoch in range(EPOCHS):
        started = time.time()
        texts = [vary(each, names, generator, REPLACED if epoch else 0.0) for each in training]
        found = [example for each in texts for example in make_examples(tokenizer, each)]
        loss = _run_epoch(tagger, optimiser, schedule, _make_batches(found, generator))
        torch.save(tagger.trained_weights(), sys.argv[3])
        seconds = time.time() - started
        print(f"epoch {epoch}: {len(found)} windows, loss {loss:.4f}, {seconds:.0f} s", flush=True)
    return tagger.eval()


def _make_optimiser(tagger: Tagger, steps: int) -> tuple[Optimizer, LRScheduler]:
    """Return optimiser and schedule; the encoder has a lower learning rate than the new layers."""
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


def _run_epoch(tagger: Tagger, optimiser: Optimizer, schedule: LRScheduler, batches: list[Batch]) -> float:
    tagger.train()
    compute_loss, total = nn.CrossEntropyLoss(ignore_index=IGNORED), 0.0
    for tokens, shapes, mask, tags in batches:
        optimiser.zero_grad()
        loss = compute_loss(tagger(tokens, shapes, mask).flatten(0, 1), tags.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        total += loss.item()
    return total / len(batches)


if __name__ == "__main__":
    torch.set_num_threads(1)
    trained = train(Path(sys.argv[1]), int(sys.argv[2]))
    torch.save(trained.trained_weights(), sys.argv[3])
