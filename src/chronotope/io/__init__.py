"""Functions that read, validate and write files, and describe each fault in one sentence.

The module ``parquet`` is not imported here, because it loads Arrow, which few commands need.
"""

from chronotope.errors import visible
from chronotope.io.fixed_files import create_own, refuse_links
from chronotope.io.hashes import canonical_json, sha256_bytes, sha256_file
from chronotope.io.links import link_or_copy
from chronotope.io.names import name_fault, path_fault, plain_name, printable, same_name, slug, spelled, value_words
from chronotope.io.read import BoundedLine, bounded_lines, read_bytes, read_json, read_text, read_yaml
from chronotope.io.system import (
    irregular,
    irregular_kind,
    link_check,
    plain_refusal,
    reading,
    refusal,
    remedy,
    unreadable,
)
from chronotope.io.write import write_atomically, write_json, write_yaml

__all__ = [
    "BoundedLine",
    "bounded_lines",
    "canonical_json",
    "create_own",
    "irregular",
    "irregular_kind",
    "link_check",
    "link_or_copy",
    "name_fault",
    "path_fault",
    "plain_name",
    "plain_refusal",
    "printable",
    "read_bytes",
    "read_json",
    "read_text",
    "read_yaml",
    "reading",
    "refusal",
    "refuse_links",
    "remedy",
    "same_name",
    "sha256_bytes",
    "sha256_file",
    "slug",
    "spelled",
    "unreadable",
    "value_words",
    "visible",
    "write_atomically",
    "write_json",
    "write_yaml",
]
