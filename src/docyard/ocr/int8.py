"""Recognition with most of its multiplications in eight bits, on processors that are made for them.

The weights stay in the package they come in: a model is changed in memory when it is loaded. What its layers
take in and give out on drawn lines of text was measured once by `tools/ocr_ranges.py`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

_DOMAIN = "com.microsoft"  # its quantisers know a scale for each channel in any version of the standard
_LEVELS = 255
_LARGEST = 127

Ranges = Mapping[str, tuple[float, float]]


def converted(path: Path, ranges: Ranges) -> bytes:
    """The model in that file, with each convolution in eight bits whose input and output have a range."""
    model = folded(path)
    constants = {each.name: each for each in model.graph.initializer}
    nodes, added = [], []
    for node in model.graph.node:
        if is_convolution(node) and node.input[0] in ranges and node.output[0] in ranges:
            new_nodes, new_constants = _converted(node, constants, ranges)
            nodes += new_nodes
            added += new_constants
        else:
            nodes.append(node)
    _replace(model.graph, nodes, added)
    return bytes(model.SerializeToString())


def folded(path: Path) -> Any:
    """The model with what is constant computed and each bias inside its convolution."""
    import onnx
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4  # it warns that what it saves suits this machine; so does what we make
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder, "folded.onnx"))
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


def _converted(node: Any, constants: Mapping[str, Any], ranges: Ranges) -> tuple[list[Any], list[Any]]:
    """The nodes that stand for a convolution, and their constants."""
    from onnx import numpy_helper

    taken, weights, bias = node.input
    given = node.output[0]
    step, zero = _steps(*ranges[taken])
    kernel, shift = (numpy_helper.to_array(constants[name]) for name in (weights, bias))
    scale = np.maximum(np.abs(kernel).max(axis=(1, 2, 3)) / _LARGEST, 1e-9).astype(np.float32)
    whole = np.rint(kernel / scale[:, None, None, None]).astype(np.int8)
    short = np.rint(shift / (scale * step)).astype(np.int32)
    parts = [
        *_rounded(taken, f"{given}.in", (step, zero)),
        *_restored(f"{given}.weights", whole, scale),
        *_restored(f"{given}.bias", short, scale * step),
    ]
    parts.append(_convolution(node, given))
    parts += _rounded(f"{given}.exact", given, _steps(*ranges[given]))
    made = type(next(iter(constants.values())))
    return [p for p in parts if not isinstance(p, made)], [p for p in parts if isinstance(p, made)]


def is_convolution(node: Any) -> bool:
    """Also one that cuts off what is below zero: eight bits whose lowest step is zero do that anyway."""
    activations = [each.s for each in node.attribute if each.name == "activation"]
    return node.op_type in ("Conv", "FusedConv") and len(node.input) == 3 and activations in ([], [b"Relu"])


def _convolution(node: Any, name: str) -> Any:
    from onnx import helper

    inputs = [f"{name}.{part}" for part in ("in", "weights", "bias")]
    made = helper.make_node("Conv", inputs, [f"{name}.exact"], name=node.name)
    made.attribute.extend(each for each in node.attribute if not each.name.startswith("activation"))
    return made


def _steps(low: float, high: float) -> tuple[Any, Any]:
    """How much one of 255 steps is, and which step is zero."""
    low, high = min(low, 0.0), max(high, 0.0)
    step = (high - low) / _LEVELS
    return np.float32(step), np.uint8(round(-low / step))


def _rounded(name: str, result: str, steps: tuple[Any, Any]) -> Iterator[Any]:
    """To eight bits and back; the run time leaves out the way back where eight bits follow."""
    from onnx import helper, numpy_helper

    yield from (numpy_helper.from_array(np.array(each), f"{result}.{at}") for at, each in enumerate(steps))
    by = [f"{result}.0", f"{result}.1"]
    yield helper.make_node("QuantizeLinear", [name, *by], [f"{result}.8"], domain=_DOMAIN)
    yield helper.make_node("DequantizeLinear", [f"{result}.8", *by], [result], domain=_DOMAIN)


def _restored(name: str, whole: Any, scale: Any) -> Iterator[Any]:
    """Constants kept as whole numbers, each channel with its own scale."""
    from onnx import helper, numpy_helper

    parts = {"whole": whole, "scale": scale.astype(np.float32), "zero": np.zeros(len(scale), whole.dtype)}
    yield from (numpy_helper.from_array(value, f"{name}.{part}") for part, value in parts.items())
    yield helper.make_node(
        "DequantizeLinear", [f"{name}.{part}" for part in parts], [name], domain=_DOMAIN, axis=0
    )


def _replace(graph: Any, nodes: list[Any], added: list[Any]) -> None:
    used = {name for node in nodes for name in node.input}
    kept = [each for each in (*graph.initializer, *added) if each.name in used]
    # Clearing first would empty what the lists hold: they are views of the graph.
    copies = [type(node).FromString(node.SerializeToString()) for node in nodes]
    weights = [type(each).FromString(each.SerializeToString()) for each in kept]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(copies)
    graph.initializer.extend(weights)
