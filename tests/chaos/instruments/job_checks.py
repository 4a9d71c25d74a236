"""Checks of the life cycle of each job."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from tests.chaos.instruments.events import Effect, Event, Row

# Failure categories that use up no attempt, each with the result of `find_return_reason` for it.
UNSPENT = {"rate_limit": "rate limit", "ai_quota": "snooze", "database": "snooze", "locked": "snooze"}
STALLS = {"worker_lost", "timeout"}
LIVE = {"pending", "scheduled", "waiting", "running"}
# Transitions by promotion, and by the end of the last child.
WAKING = {("scheduled", "pending"), ("waiting", "pending")}
COMPLETIONS = {"done", "degraded"}
# Maximum difference between a stored time and the database clock; no delay is longer.
FARTHEST = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated rule, with the job, the event and details."""

    rule: str
    job: UUID | None
    event: int
    words: str = ""


@dataclass(slots=True)
class JobState:
    """The state of one job after the events so far."""

    now: Row
    phase: str
    arrived_at: datetime
    highest_fence: int = 0
    moved_in: int = 0
    histories: int = 0
    letters: int = 0
    completions: int = 0


def find_return_reason(event: Event) -> str | None:
    """Return why a claimed job became pending or scheduled again; None for other transitions."""
    before, after = event.before, event.after
    if event.source != "jobs" or after is None or after.state not in ("pending", "scheduled"):
        return None
    if before is None:
        return "replay" if after.fence > 0 else None
    return _reason(before, after) if before.state == "running" else None


def _reason(before: Row, after: Row) -> str:
    why = "stall" if after.category in STALLS else UNSPENT.get(str(after.category), "retry")
    # Consecutive snoozes share one history entry, so a snooze need not add one.
    noted = after.failures > before.failures or why in UNSPENT.values()
    return why if noted and after.fence == before.fence else "give back"


def _is_quiet(before: Row, after: Row) -> bool:
    """Return whether an update changed neither attempts nor fence, and the state only by waking the job."""
    moved = before.state != after.state and (before.state, after.state) not in WAKING
    return not moved and (before.attempts, before.fence) == (after.attempts, after.fence)


