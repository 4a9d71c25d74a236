"""Every error Docyard raises on purpose, as one tree.

DocyardError
├── Failure                     work on a document went wrong; carries a category
│   ├── Retry                   may succeed later (timeout, network, crash, …)
│   ├── Reject                  can never succeed as it is (corrupt, encrypted, unsupported, …)
│   └── Wait                    not now, without spending an attempt (rate limit, open breaker)
├── BadInput                    what a person or program handed in cannot be accepted
│   ├── TooLarge
│   ├── BrokenOff
│   ├── Stalled
│   └── Changed                 it was about something that is no longer so
├── NotFound                    no such thing in this workspace
├── NotAllowed                  this role may not do that
├── Setup                       the installation is not in order
│   ├── SchemaMissing
│   ├── SchemaOutdated
│   ├── SchemaTooNew
│   └── MigrationFailed
└── Unavailable                 the database cannot be reached right now
"""

from __future__ import annotations


class DocyardError(Exception):
    """Something went wrong in Docyard."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


def _storable(message: str) -> str:
    """Bytes of a document may get into a message; PostgreSQL takes no NUL and no half character."""
    return message.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()[:2000]


class Failure(DocyardError):
    """The work on this document failed."""

    def __init__(self, category: str, message: str) -> None:
        self.category = category
        self.message = _storable(message)
        super().__init__(self.message)

    def __reduce__(self) -> tuple[type[Failure], tuple[str, str] | tuple[str, str, float, float]]:
        # Failures cross the pipe from a confined child, so they must survive pickling.
        return (type(self), (self.category, self.message))


class Retry(Failure):
    """This may succeed if it is tried again."""


class Reject(Failure):
    """This cannot succeed, however often it is tried."""


class Wait(Failure):
    """This must wait, without spending an attempt until it has waited for `longest` seconds in all."""

    def __init__(
        self, category: str, message: str, seconds: float = 30.0, longest: float = float("inf")
    ) -> None:
        super().__init__(category, message)
        self.seconds = seconds
        self.longest = longest

    def __reduce__(self) -> tuple[type[Wait], tuple[str, str, float, float]]:
        return (type(self), (self.category, self.message, self.seconds, self.longest))


class BadInput(DocyardError):
    """This input cannot be accepted."""


class TooLarge(BadInput):
    """The file is larger than the limit."""


class BrokenOff(BadInput):
    """The upload broke off before the end of the file."""


class Stalled(BadInput):
    """The upload stopped coming."""


class Changed(BadInput):
    """This has changed meanwhile."""


class NotFound(DocyardError):
    """There is no such thing in this workspace."""


class NotAllowed(DocyardError):
    """Your role does not allow this."""


class Setup(DocyardError):
    """The installation is not in order."""


class SchemaMissing(Setup):
    """The database has no Docyard schema yet. Run: docyard migrate"""


class SchemaOutdated(Setup):
    """The database schema is older than this build of Docyard. Run: docyard migrate"""


class SchemaTooNew(Setup):
    """The database was migrated by a newer Docyard; upgrade this program."""


class MigrationFailed(Setup):
    """A migration could not be applied."""


class Unavailable(DocyardError):
    """The database cannot be reached right now."""
