"""The life cycle of a job: insertion, claim, settlement, retry, cancellation and history."""
