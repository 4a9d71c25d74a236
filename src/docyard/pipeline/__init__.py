"""The road a document takes: which stage is next, running it confined, and recording what it gave."""
