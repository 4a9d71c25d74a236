"""How the entities of a document relate, each relation with the place that says so."""
