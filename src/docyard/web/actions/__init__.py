"""Actions of users, shared by pages and API."""
