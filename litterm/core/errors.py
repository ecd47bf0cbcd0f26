"""The errors a user may see, each with one sentence that names the cause and the next step."""

from __future__ import annotations

from typing import ClassVar


class LittermError(Exception):
    """Expected trouble: `str(error)` is one plain sentence fit for the screen."""

    exit_code = 1


class UsageError(LittermError):
    """The request itself makes no sense: a bad option, an empty excerpt."""

    exit_code = 2


class NoModelSet(UsageError):
    """A language model is wanted, and the settings name none."""


class OtherPaper(UsageError):
    """A file is not that of the paper to which it is to be attached; both titles are in the message."""


class QueryError(UsageError):
    """A query cannot be parsed."""

    def __init__(self, message: str, *, start: int, end: int) -> None:
        """`start` and `end` are the half-open character range at fault."""
        super().__init__(message)
        self.start = start
        self.end = end


class AsksTooMuch(UsageError):
    """More is asked with than one request may hold; the message names the limit and what to do."""


class UnknownPaper(LittermError):
    """No paper of the library has this id or key."""

    exit_code = 3


class AmbiguousPaper(UsageError):
    """A bare key fits several papers; the message lists them."""


class UnknownMatrix(UsageError):
    """No evidence matrix has this id."""


class UnknownColumnTable(UsageError):
    """No table of columns has this id."""


class UnknownTrajectory(UsageError):
    """No trajectory of the citation agent has this id."""


class UnknownReadingList(UsageError):
    """No reading list of the project in use has this id."""

    exit_code = 3


class BadInput(LittermError):
    """A file, or one record of it, cannot be imported; names file and cause."""


class MissingInput(BadInput):
    """A file that the user named does not exist."""

    exit_code = 3


class LibraryError(LittermError):
    """The library on disk cannot be used as it is."""


class LibraryTooNew(LibraryError):
    """The library was written by a newer litterm; nothing was touched."""


class ReadOnly(LibraryError):
    """The library is read-only for this user: it belongs to another user, or is a snapshot."""


class SegmentGone(LibraryError):
    """A segment was compacted away between reading the manifest and opening it; a newer snapshot has its rows."""


class SegmentDamaged(SegmentGone):
    """A segment cannot be read any more; it is left out of the next snapshot, and the others continue."""


class DatabaseDamaged(LibraryError):
    """A file of the library does not hold what was written to it."""


class OutOfMemory(LibraryError):
    """A read needs more memory than it may use."""


class IndexDamaged(LibraryError):
    """A file of an index does not hold what was written to it; the next import rebuilds it."""


class ListLost(LibraryError):
    """There are segments and no list of them that could be trusted; it can be made again from the segments."""


class SqlError(LittermError):
    """A statement in SQL is refused, or cannot be run."""


class ClusterError(LittermError):
    """The cluster cannot be used: Ray is not installed, nothing answers there, or its segments are not to be had."""


class StateBusy(LibraryError):
    """Another process has been writing to the state of the library for too long; nothing was written."""


class DiskFull(LibraryError):
    """No room for a segment or a journal line; what was published stays."""


class ChildFailed(LittermError):
    """A child process died, ran out of time or out of memory; only its own job is lost."""


class SettingsError(UsageError):
    """A settings or theme file has a fault; names file, key and the nearest known key."""


class ServiceError(LittermError):
    """A needed service or model failed and nothing could be answered."""

    exit_code = 4


class Offline(ServiceError):
    """The network is needed and the user has switched it off."""


class SourceError(ServiceError):
    """A service of papers could not be asked, or has no answer; each kind is a class below."""

    transient = False
    """Whether the same request may succeed later."""

    def __init__(self, message: str, *, status: int | None = None, retry_after_s: float | None = None) -> None:
        """`status` is the HTTP status, `retry_after_s` how long the service asked to be left alone."""
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s


class NotFound(SourceError):
    """The service answers, and does not have what was asked for."""

    exit_code = 3


class NotOpen(SourceError):
    """The paper exists and its text is not open access, or not yet."""

    exit_code = 3


class RateLimited(SourceError):
    """Too many requests, and waiting has not helped."""

    transient = True


