"""How days, sums, companies and addresses are written; what fields, mentions and entities agree on."""
