"""Commands for operators: the queue, pools, limits and dead letters."""
