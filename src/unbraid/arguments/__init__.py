"""Incremental argument decoders: raw text in, JSON text out, in time linear in the text.

``scan`` walks JSON that passes through untouched, ``json_call`` reads a call object that holds name and arguments,
``params`` writes JSON for parameters that are raw text, and ``typing`` decides what a raw value is.
``decoder`` says what the decoders of whole notations have in common: ``gemma`` and ``nested``.
They know nothing of markers, states or formats.
"""
