"""A data set as one HTML page that needs nothing but itself (`merula report`).

`data_sets` opens a folder, `tally` counts all of its rows, `sample` takes some of its instances,
`pieces` and `words` lay them out as a linguist draws them, `report` writes the page.
"""
