"""The pages of ``docs/formats``, written from the formats themselves: ``python -m unbraid.document docs/formats``.

What lives here: ``pages`` (a format as a page, all of them as a table), ``diagram`` (a table of states as a picture)
and ``words`` (markers and white space as people read them). What doesn't: facts. A page says what a format's data, its
table and a parse of its example say, so it can't be out of date while a test compares it with what is written anew.
"""

from .diagram import draw
from .pages import page, pages, write

__all__ = ["draw", "page", "pages", "write"]
