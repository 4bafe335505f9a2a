"""Croissant metadata of a benchmark (``croissant.json``): its files, and the columns of its tables.

Format: http://mlcommons.org/croissant/1.0. Columns with lists or structures are left out.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.io.parquet import arrow_path
from chronotope.make.publication.dataset_page import tables_of
from chronotope.question import Benchmark

CONFORMS = "http://mlcommons.org/croissant/1.0"
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_WORDS = {
    "id": "the id of the question",
    "task": "the task of the paper",
    "cluster": "questions with the same value share their scene, so their answers are correlated",
    "stem": "the text of the question, without its options",
    "variant": "the form of the question; base is the usual one",
    "path": "the path of the file, relative to the folder of the data set",
    "sha256": "the checksum of the file",
}


def croissant(bench: Benchmark, address: str, checksums: dict[str, str], on: datetime | None = None) -> str:
    """Return the metadata as JSON-LD.

    ``checksums`` has the SHA-256 of each file, by its path. ``on`` is the day of publication; the default is today.
    """
    card, day = bench.card, (on or datetime.now(UTC)).date().isoformat()
    tables = tables_of(bench.folder)
    document = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": card.name,
        "description": f"{card.counts.questions} questions of the family {card.family}, profile {card.profile}",
        "conformsTo": CONFORMS,
        "license": card.licence,
        "creator": [{"@type": "sc:Person", "name": name} for name in card.attributions or ("not stated",)],
        "url": f"https://huggingface.co/datasets/{address.removeprefix('hf://')}",
        "version": _version(card.version),
        "datePublished": day,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": name,
                "contentUrl": file,
                "encodingFormat": "application/x-parquet",
                "sha256": checksums[file],
            }
            for name, file in tables.items()
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": name,
                "name": name,
                "field": _fields(bench.folder / file, name, file),
            }
            for name, file in tables.items()
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _version(version: str) -> str:
    """Return a version as Croissant wants it, such as 1.0.0."""
    parts = version.split(".")
    whole = all(part.isdecimal() for part in parts) and len(parts) <= 3
    return ".".join([*parts, "0", "0"][:3]) if whole else "0.0.0"


def _fields(path: Path, table: str, file: str) -> list[dict[str, Any]]:
    fields = []
    for column in pq.read_schema(arrow_path(path)):
        kind = _kind(column.type)
        if kind is not None:
            fields.append(
                {
                    "@type": "cr:Field",
                    "@id": f"{table}/{column.name}",
                    "name": column.name,
                    "description": _WORDS.get(column.name, f"the column {column.name} of {file}"),
                    "dataType": kind,
                    "source": {"fileObject": {"@id": file}, "extract": {"column": column.name}},
                }
            )
    return fields


def _kind(of: pa.DataType) -> str | None:
    """Return the kind of a column, or None if it has lists or structures."""
    if pa.types.is_string(of) or pa.types.is_large_string(of):
        return "sc:Text"
    if pa.types.is_boolean(of):
        return "sc:Boolean"
    if pa.types.is_integer(of):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(of) else None
