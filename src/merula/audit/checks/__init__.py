"""Checks of a corpus: functions from a `View` to `Found`; `registry.CHECKS` lists them all."""
