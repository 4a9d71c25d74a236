"""What people and programs do, the same from a page and from the API."""
