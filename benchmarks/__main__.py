"""Measure everything and write README's table and its picture."""

from benchmarks import report

report.write()
