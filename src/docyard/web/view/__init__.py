"""What pages are drawn from: templates, words, marks and charts."""
