"""What can go wrong in the server, apart from what a client wrote (``wire.fields.RequestError``)."""

from __future__ import annotations


class SetupError(ValueError):
    """The server can't start as it was asked to. The message says what to change."""


class EngineError(Exception):
    """An engine couldn't write an answer. The message goes to the client; it never holds message content."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 500,
        type: str = "server_error",
        code: str | None = "engine_error",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.type = type
        self.code = code


class TemplateError(Exception):
    """The chat template refused the messages, or failed on them."""
