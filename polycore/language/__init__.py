"""A language model that others have trained, read from its file, with a rule on scores in place of
its softmax.
"""
