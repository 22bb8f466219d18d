"""Engines: what writes the text. Each turns a :class:`~unbraid.server.engines.base.Job` into pieces of text.

An engine knows nothing of formats, messages or HTTP.
"""
