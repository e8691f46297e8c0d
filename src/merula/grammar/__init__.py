"""Syntax trees become a grammar: names are looked up, rules typed, a program's files read."""
