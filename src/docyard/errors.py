"""Errors that Docyard raises, as one class hierarchy.

DocyardError
├── Failure                     processing a document failed; has a category
│   ├── Retry                   may succeed later (timeout, network, crash, …)
│   ├── Reject                  cannot succeed without a change (corrupt, encrypted, unsupported, …)
│   └── Wait                    must wait, without using up an attempt (rate limit, busy document)
├── BadInput                    input from a user or program cannot be accepted
│   ├── TooLarge
│   ├── UploadInterrupted
│   ├── UploadStalled
│   └── Changed                 the object has changed since it was read
├── NotFound                    does not exist in this workspace
├── NotAllowed                  the user's role does not allow the action
├── SetupError                  the installation is not set up correctly
│   ├── SchemaMissing
│   ├── SchemaOutdated
│   ├── SchemaTooNew
│   └── MigrationFailed
└── Unavailable                 the database cannot be reached right now
    ├── Locked                  another transaction locks what the statement needs
    ├── StorageFull             no space is left for files or the database
    └── StoreUnavailable        the blob store cannot be reached right now
        └── WrongStore          the store belongs to another installation
"""

from __future__ import annotations

import errno


class DocyardError(Exception):
    """An error occurred in Docyard."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


def _make_storable(message: str) -> str:
    """Replace NUL and lone surrogates, which PostgreSQL rejects, and cut the message at 2000 characters."""
    return message.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()[:2000]


class Failure(DocyardError):
    """Processing this document failed."""

    def __init__(self, category: str, message: str) -> None:
        self.category = category
        self.message = _make_storable(message)
        super().__init__(self.message)

    def __reduce__(self) -> tuple[type[Failure], tuple[str, str] | tuple[str, str, float, float]]:
        # Child processes send failures pickled; the default method would pass only the message to __init__.
        return (type(self), (self.category, self.message))


class Retry(Failure):
    """This may succeed if it is retried."""


class Reject(Failure):
    """This cannot succeed, even if it is retried."""


class Wait(Failure):
    """This must wait some seconds; it uses up an attempt only if the total wait exceeds `longest`."""

    def __init__(self, category: str, message: str, seconds: float = 30.0, longest: float = float("inf")) -> None:
        super().__init__(category, message)
        self.seconds = seconds
        self.longest = longest

    def __reduce__(self) -> tuple[type[Wait], tuple[str, str, float, float]]:
        return (type(self), (self.category, self.message, self.seconds, self.longest))


class BadInput(DocyardError):
    """This input cannot be accepted."""


class TooLarge(BadInput):
    """The file is larger than the limit."""


class UploadInterrupted(BadInput):
    """The upload ended before the end of the file. Please upload the file again."""


class UploadStalled(BadInput):
    """The upload stalled: no more data arrived. Please upload the file again."""


class Changed(BadInput):
    """This has changed in the meantime. Reload it and try again."""


class NotFound(DocyardError):
    """This does not exist in this workspace."""


class NotAllowed(DocyardError):
    """Your role does not allow this."""


class SetupError(DocyardError):
    """The installation is not set up correctly."""


class SchemaMissing(SetupError):
    """The database has no Docyard schema yet. Run: docyard migrate"""


class SchemaOutdated(SetupError):
    """The database schema is older than this build of Docyard. Run: docyard migrate"""


class SchemaTooNew(SetupError):
    """The database was migrated by a newer version of Docyard. Upgrade this installation."""


class MigrationFailed(SetupError):
    """A migration could not be applied."""


class Unavailable(DocyardError):
    """The database cannot be reached at the moment."""


class Locked(Unavailable):
    """Another program is changing this at the moment."""


class StorageFull(Unavailable):
    """There is no space left on the device that stores the data."""


class StoreUnavailable(Unavailable):
    """The file store is not available."""


class WrongStore(StoreUnavailable):
    """The file store belongs to another installation. Mount the right one, or correct DOCYARD_HOME."""


def is_disk_full(error: OSError) -> bool:
    """Return whether an error of the operating system reports a full disk or an exceeded quota."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
