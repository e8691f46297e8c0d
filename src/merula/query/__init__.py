"""The part of a design that somebody asks for: restrictions, occurrences, test cases.

In come a compiled design and what is wanted of it (frames, values, lexemes); out come the plans
with only that, and their sentences and pairs. Strategies and the pytest plugin call this room.
"""
