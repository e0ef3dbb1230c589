"""Language models that others have trained, a decoder and an encoder, read from their files, with a
rule on scores in place of their softmax.
"""
