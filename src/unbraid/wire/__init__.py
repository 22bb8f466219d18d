"""What other people's protocols look like on the wire, and nothing about how bytes get there.

Every module here is pure: values in, values out. Input and output are plain dictionaries as ``json`` reads and writes
them. Sockets, routes and engines live in ``server``.
"""
