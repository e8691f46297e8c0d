"""Faults of the hub: exceptions of huggingface_hub as problems with a remedy.

No message contains the token, nor the address of an upload: whoever has that may write there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from merula.core.diagnostics import MerulaError
from merula.core.frozen import frozen

PASSING = (408, 425, 429, 500, 502, 503, 504)  # of HTTP: too busy, too early, out of order
BEHIND = 412  # the answer to a commit on top of one that is no longer the last
UNFIT = 400  # used for files that huggingface_hub rejects before it sends them
NO_XET = 404  # the answer of a hub without this kind of storage
MAX_QUOTED_CHARACTERS = 300  # of the hub's own words, which can be a whole page of HTML
ONE_COMMIT = (
    "all files go in one commit, so the repository is as it was or has all that is new;"
    " push again to go on"
)


@frozen
class HubFault:
    """Why a call of the hub failed.

    ``status`` is that of the HTTP answer, None where none came; ``quote`` the hub's own words;
    ``wait`` the seconds that it asks to wait. A ``passing`` fault may be gone at the next try.
    """

    status: int | None
    what: str
    quote: str = ""
    wait: float | None = None
    passing: bool = False
    remedy: str = ""

    def problem(self, repo: str, url: str) -> MerulaError:
        """Return the fault as an error for users (M703 to M707, M709)."""
        code, message, remedy = self._message(repo)
        notes = [f"the hub says: {self.quote}"] if self.quote else []
        return MerulaError.of(code, message, remedy=self.remedy or remedy, place=url, notes=notes)

    def _message(self, repo: str) -> tuple[str, str, str]:
        """Return code, message and remedy."""
        owner = repo.partition("/")[0]
        if self.status is None:
            return "M706", self.what, f"check the connection; {ONE_COMMIT}"
        if self.passing:
            wait = f"wait {self.wait:.0f} s" if self.wait else "wait a while"
            return "M707", self.what, f"{wait}; {ONE_COMMIT}"
        if self.status == 401:
            remedy = "it may be old or withdrawn: `hf auth login --force` asks for a new one"
            return "M703", "the hub does not accept the token", remedy
        if self.status == 403:
            remedy = (
                "`hf auth whoami` says whose token it is; it needs the right to write, and"
                f" {owner} has to be you or an organisation in which you may write"
            )
            return "M704", f"the token has no right to write to {repo}", remedy
        if self.status == 409:
            remedy = "choose another name, or rename or remove the other one on the hub"
            return "M705", f"the name {repo} is taken", remedy
        return "M709", f"the hub cannot take the files: {self.what}", f"mend that; {ONE_COMMIT}"


def fault_of(error: BaseException, token: str) -> HubFault | None:
    """Return the fault of the hub, or of the way to it, that an exception tells of, if it does."""
    from huggingface_hub.utils import HfHubHTTPError

    for cause in _causes(error):
        names = {kind.__name__ for kind in type(cause).__mro__}
        if isinstance(cause, HfHubHTTPError):
            return _answered(cause, token)
        if "OfflineModeIsEnabled" in names:
            remedy = "unset the variable HF_HUB_OFFLINE, then push again"
            return HubFault(None, "huggingface_hub is told to stay offline", remedy=remedy)
        if "XetAuthenticationError" in names:
            return HubFault(401, "the hub does not accept the token", _line(str(cause), token))
        if _lacks_xet(cause):
            remedy = "set the variable HF_HUB_DISABLE_XET to 1, then push again"
            return HubFault(NO_XET, "it has no Xet storage", remedy=remedy)
        if isinstance(cause, json.JSONDecodeError):
            return _cut_off("an answer was not complete")
        if isinstance(cause, (ConnectionError, TimeoutError)) or _of_transport(cause):
            return _cut_off(_reason(cause, token))
    if isinstance(error, RuntimeError):  # hf_xet raises these; only the text says more
        return _cut_off(_reason(error, token))
    if isinstance(error, (OSError, ValueError)):
        return HubFault(UNFIT, _reason(error, token))
    return None


def _cut_off(reason: str) -> HubFault:
    return HubFault(None, f"the connection to the hub fails: {reason}", passing=True)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception, and those that led to it."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _of_transport(error: BaseException) -> bool:
    """Whether an exception is of the library for HTTP; which one, depends on huggingface_hub."""
    return any(
        kind.__module__.partition(".")[0] in ("httpx", "httpx2", "requests")
        for kind in type(error).__mro__
    )


def _lacks_xet(error: BaseException) -> bool:
    """Whether the hub has no Xet storage; a hub that somebody runs on their own may not."""
    return "xet-write-token" in str(error) and str(NO_XET) in str(error)


def _answered(error: Any, token: str) -> HubFault:
    answer = error.response
    status: int = answer.status_code
    quote = _line(error.server_message or "", token)
    if status == BEHIND:
        return HubFault(status, "somebody else pushes to it at the same time", passing=True)
    reason = getattr(answer, "reason_phrase", "") or getattr(answer, "reason", "")
    what = f"the hub answers {status} {reason}".rstrip()
    passing = status in PASSING or status >= 500
    return HubFault(status, what, "" if passing else quote, _asked_wait(answer.headers), passing)


def _asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that an answer asks to wait, by its limit of calls or ``Retry-After``.

    >>> _asked_wait({"retry-after": "17"})
    18.0
    >>> _asked_wait({"ratelimit": '"api";r=0;t=120'})  # r calls are left in the next t seconds
    121.0
    """
    window = re.search(r"r\s*=\s*0\s*;\s*t\s*=\s*(\d+)", headers.get("ratelimit", ""))
    after = headers.get("retry-after", "").strip()
    seconds = int(window[1]) if window else int(after) if after.isdigit() else 0
    return float(seconds + 1) if seconds else None  # one more, since the hub rounds down


def _reason(error: BaseException, token: str) -> str:
    return _line(str(error), token) or type(error).__name__


def _line(text: str, token: str) -> str:
    """Return a text in one line, without the token and without addresses, which may be signed."""
    bare = re.sub(r"https?://[^\s)'\"]+", "(address)", text.replace(token, "(token)"))
    short = " ".join(bare.split())
    if len(short) <= MAX_QUOTED_CHARACTERS:
        return short
    return f"{short[:MAX_QUOTED_CHARACTERS]} …"
