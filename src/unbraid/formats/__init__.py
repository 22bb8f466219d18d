"""The shipped formats, one file each, data only: each binds ``FORMAT`` to a :class:`unbraid.format.Format`.

A new family is a new file here; nothing else needs to know. ``registry`` finds them and resolves names and aliases.
"""
