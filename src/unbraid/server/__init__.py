"""An OpenAI-compatible server in front of an engine, and a page to watch it.

``serve(Options(...))`` runs one; ``unbraid.server.app.create_app`` is the ASGI application for those who bring their
own engine or server. Importing this package needs nothing beyond the standard library; serving does.
"""

from .errors import EngineError, SetupError
from .run import Options, serve

__all__ = ["EngineError", "Options", "SetupError", "serve"]
