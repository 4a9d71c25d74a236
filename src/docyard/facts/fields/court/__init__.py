"""Fields of court documents."""
