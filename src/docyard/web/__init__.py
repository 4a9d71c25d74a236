"""The HTTP server: pages, the API, live events and metrics."""
