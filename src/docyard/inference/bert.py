"""A BERT encoder as an ONNX graph, built from the weights of a safetensors file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docyard.inference.activation_scale import input_magnitudes

if TYPE_CHECKING:
    import numpy as np

    Weights = Mapping[str, np.ndarray]

_OPSET = 17
_INT8_DOMAIN = "com.microsoft"  # ONNX Runtime's own operators
_MAX_INT8 = 127
_MASKED = -1e9  # added to the attention scores of padding


def read_weights(path: Path) -> Weights:
    """Return the 32-bit float tensors of a safetensors file as views of the memory-mapped file."""
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
    """Raise ValueError or KeyError if weights or settings of a BERT model are missing or inconsistent."""
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
    names = [f"encoder.layer.{layer}.{part}" for layer in layers for part in parts]
    tables = [f"embeddings.{kind}_embeddings.weight" for kind in ("word", "position", "token_type")]
    required = [
        *tables,
        *(f"{part}.{kind}" for part in ("embeddings.LayerNorm", *names) for kind in ("weight", "bias")),
    ]
    if missing := [name for name in required if name not in weights]:
        count = f"{len(missing)} of {len(required)}"
        raise ValueError(f"{count} weights are missing or not 32-bit floats, for example {missing[0]}")
    if int(shape["hidden_size"]) % int(shape["num_attention_heads"]):
        raise ValueError("hidden_size is not a multiple of num_attention_heads")


def build_encoder(weights: Weights, shape: Mapping[str, Any]) -> Any:
    """Return a graph from token embeddings and a mask to a unit vector per text, the mean of its tokens."""
    from onnx import TensorProto, helper

    builder = _GraphBuilder(weights, shape)
    mean = builder.pool(builder.encode())
    size = int(shape["hidden_size"])
    inputs = [
        helper.make_tensor_value_info("words", TensorProto.FLOAT, ["batch", "length", size]),
        helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", "length"]),
    ]
    outputs = [helper.make_tensor_value_info(mean, TensorProto.FLOAT, ["batch", size])]
    encoder = helper.make_graph(builder.nodes, "encoder", inputs, outputs, builder.constants)
    return helper.make_model(encoder, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)


def build_tagger(weights: Weights, shape: Mapping[str, Any], *, in_bytes: bool = False) -> Any:
    """Return a graph that maps token embeddings and a mask to tag scores; `in_bytes` makes the encoder use int8."""
    from onnx import TensorProto, helper

    builder = _GraphBuilder(weights, shape, in_bytes=in_bytes)
    scores = builder.dense(builder.encode(), "head")  # the classifier
    size, tags = int(shape["hidden_size"]), weights["head.bias"].shape[0]
    inputs = [
        helper.make_tensor_value_info("words", TensorProto.FLOAT, ["batch", "length", size]),
        helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", "length"]),
    ]
    outputs = [helper.make_tensor_value_info(scores, TensorProto.FLOAT, ["batch", "length", tags])]
    tagger = helper.make_graph(builder.nodes, "tagger", inputs, outputs, builder.constants)
    versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_INT8_DOMAIN, 1)]
    return helper.make_model(tagger, opset_imports=versions, ir_version=8)


class _GraphBuilder:
    """Builder of an ONNX graph; methods append nodes and return the name of the output."""

    def __init__(self, weights: Weights, shape: Mapping[str, Any], *, in_bytes: bool = False) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._weights, self._in_bytes = weights, in_bytes
        self._heads, self._layers = int(shape["num_attention_heads"]), int(shape["num_hidden_layers"])
        self._size, self._epsilon = int(shape["hidden_size"]), float(shape["layer_norm_eps"])

    def encode(self) -> str:
        """Add all layers of the encoder."""
        hidden = self._layer_norm("words", "embeddings.LayerNorm")
        penalty = self._op("Mul", self._op("Sub", self._scalar(1.0), "mask"), self._scalar(_MASKED))
        penalty = self._op("Unsqueeze", penalty, self._integers([1, 2]))
        for layer in range(self._layers):
            hidden = self._layer(hidden, penalty, f"encoder.layer.{layer}")
        return hidden

    def pool(self, hidden: str) -> str:
        """Add the mean over the tokens that are not padding, normalised to unit length."""
        mask = self._op("Unsqueeze", "mask", self._integers([2]))
        total = self._op("ReduceSum", self._op("Mul", hidden, mask), self._integers([1]), keepdims=0)
        mean = self._op("Div", total, self._op("ReduceSum", "mask", self._integers([1]), keepdims=1))
        return self._op("LpNormalization", mean, axis=-1, p=2)

    def _layer(self, hidden: str, penalty: str, name: str) -> str:
        attended = self.dense(
            self._attention(hidden, penalty, f"{name}.attention.self"), f"{name}.attention.output.dense"
        )
        hidden = self._layer_norm(self._op("Add", hidden, attended), f"{name}.attention.output.LayerNorm")
        wide = self._gelu(self.dense(hidden, f"{name}.intermediate.dense"))
        narrow = self.dense(wide, f"{name}.output.dense")
        return self._layer_norm(self._op("Add", hidden, narrow), f"{name}.output.LayerNorm")

    def _attention(self, hidden: str, penalty: str, name: str) -> str:
        query, value = (
            self._split_heads(self.dense(hidden, f"{name}.{part}"), [0, 2, 1, 3]) for part in ("query", "value")
        )
        key = self._split_heads(self.dense(hidden, f"{name}.key"), [0, 2, 3, 1])
        scale = self._scalar(1 / math.sqrt(self._size // self._heads))
        scores = self._op("Add", self._op("Mul", self._op("MatMul", query, key), scale), penalty)
        attended = self._op("MatMul", self._op("Softmax", scores, axis=-1), value)
        merged = self._op("Transpose", attended, perm=[0, 2, 1, 3])
        return self._op("Reshape", merged, self._integers([0, 0, self._size]))

    def _split_heads(self, hidden: str, order: list[int]) -> str:
        parts = self._integers([0, 0, self._heads, self._size // self._heads])
        return self._op("Transpose", self._op("Reshape", hidden, parts), perm=order)

    def dense(self, hidden: str, name: str) -> str:
        """Add a dense layer; layers of the encoder use int8 if `in_bytes` is set."""
        if self._in_bytes and name.startswith("encoder."):
            return self._int8_dense(hidden, name)
        weight = self._weight(f"{name}.weight", transposed=True)
        return self._op("Add", self._op("MatMul", hidden, weight), self._weight(f"{name}.bias"))

    def _int8_dense(self, hidden: str, name: str) -> str:
        """Add a dense layer in int8; its inputs are first divided by their estimated magnitudes."""
        import numpy as np

        magnitude = input_magnitudes(self._weights, name).astype(np.float32)
        normalised = self._op("Mul", hidden, self._constant(1 / magnitude))
        weight = self._weights[f"{name}.weight"].T * magnitude[:, None]
        scale = np.maximum(abs(weight).max(axis=0) / _MAX_INT8, 1e-9).astype(np.float32)
        int8_weight = np.rint(weight / scale).astype(np.int8)
        constants = [self._constant(each) for each in (int8_weight, scale, np.zeros(len(scale), np.int8))]
        bias = self._weight(f"{name}.bias")
        return self._op("DynamicQuantizeMatMul", normalised, *constants, bias, domain=_INT8_DOMAIN)

    def _layer_norm(self, hidden: str, name: str) -> str:
        scale, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._op("LayerNormalization", hidden, scale, bias, axis=-1, epsilon=self._epsilon)

    def _gelu(self, hidden: str) -> str:
        error = self._op("Erf", self._op("Div", hidden, self._scalar(math.sqrt(2))))
        doubled = self._op("Mul", hidden, self._op("Add", error, self._scalar(1.0)))
        return self._op("Mul", doubled, self._scalar(0.5))

    def _op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        output = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def _weight(self, name: str, *, transposed: bool = False) -> str:
        import numpy as np

        weight = self._weights[name]
        return self._constant(np.ascontiguousarray(weight.T if transposed else weight, dtype=np.float32))

    def _scalar(self, value: float) -> str:
        import numpy as np

        return self._constant(np.array(value, dtype=np.float32))

    def _integers(self, values: list[int]) -> str:
        import numpy as np

        return self._constant(np.array(values, dtype=np.int64))

    def _constant(self, value: np.ndarray) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(value, name))
        return name
