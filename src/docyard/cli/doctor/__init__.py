"""The `docyard doctor` command and its checks."""
