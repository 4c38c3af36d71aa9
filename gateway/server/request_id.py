"""The id under which logs and traces know a request."""

import re
import uuid
from typing import Final

from gateway.agent import Request
from gateway.server.asgi import Scope
from gateway.server.request import fields

REQUEST_ID: Final = "x-request-id"
_ID: Final = re.compile(r"[\w.:+/=@-]{1,128}", re.ASCII)


def request_of(scope: Scope) -> Request:
    """The request with the id that the client or a proxy gave it (`X-Request-Id`), else a new one.

    An id that could not stand in a line of a log counts as none.
    """
    headers = fields(scope)
    given = headers.get(REQUEST_ID, "")
    return Request(headers=headers, id=given if _ID.fullmatch(given) else uuid.uuid4().hex)
