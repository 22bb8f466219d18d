"""Incremental argument decoders: raw text in, JSON text out, in time linear in the text.

``scan`` walks JSON that passes through untouched, ``json_call`` reads a call object that holds name and arguments,
``params`` writes JSON for parameters that are raw text (``rawtext`` undoes layout and entities), and ``typing`` decides
what a raw value is: rules over what a schema allows (``schemas``) and how a text is read (``readers``); ``policies``
holds other engines' rules. ``decoder`` says what the decoders of whole notations have in common: ``gemma``, ``nested``
and ``python``. They know nothing of markers, states or formats.
"""
