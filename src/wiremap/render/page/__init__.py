"""One HTML file that shows a graph and needs nothing else: no network, no server, no package.

Python says what there is to see (``scene``) and puts the file together (``assembly``); what is open, what is
selected and where everything stands is decided in the browser, by the scripts in ``assets``.
"""

from wiremap.render.page.assembly import render_page

__all__ = ["render_page"]
