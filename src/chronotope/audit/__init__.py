"""Audits of benchmarks: what reveals correct options without an understanding of space and time."""
