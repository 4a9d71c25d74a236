"""Features of this machine's processor."""

from __future__ import annotations

from pathlib import Path

_CPU_INFO = Path("/proc/cpuinfo")


def has_vnni() -> bool:
    """Return whether the processor has VNNI; without it, int8 products saturate or are not faster."""
    return _CPU_INFO.is_file() and "vnni" in _CPU_INFO.read_text()
