"""How the book is made: what the tasks of dodo.py call. Paths are relative to the repository's
root.
"""
