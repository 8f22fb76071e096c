"""Every occurrence of some words in a corpus of any size: one job, on one machine or many.

A job cuts the corpus into parts. A worker reads a part, runs the encoder, and writes one Parquet
file; a part whose file exists is done. `store`, `shift` and the app read the folder afterwards.
"""
