"""Files of several formats, read into one corpus; `readers.FORMATS` lists the formats."""
