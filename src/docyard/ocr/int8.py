"""Conversion of the recognition model to int8, for processors with VNNI instructions.

The model file of the package is not changed: the model is converted in memory when it is loaded. The
activation ranges were measured on rendered lines of text by `tools/ocr_ranges.py`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

_DOMAIN = "com.microsoft"  # its operators support per-channel scales in every opset
_UINT8_STEPS = 255
_MAX_INT8 = 127

Ranges = Mapping[str, tuple[float, float]]


def convert_to_int8(path: Path, ranges: Ranges) -> bytes:
    """Return the model with int8 convolutions where the ranges of both input and output are known."""
    model = load_folded(path)
    constants = {each.name: each for each in model.graph.initializer}
    nodes, added = [], []
    for node in model.graph.node:
        if is_convolution(node) and node.input[0] in ranges and node.output[0] in ranges:
            new_nodes, new_constants = _quantise_convolution(node, constants, ranges)
            nodes += new_nodes
            added += new_constants
        else:
            nodes.append(node)
    _replace_contents(model.graph, nodes, added)
    return bytes(model.SerializeToString())


def load_folded(path: Path) -> Any:
    """Load a model with constants folded and each bias fused into its convolution."""
    import onnx
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Suppresses the warning that the saved model is optimised for this machine, which is intended.
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder, "folded.onnx"))
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)


def _quantise_convolution(node: Any, constants: Mapping[str, Any], ranges: Ranges) -> tuple[list[Any], list[Any]]:
    """Return the nodes that replace a convolution, and their constants."""
    from onnx import numpy_helper

    source, weights, bias = node.input
    output = node.output[0]
    step, zero_point = _scale_and_zero_point(*ranges[source])
    kernel, offsets = (numpy_helper.to_array(constants[name]) for name in (weights, bias))
    scale = np.maximum(np.abs(kernel).max(axis=(1, 2, 3)) / _MAX_INT8, 1e-9).astype(np.float32)
    int8_kernel = np.rint(kernel / scale[:, None, None, None]).astype(np.int8)
    int32_offsets = np.rint(offsets / (scale * step)).astype(np.int32)
    parts = [
        *_quantise_and_dequantise(source, f"{output}.in", (step, zero_point)),
        *_dequantise(f"{output}.weights", int8_kernel, scale),
        *_dequantise(f"{output}.bias", int32_offsets, scale * step),
    ]
    parts.append(_make_convolution(node, output))
    parts += _quantise_and_dequantise(f"{output}.exact", output, _scale_and_zero_point(*ranges[output]))
    tensor = type(next(iter(constants.values())))
    return [p for p in parts if not isinstance(p, tensor)], [p for p in parts if isinstance(p, tensor)]


def is_convolution(node: Any) -> bool:
    """Return whether a node is a convolution with a bias, with or without a fused ReLU.

    The ReLU can be dropped: its output range starts at zero, so quantisation clips negative values too.
    """
    activations = [each.s for each in node.attribute if each.name == "activation"]
    return node.op_type in ("Conv", "FusedConv") and len(node.input) == 3 and activations in ([], [b"Relu"])


def _make_convolution(node: Any, name: str) -> Any:
    from onnx import helper

    inputs = [f"{name}.{part}" for part in ("in", "weights", "bias")]
    convolution = helper.make_node("Conv", inputs, [f"{name}.exact"], name=node.name)
    convolution.attribute.extend(each for each in node.attribute if not each.name.startswith("activation"))
    return convolution


def _scale_and_zero_point(low: float, high: float) -> tuple[Any, Any]:
    """Return the scale and the zero point that map a range, extended to include zero, to uint8."""
    low, high = min(low, 0.0), max(high, 0.0)
    step = (high - low) / _UINT8_STEPS
    return np.float32(step), np.uint8(round(-low / step))


def _quantise_and_dequantise(name: str, result: str, parameters: tuple[Any, Any]) -> Iterator[Any]:
    """Yield the constants and nodes that convert a tensor to uint8 and back.

    ONNX Runtime removes the conversion back if an int8 operator follows.
    """
    from onnx import helper, numpy_helper

    for index, parameter in enumerate(parameters):
        yield numpy_helper.from_array(np.array(parameter), f"{result}.{index}")
    names = [f"{result}.0", f"{result}.1"]
    yield helper.make_node("QuantizeLinear", [name, *names], [f"{result}.8"], domain=_DOMAIN)
    yield helper.make_node("DequantizeLinear", [f"{result}.8", *names], [result], domain=_DOMAIN)


def _dequantise(name: str, integers: Any, scale: Any) -> Iterator[Any]:
    """Yield integer constants with one scale per channel, and the node that dequantises them."""
    from onnx import helper, numpy_helper

    zeros = np.zeros(len(scale), integers.dtype)
    parts = {"whole": integers, "scale": scale.astype(np.float32), "zero": zeros}
    yield from (numpy_helper.from_array(value, f"{name}.{part}") for part, value in parts.items())
    yield helper.make_node("DequantizeLinear", [f"{name}.{part}" for part in parts], [name], domain=_DOMAIN, axis=0)


def _replace_contents(graph: Any, nodes: list[Any], added: list[Any]) -> None:
    used = {name for node in nodes for name in node.input}
    kept = [each for each in (*graph.initializer, *added) if each.name in used]
    # Copy first, because the lists hold references into the graph, which clearing would invalidate.
    copies = [type(node).FromString(node.SerializeToString()) for node in nodes]
    weights = [type(each).FromString(each.SerializeToString()) for each in kept]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(copies)
    graph.initializer.extend(weights)