class JobChecker:
    """A checker that tracks every job from its first row to its last."""

    def __init__(self) -> None:
        self.stories: dict[UUID, JobState] = {}
        self.violations: list[Violation] = []

    def follow(self, event: Event) -> None:
        """Process the next event."""
        self._check_times(event)
        self._check_place(event)
        if event.source == "job_history":
            self._handle_history(event)
        elif event.source == "dead_letters":
            self._handle_letter(event)
        elif event.before is None and event.after is not None:
            self._handle_insert(event, event.after)
        elif event.after is None:
            self._handle_delete(event)
        elif event.before is not None:
            self._handle_update(event, event.before, event.after)

    def finish(self) -> None:
        """Check, after the last event, that every job ended exactly once."""
        for job, story in self.stories.items():
            if story.phase in LIVE:
                self._report("still live at the end", job, 0, story.phase)
            elif story.histories + story.letters != 1:
                self._report(
                    "not exactly one terminal row", job, 0, f"{story.histories} ended, {story.letters} letters"
                )

    def _report(self, rule: str, job: UUID, event: int, words: str = "") -> None:
        self.violations.append(Violation(rule, job, event, words))

    def _check_times(self, event: Event) -> None:
        after = event.after
        if after is None:
            return
        for time in (after.stamped_at, after.run_at):
            if time is not None and abs(time - event.at) > FARTHEST:
                self._report("time from another clock", event.job, event.id, f"{time} written at {event.at}")

    def _check_place(self, event: Event) -> None:
        """Check that the job's time of arrival has not changed."""
        story = self.stories.get(event.job)
        if story is not None and story.arrived_at != event.arrived_at:
            self._report("arrival time changed", event.job, event.id, f"{story.arrived_at} before")

    def _handle_insert(self, event: Event, after: Row) -> None:
        story = self.stories.get(event.job)
        if story is None:
            story = self.stories[event.job] = JobState(after, after.state, event.arrived_at)
        elif story.phase not in ("dead", "letter deleted") or (
            story.phase == "letter deleted" and story.moved_in != event.xact
        ):
            self._report("enqueued while live or ended", event.job, event.id, story.phase)
        if after.attempts != 0 or after.state == "running":
            self._report("enqueued with an attempt", event.job, event.id)
        if after.fence < story.highest_fence:
            self._report("fence decreased", event.job, event.id)
        story.now, story.phase, story.moved_in = after, after.state, event.xact

    def _handle_update(self, event: Event, before: Row, after: Row) -> None:
        story = self.stories.setdefault(event.job, JobState(before, before.state, event.arrived_at))
        if (story.phase, story.now.fence, story.now.attempts) != (before.state, before.fence, before.attempts):
            self._report("transition from an unexpected state", event.job, event.id, f"{story.phase} / {before.state}")
        if after.fence < story.highest_fence:
            self._report("fence decreased", event.job, event.id)
        if after.attempts > event.max_attempts:
            self._report("more attempts than allowed", event.job, event.id)
        if event.is_claim:
            self._check_claim(event, before, after, story)
        elif after.state == "running":
            self._check_take_over(event, before, after)
        elif before.state == "running":
            self._check_return(event, before, after)
        elif not _is_quiet(before, after):
            self._report("unknown transition", event.job, event.id, f"{before.state} → {after.state}")
        story.highest_fence = max(story.highest_fence, after.fence)
        story.now, story.phase = after, after.state

    def _check_claim(self, event: Event, before: Row, after: Row, story: JobState) -> None:
        if before.state != "pending":
            self._report("claimed while not pending", event.job, event.id, before.state)
        if after.fence <= story.highest_fence:
            self._report("claim without a new fence", event.job, event.id)
        if after.attempts != before.attempts + 1:
            self._report("claim without a new attempt", event.job, event.id)

    def _check_take_over(self, event: Event, before: Row, after: Row) -> None:
        if after.worker != before.worker and after.fence <= before.fence:
            self._report("taken over without a new fence", event.job, event.id)
        # Taking over an overdue parent counts as an attempt. Continuing with a stage is not a take-over.
        if before.state == "running" and after.fence > before.fence and after.attempts != before.attempts:
            self._report("take-over counted as an attempt", event.job, event.id)

    def _check_return(self, event: Event, before: Row, after: Row) -> None:
        why = find_return_reason(event)
        spends = after.state != "waiting" and why not in ("give back", *UNSPENT.values())
        if after.attempts != before.attempts - (0 if spends else 1):
            self._report(
                "failure without a used attempt" if spends else "attempt used by waiting", event.job, event.id, str(why)
            )
        if after.worker is not None:
            self._report("waiting with a worker", event.job, event.id)

    def _handle_delete(self, event: Event) -> None:
        story = self.stories.get(event.job)
        before = event.before
        if story is None or before is None or story.phase != before.state:
            self._report("transition from an unexpected state", event.job, event.id, "left")
            return
        story.now, story.phase, story.moved_in = before, f"left {before.state}", event.xact

    def _handle_history(self, event: Event) -> None:
        after = event.after
        if after is None or event.before is not None:
            self._report("history rewritten", event.job, event.id)
            return
        story = self.stories.setdefault(event.job, JobState(after, "unknown", event.arrived_at))
        given_up = story.phase == "letter deleted" and after.state == "discarded"
        self._check_end(event, after, story, lawful=given_up or story.phase.startswith("left "))
        story.histories += 1
        if after.state in COMPLETIONS:
            story.completions += 1
            if story.phase != "left running" or story.now.worker != after.worker:
                self._report("completed without the lease", event.job, event.id)
        if story.completions > 1:
            self._report("completed twice", event.job, event.id)
        story.now, story.phase = after, "ended"

    def _handle_letter(self, event: Event) -> None:
        story = self.stories.get(event.job)
        if event.after is None:
            self._handle_letter_deletion(event, story)
            return
        story = story or self.stories.setdefault(event.job, JobState(event.after, "unknown", event.arrived_at))
        self._check_end(event, event.after, story, lawful=story.phase == "left running")
        story.letters += 1
        story.now, story.phase = event.after, "dead"

    def _handle_letter_deletion(self, event: Event, story: JobState | None) -> None:
        if story is None or story.letters < 1:
            self._report("transition from an unexpected state", event.job, event.id, "letter deleted")
            return
        story.letters -= 1
        if story.phase == "dead":
            story.phase, story.moved_in = "letter deleted", event.xact
        elif story.moved_in != event.xact:
            self._report("dead letter of a live job", event.job, event.id, story.phase)

    def _check_end(self, event: Event, after: Row, story: JobState, *, lawful: bool) -> None:
        if not lawful or story.moved_in != event.xact:
            self._report("ended from an unexpected state", event.job, event.id, f"{story.phase} → {after.state}")
        if story.histories + story.letters > 0:
            self._report("ended twice", event.job, event.id)
        if (after.fence, after.attempts) != (story.now.fence, story.now.attempts):
            self._report("ended under another fence or attempt", event.job, event.id)


def check_effects(stories: dict[UUID, JobState], effects: list[Effect]) -> list[Violation]:
    """Check that each completed job has one effect, under the fence of its result, and other jobs none."""
    by_job: dict[UUID, list[Effect]] = {}
    for effect in effects:
        by_job.setdefault(effect.job, []).append(effect)
    violations = []
    for job, story in stories.items():
        done = by_job.pop(job, [])
        if len(done) != _has_completed(story):
            words = f"{len(done)} effects of a job that is {story.phase}"
            violations.append(Violation("wrong number of effects", job, 0, words))
        elif any((one.fence, one.worker) != (story.now.fence, story.now.worker) for one in done):
            violations.append(Violation("effect of another lease", job, 0, f"{done} for {story.now}"))
    violations += [Violation("effect of an unknown job", job, 0) for job in by_job]
    return violations


def _has_completed(story: JobState) -> bool:
    return story.phase == "ended" and story.now.state in COMPLETIONS
