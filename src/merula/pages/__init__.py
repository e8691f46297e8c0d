"""A data set as one HTML page that needs nothing but itself.

In goes the folder of a run, a suite or a publication, as `merula.data.opened` opens it; out comes
an HTML file; ``merula report`` calls `report.report`. ``tally`` counts all rows, ``sample`` draws
some instances, ``pieces`` and ``words`` lay them out as a linguist draws them, ``audits`` reads the
findings of an audit, ``report`` writes the page.
"""
