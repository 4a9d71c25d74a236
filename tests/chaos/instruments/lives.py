"""The rules one job lives by, whatever happens to its workers; a replay starts a new life."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from tests.chaos.instruments.events import Effect, Event, Row

# Failures that mean "not now": waiting them out spends no attempt.
UNSPENT = {"rate_limit": "rate limit", "ai_quota": "snooze"}
STALLS = {"worker_lost", "timeout"}
LIVE = {"pending", "scheduled", "waiting", "running"}
# Promotion, and the end of the last child.
WAKING = {("scheduled", "pending"), ("waiting", "pending")}
COMPLETIONS = {"done", "degraded"}
# No clock but the database's writes times, so none is further off than any delay of ours.
FARTHEST = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that was broken, where, and how."""

    rule: str
    job: UUID | None
    event: int
    words: str = ""


@dataclass(slots=True)
class Story:
    """What is known of one job so far."""

    now: Row
    phase: str
    arrived_at: datetime
    highest_fence: int = 0
    moved_in: int = 0
    histories: int = 0
    letters: int = 0
    completions: int = 0


def comeback(event: Event) -> str | None:
    """Why a job that had been claimed waits again; None for any other transition."""
    before, after = event.before, event.after
    if event.source != "jobs" or after is None or after.state not in ("pending", "scheduled"):
        return None
    if before is None:
        return "replay" if after.fence > 0 else None
    return _reason(before, after) if before.state == "running" else None


def _reason(before: Row, after: Row) -> str:
    why = "stall" if after.category in STALLS else UNSPENT.get(str(after.category), "retry")
    # Snoozes in a row share one entry of the history, so only a new fence or another reason tells.
    noted = after.failures > before.failures or why in UNSPENT.values()
    return why if noted and after.fence == before.fence else "give back"


def _is_quiet(before: Row, after: Row) -> bool:
    """Whether a job that nobody holds only woke up, or was only noted something about."""
    moved = before.state != after.state and (before.state, after.state) not in WAKING
    return not moved and (before.attempts, before.fence) == (after.attempts, after.fence)


