"""User actions, shared by the pages and the API."""
