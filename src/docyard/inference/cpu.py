"""What the processor of this machine is made for."""

from __future__ import annotations

from pathlib import Path

_CPU = Path("/proc/cpuinfo")


def multiplies_bytes() -> bool:
    """Whether it sums products of bytes in 32 bits; without, they are cut off or no faster."""
    return _CPU.is_file() and "vnni" in _CPU.read_text()