class Lives:
    """Follows every job from its first row to its last."""

    def __init__(self) -> None:
        self.stories: dict[UUID, Story] = {}
        self.violations: list[Violation] = []

    def follow(self, event: Event) -> None:
        """Take the next event of some job."""
        self._check_times(event)
        self._check_place(event)
        if event.source == "job_history":
            self._history(event)
        elif event.source == "dead_letters":
            self._letter(event)
        elif event.before is None and event.after is not None:
            self._born(event, event.after)
        elif event.after is None:
            self._left(event)
        elif event.before is not None:
            self._changed(event, event.before, event.after)

    def finish(self) -> None:
        """Nothing comes any more: everything must have ended, once."""
        for job, story in self.stories.items():
            if story.phase in LIVE:
                self._blame("still live at the end", job, 0, story.phase)
            elif story.histories + story.letters != 1:
                self._blame(
                    "not one terminal row", job, 0, f"{story.histories} ended, {story.letters} letters"
                )

    def _blame(self, rule: str, job: UUID, event: int, words: str = "") -> None:
        self.violations.append(Violation(rule, job, event, words))

    def _check_times(self, event: Event) -> None:
        after = event.after
        if after is None:
            return
        for time in (after.stamped_at, after.run_at):
            if time is not None and abs(time - event.at) > FARTHEST:
                self._blame("a time of another clock", event.job, event.id, f"{time} written at {event.at}")

    def _check_place(self, event: Event) -> None:
        """Whatever happens to a job, its place in its lane is that of its arrival."""
        story = self.stories.get(event.job)
        if story is not None and story.arrived_at != event.arrived_at:
            self._blame("a place that was lost", event.job, event.id, f"{story.arrived_at} before")

    def _born(self, event: Event, after: Row) -> None:
        story = self.stories.get(event.job)
        if story is None:
            story = self.stories[event.job] = Story(after, after.state, event.arrived_at)
        elif story.phase not in ("dead", "unlettered") or (
            story.phase == "unlettered" and story.moved_in != event.xact
        ):
            self._blame("queued while live or ended", event.job, event.id, story.phase)
        if after.attempts != 0 or after.state == "running":
            self._blame("born with an attempt", event.job, event.id)
        if after.fence < story.highest_fence:
            self._blame("a fence fell", event.job, event.id)
        story.now, story.phase, story.moved_in = after, after.state, event.xact

    def _changed(self, event: Event, before: Row, after: Row) -> None:
        story = self.stories.setdefault(event.job, Story(before, before.state, event.arrived_at))
        if (story.phase, story.now.fence, story.now.attempts) != (
            before.state,
            before.fence,
            before.attempts,
        ):
            self._blame("a transition out of nowhere", event.job, event.id, f"{story.phase} / {before.state}")
        if after.fence < story.highest_fence:
            self._blame("a fence fell", event.job, event.id)
        if after.attempts > event.max_attempts:
            self._blame("more attempts than allowed", event.job, event.id)
        if event.is_claim:
            self._claimed(event, before, after, story)
        elif after.state == "running":
            self._taken_over(event, before, after)
        elif before.state == "running":
            self._came_back(event, before, after)
        elif not _is_quiet(before, after):
            self._blame("an unknown transition", event.job, event.id, f"{before.state} → {after.state}")
        story.highest_fence = max(story.highest_fence, after.fence)
        story.now, story.phase = after, after.state

    def _claimed(self, event: Event, before: Row, after: Row, story: Story) -> None:
        if before.state != "pending":
            self._blame("claimed out of turn", event.job, event.id, before.state)
        if after.fence <= story.highest_fence:
            self._blame("a claim without a new fence", event.job, event.id)
        if after.attempts != before.attempts + 1:
            self._blame("a claim that counts no attempt", event.job, event.id)

    def _taken_over(self, event: Event, before: Row, after: Row) -> None:
        if after.worker != before.worker and after.fence <= before.fence:
            self._blame("taken over without a new fence", event.job, event.id)
        # A parent that waited too long is taken as a claim would; going on to the next stage is no take-over.
        if before.state == "running" and after.fence > before.fence and after.attempts != before.attempts:
            self._blame("a take-over that counts an attempt", event.job, event.id)

    def _came_back(self, event: Event, before: Row, after: Row) -> None:
        why = comeback(event)
        spends = after.state != "waiting" and why not in ("give back", *UNSPENT.values())
        if after.attempts != before.attempts - (0 if spends else 1):
            self._blame(
                "a failure that spent nothing" if spends else "an attempt spent by waiting",
                event.job,
                event.id,
                str(why),
            )
        if after.worker is not None:
            self._blame("waiting in somebody's hands", event.job, event.id)

    def _left(self, event: Event) -> None:
        story = self.stories.get(event.job)
        before = event.before
        if story is None or before is None or story.phase != before.state:
            self._blame("a transition out of nowhere", event.job, event.id, "left")
            return
        story.now, story.phase, story.moved_in = before, f"left {before.state}", event.xact

    def _history(self, event: Event) -> None:
        after = event.after
        if after is None or event.before is not None:
            self._blame("history rewritten", event.job, event.id)
            return
        story = self.stories.setdefault(event.job, Story(after, "unknown", event.arrived_at))
        given_up = story.phase == "unlettered" and after.state == "discarded"
        self._check_end(event, after, story, lawful=given_up or story.phase.startswith("left "))
        story.histories += 1
        if after.state in COMPLETIONS:
            story.completions += 1
            if story.phase != "left running" or story.now.worker != after.worker:
                self._blame("completed by somebody who did not hold it", event.job, event.id)
        if story.completions > 1:
            self._blame("completed twice", event.job, event.id)
        story.now, story.phase = after, "ended"

    def _letter(self, event: Event) -> None:
        story = self.stories.get(event.job)
        if event.after is None:
            self._letter_gone(event, story)
            return
        story = story or self.stories.setdefault(event.job, Story(event.after, "unknown", event.arrived_at))
        self._check_end(event, event.after, story, lawful=story.phase == "left running")
        story.letters += 1
        story.now, story.phase = event.after, "dead"

    def _letter_gone(self, event: Event, story: Story | None) -> None:
        if story is None or story.letters < 1:
            self._blame("a transition out of nowhere", event.job, event.id, "letter gone")
            return
        story.letters -= 1
        if story.phase == "dead":
            story.phase, story.moved_in = "unlettered", event.xact
        elif story.moved_in != event.xact:
            self._blame("a letter and a live job at once", event.job, event.id, story.phase)

    def _check_end(self, event: Event, after: Row, story: Story, *, lawful: bool) -> None:
        if not lawful or story.moved_in != event.xact:
            self._blame("ended out of nowhere", event.job, event.id, f"{story.phase} → {after.state}")
        if story.histories + story.letters > 0:
            self._blame("ended twice", event.job, event.id)
        if (after.fence, after.attempts) != (story.now.fence, story.now.attempts):
            self._blame("ended under another fence or attempt", event.job, event.id)


def check_effects(stories: dict[UUID, Story], effects: list[Effect]) -> list[Violation]:
    """What a job did, it did once, under the very fence under which its end was accepted."""
    by_job: dict[UUID, list[Effect]] = {}
    for effect in effects:
        by_job.setdefault(effect.job, []).append(effect)
    violations = []
    for job, story in stories.items():
        done = by_job.pop(job, [])
        if len(done) != _completed(story):
            words = f"{len(done)} effects of a job that is {story.phase}"
            violations.append(Violation("effects not once", job, 0, words))
        elif any((one.fence, one.worker) != (story.now.fence, story.now.worker) for one in done):
            violations.append(Violation("an effect of another holder", job, 0, f"{done} for {story.now}"))
    violations += [Violation("an effect of nobody", job, 0) for job in by_job]
    return violations


def _completed(story: Story) -> bool:
    return story.phase == "ended" and story.now.state in COMPLETIONS
