"""Fields of contracts."""
