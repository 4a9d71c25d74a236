"""A BERT encoder as an ONNX graph, built from the weights of a safetensors file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docyard.inference.activation_scale import spread

if TYPE_CHECKING:
    import numpy as np

    Weights = Mapping[str, np.ndarray]

_OPSET = 17
_BYTES_DOMAIN = "com.microsoft"  # where the run time keeps multiplications of bytes
_LARGEST_BYTE = 127
_LEAST = -1e9  # added to what must not be looked at


def read_weights(path: Path) -> Weights:
    """The tensors of a safetensors file, mapped and not copied: a length, a header in JSON, the numbers."""
    import numpy as np

    data = np.memmap(path, dtype=np.uint8, mode="r")
    start = 8 + int(data[:8].view("<u8")[0])
    header = json.loads(data[8:start].tobytes())
    return {
        name.removeprefix("bert."): data[start + facts["data_offsets"][0] : start + facts["data_offsets"][1]]
        .view("<f4")
        .reshape(facts["shape"])
        for name, facts in header.items()
        if facts.get("dtype") == "F32"
    }


def check_weights(weights: Weights, shape: Mapping[str, Any]) -> None:
    """KeyError or ValueError, in words, unless these are all the weights of such a model."""
    parts = (
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
        "attention.output.LayerNorm",
        "intermediate.dense",
        "output.dense",
        "output.LayerNorm",
    )
    layers = range(int(shape["num_hidden_layers"]))
    named = [f"encoder.layer.{layer}.{part}" for layer in layers for part in parts]
    tables = [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")]
    wanted = [
        *tables,
        *(f"{part}.{kind}" for part in ("embeddings.LayerNorm", *named) for kind in ("weight", "bias")),
    ]
    if missing := [name for name in wanted if name not in weights]:
        raise ValueError(f"it has no {missing[0]} in 32-bit numbers, and {len(missing) - 1} more are missing")
    if int(shape["hidden_size"]) % int(shape["num_attention_heads"]):
        raise ValueError("its heads do not divide its size")


def graph(weights: Weights, shape: Mapping[str, Any]) -> Any:
    """From embedded words and a mask to one vector of length one for each row: the mean over its words."""
    from onnx import TensorProto, helper

    drawing = _Drawing(weights, shape)
    mean = drawing.pooled(drawing.encoded())
    size = int(shape["hidden_size"])
    inputs = [
        helper.make_tensor_value_info("words", TensorProto.FLOAT, ["batch", "length", size]),
        helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", "length"]),
    ]
    outputs = [helper.make_tensor_value_info(mean, TensorProto.FLOAT, ["batch", size])]
    drawn = helper.make_graph(drawing.nodes, "encoder", inputs, outputs, drawing.constants)
    return helper.make_model(drawn, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)


def tag_graph(weights: Weights, shape: Mapping[str, Any], *, in_bytes: bool = False) -> Any:
    """From embedded words and a mask to a score for each tag of each word, by the weights named "head"."""
    from onnx import TensorProto, helper

    drawing = _Drawing(weights, shape, in_bytes=in_bytes)
    scores = drawing.dense(drawing.encoded(), "head")
    size, tags = int(shape["hidden_size"]), weights["head.bias"].shape[0]
    inputs = [
        helper.make_tensor_value_info("words", TensorProto.FLOAT, ["batch", "length", size]),
        helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", "length"]),
    ]
    outputs = [helper.make_tensor_value_info(scores, TensorProto.FLOAT, ["batch", "length", tags])]
    drawn = helper.make_graph(drawing.nodes, "tagger", inputs, outputs, drawing.constants)
    versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_BYTES_DOMAIN, 1)]
    return helper.make_model(drawn, opset_imports=versions, ir_version=8)


class _Drawing:
    """The nodes of a graph as they are added, each named by its number."""

    def __init__(self, weights: Weights, shape: Mapping[str, Any], *, in_bytes: bool = False) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._weights, self._in_bytes = weights, in_bytes
        self._heads, self._layers = int(shape["num_attention_heads"]), int(shape["num_hidden_layers"])
        self._size, self._epsilon = int(shape["hidden_size"]), float(shape["layer_norm_eps"])

    def encoded(self) -> str:
        """The words after all layers."""
        hidden = self._normed("words", "embeddings.LayerNorm")
        shut = self._op("Mul", self._op("Sub", self._number(1.0), "mask"), self._number(_LEAST))
        shut = self._op("Unsqueeze", shut, self._numbers([1, 2]))
        for layer in range(self._layers):
            hidden = self._layer(hidden, shut, f"encoder.layer.{layer}")
        return hidden

    def pooled(self, hidden: str) -> str:
        """The mean of the words that are there, brought to length one."""
        mask = self._op("Unsqueeze", "mask", self._numbers([2]))
        total = self._op("ReduceSum", self._op("Mul", hidden, mask), self._numbers([1]), keepdims=0)
        mean = self._op("Div", total, self._op("ReduceSum", "mask", self._numbers([1]), keepdims=1))
        return self._op("LpNormalization", mean, axis=-1, p=2)

    def _layer(self, hidden: str, shut: str, name: str) -> str:
        seen = self.dense(
            self._attention(hidden, shut, f"{name}.attention.self"), f"{name}.attention.output.dense"
        )
        hidden = self._normed(self._op("Add", hidden, seen), f"{name}.attention.output.LayerNorm")
        wide = self._gelu(self.dense(hidden, f"{name}.intermediate.dense"))
        narrow = self.dense(wide, f"{name}.output.dense")
        return self._normed(self._op("Add", hidden, narrow), f"{name}.output.LayerNorm")

    def _attention(self, hidden: str, shut: str, name: str) -> str:
        query, value = (
            self._parted(self.dense(hidden, f"{name}.{part}"), [0, 2, 1, 3]) for part in ("query", "value")
        )
        key = self._parted(self.dense(hidden, f"{name}.key"), [0, 2, 3, 1])
        scale = self._number(1 / math.sqrt(self._size // self._heads))
        scores = self._op("Add", self._op("Mul", self._op("MatMul", query, key), scale), shut)
        seen = self._op("MatMul", self._op("Softmax", scores, axis=-1), value)
        whole = self._op("Transpose", seen, perm=[0, 2, 1, 3])
        return self._op("Reshape", whole, self._numbers([0, 0, self._size]))

    def _parted(self, hidden: str, order: list[int]) -> str:
        parts = self._numbers([0, 0, self._heads, self._size // self._heads])
        return self._op("Transpose", self._op("Reshape", hidden, parts), perm=order)

    def dense(self, hidden: str, name: str) -> str:
        """A row of weights for each number that comes out."""
        if self._in_bytes and name.startswith("encoder."):
            return self._dense_in_bytes(hidden, name)
        weight = self._weight(f"{name}.weight", turned=True)
        return self._op("Add", self._op("MatMul", hidden, weight), self._weight(f"{name}.bias"))

    def _dense_in_bytes(self, hidden: str, name: str) -> str:
        """The same by whole numbers of eight bits; what comes in is first made equally large everywhere."""
        import numpy as np

        size = spread(self._weights, name).astype(np.float32)
        even = self._op("Mul", hidden, self._constant(1 / size))
        weight = self._weights[f"{name}.weight"].T * size[:, None]
        unit = np.maximum(abs(weight).max(axis=0) / _LARGEST_BYTE, 1e-9).astype(np.float32)
        whole = np.rint(weight / unit).astype(np.int8)
        constants = [self._constant(each) for each in (whole, unit, np.zeros(len(unit), np.int8))]
        bias = self._weight(f"{name}.bias")
        return self._op("DynamicQuantizeMatMul", even, *constants, bias, domain=_BYTES_DOMAIN)

    def _normed(self, hidden: str, name: str) -> str:
        scale, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._op("LayerNormalization", hidden, scale, bias, axis=-1, epsilon=self._epsilon)

    def _gelu(self, hidden: str) -> str:
        error = self._op("Erf", self._op("Div", hidden, self._number(math.sqrt(2))))
        doubled = self._op("Mul", hidden, self._op("Add", error, self._number(1.0)))
        return self._op("Mul", doubled, self._number(0.5))

    def _op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        output = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def _weight(self, name: str, *, turned: bool = False) -> str:
        import numpy as np

        found = self._weights[name]
        return self._constant(np.ascontiguousarray(found.T if turned else found, dtype=np.float32))

    def _number(self, value: float) -> str:
        import numpy as np

        return self._constant(np.array(value, dtype=np.float32))

    def _numbers(self, values: list[int]) -> str:
        import numpy as np

        return self._constant(np.array(values, dtype=np.int64))

    def _constant(self, value: np.ndarray) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name
