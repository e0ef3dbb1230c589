"""The words in which notebooks record their claims, for who writes and who reads them: the build
reads them without importing what checks a claim, which takes half a second.
"""

__all__ = ["ELSEWHERE", "KINDS", "MIME"]

MIME = "application/vnd.polycore.claims+json"
KINDS = ("proof", "certified", "exact", "numeric", "monte-carlo")  # the strongest first
ELSEWHERE = " > "  # between a claim of another page and the name of one of its pieces
