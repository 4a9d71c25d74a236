"""The `docyard process` command, which needs neither queue nor database."""
