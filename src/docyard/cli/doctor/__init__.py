"""docyard doctor and its checks."""
