"""The part of a design that somebody asks for: restrictions, occurrences, test cases."""
