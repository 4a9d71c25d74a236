"""The text of pages, the bounding boxes of their words, and their structure."""
