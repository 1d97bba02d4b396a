"""Parquet files for parquet_test.ts, by pyarrow 26.0.1.

Usage: python tests/corpus/parquet.py > tests/corpus/parquet.json
"""
import base64
import io
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq

OUT = {}


def put(name, columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    OUT[name] = base64.b64encode(file.getvalue()).decode()


for codec in ["none", "snappy", "gzip", "zstd", "brotli"]:
    put(codec, {
        "text": pa.array(["tide tables", "  ", None, "two\r\nlines — 潮", "tide tables"]),
        "orig_doc": pa.nulls(5),
        "skill": pa.array([None, None, None, "Causal Inference", None]),
        "licence": pa.array(["CC0-1.0", None, None, "MIT", None]),
        "embedding": pa.nulls(5, pa.list_(pa.float32())),
        "meta": pa.array([{"a": 1}] * 5),
    }, compression=codec)
numbered = [f"document {i}" for i in range(25)]
put("groups", {"orig_doc": numbered, "text": ["x"] * 25}, row_group_size=10)
put("large", {"text": pa.array(["big"], pa.large_string())}, compression="none")
put("dictionary", {"text": pa.array(["a", "b", "a"]).dictionary_encode()})
put("binary", {"text": pa.array([b"raw"], pa.binary())})
put("number", {"text": [7, 8]})
put("other", {"body": ["x"], "n": [1]})
put("nothing", {"text": pa.nulls(3)})
put("empty", {"text": pa.array([], pa.string())})
json.dump(OUT, sys.stdout, indent=0)
