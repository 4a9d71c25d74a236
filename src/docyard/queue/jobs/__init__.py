"""The life cycle of a job: enqueue, claim, settle, retry, cancel, and history."""
