"""Syntax trees become a grammar: names are looked up, rules typed, a program's files read.

A source goes in (`program.read_program`), and the trees of its files with their tables
(`resolve.resolve`); out comes a `model.Grammar`, in which no name is a string any more, or None and
problems. The compiler calls both. `conditions` says whether a test of a rule holds.
"""
