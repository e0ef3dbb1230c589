"""What the core costs, against a named peer on the same work in the same run. `make bench` writes
README's table.
"""