class QuotaExhausted(SourceError):
    """What the service allows a day, or an account, is used up."""


class AuthRequired(SourceError):
    """The service requires a key or a login, or another one."""


class Challenged(SourceError):
    """The service lets only browsers in: it answered with a check that no program can pass."""


class RequestFaulty(SourceError):
    """The service does not understand the request: a fault of litterm, or of a query handed through."""


class ServiceDown(SourceError):
    """The service has an internal problem, and trying again has not helped."""

    transient = True


class Unreachable(SourceError):
    """No connection to the service, or it broke off."""

    transient = True


class NoNetwork(Unreachable):
    """Names cannot be looked up, or no way leads out: it is this machine, not the service."""


class Malformed(SourceError):
    """A service answered in an unexpected format."""


class TooLarge(SourceError):
    """More bytes than a limit allows; nothing of them is kept."""


class AddressRefused(SourceError):
    """The address is no public one, or no web address: it is never connected to."""


class LibraryServerError(ServiceError):
    """The server of a group's library could not be asked, or gave no answer that can be used."""


class LibraryServerBusy(LibraryServerError):
    """The server of a group's library has too much to do; the same request may succeed later."""


class TokenRefused(LibraryServerError):
    """The server of a group's library does not know the token, or its user may not do what was asked."""


class ModelError(ServiceError):
    """A language model could not be asked, or gave nothing usable; whoever asked continues without it and says so."""

    failed_at: ClassVar[str] = "The model could not be asked"
    """How far it came, as the beginning of a sentence."""

    def __init__(
        self, message: str, *, status: int | None = None, retry_after_s: float | None = None, server_text: str = ""
    ) -> None:
        """`status` is the HTTP status, `retry_after_s` how long the server asked to be left alone.

        `server_text` is everything the server said, in lower case and without keys; for finding out what it objects to.
        """
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s
        self.server_text = server_text


class ModelGone(ModelError):
    """The model cannot be had: whatever is asked next would fail in the same way, perhaps after a long wait."""


class ModelOffline(ModelGone, Offline):
    """The endpoint is not on this machine, and the user has switched the network off."""


class KeyRefused(ModelGone):
    """The server wants a key, or another one."""


class NoCredit(ModelGone):
    """The account at the server has run out of money; waiting does not help."""


class ModelUnknown(ModelGone):
    """The server has no such model."""


class NoModelServer(ModelGone):
    """Whatever answers there speaks no OpenAI-compatible protocol, or elsewhere."""


class RequestRefused(ModelError):
    """The server does not take the request as it is; trying again does not help."""


class ContextOverflow(RequestRefused):
    """The request is longer than the model can read; a shorter one may do."""


class ToolsRefused(RequestRefused):
    """The model cannot call tools; a reply of a form may do instead."""


class ModelBusy(ModelError):
    """Too many requests, or too many tokens, a minute; and waiting has not helped."""


class ModelFailed(ModelError):
    """The server has an internal problem, and trying again has not helped."""


class ModelTimeout(ModelError):
    """The server has not answered in time."""


class ModelUnreachable(ModelGone):
    """No connection: nothing listens there, no route, no such name, no trust."""


class ReplyCut(ModelError):
    """The connection ended in the middle of a reply, or the reply at its longest allowed length."""

    failed_at = "The model gave no usable reply"


class ReplyTooLong(ModelError):
    """What the server sends continues beyond any true reply; it was not read to its end."""

    failed_at = "The model gave no usable reply"


class ReplyUnreadable(ModelError):
    """The model answered, twice, but not in the form asked for."""

    failed_at = "The model gave no usable reply"


class ReplyWithheld(ModelError):
    """A filter of the server kept the reply back."""

    failed_at = "The model gave no usable reply"


class CapReached(ModelError):
    """A cap on tokens or dollars, of the settings or litterm's own, would be passed; nothing was sent."""

    failed_at = "The model was not asked"


class RepeatedRequest(ModelError):
    """The same request was repeated within one run; it was not sent."""


class DryRun(ModelError):
    """The user only wanted to see what would be sent; nothing was sent."""


class Stopped(LittermError):
    """The user ended a task before its result."""

    exit_code = 130
