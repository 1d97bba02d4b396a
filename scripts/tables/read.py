"""Reads exported tables with pandas and DuckDB: read.py FOLDER

FOLDER holds play.parquet, play.arrow, play.csv and play.jsonl, as `deno task tables RUN --out FOLDER --format …`
writes them. Prints one JSON object: what each reader makes of each file. `deno task setup tables` makes a Python
that has both.
"""

import json
import sys
from pathlib import Path

import duckdb
import pandas
import pyarrow

folder = Path(sys.argv[1])


def with_pandas(frame):
    """Missing is counted, not filled: a mean of `value` is one of scored plays."""
    return {
        "rows": len(frame),
        "ids": frame["id"].tolist(),
        "seed": [int(seed) for seed in frame["seed"]],
        "missing": int(frame["value"].isna().sum()),
        "mean": float(frame["value"].mean()),
        "successes": int(frame["success"].sum()),
    }


def with_duckdb(source):
    rows, ids, seed, missing, mean, successes = duckdb.sql(
        "select count(*), list(id order by rollout), list(seed order by rollout), count(*) - count(value), avg(value), "
        f"count(*) filter (success) from {source}"
    ).fetchall()[0]
    return {
        "rows": rows,
        "ids": ids,
        "seed": seed,
        "missing": missing,
        "mean": mean,
        "successes": successes,
    }


play = {form: str(folder / f"play.{form}") for form in ("parquet", "arrow", "csv", "jsonl")}
# DuckDB reads Arrow through the memory it shares with pyarrow.
shared = pyarrow.ipc.open_file(play["arrow"]).read_all()
found = {
    "pandas parquet": with_pandas(pandas.read_parquet(play["parquet"])),
    "pandas arrow": with_pandas(pandas.read_feather(play["arrow"])),
    "pandas csv": with_pandas(pandas.read_csv(play["csv"])),
    "pandas jsonl": with_pandas(pandas.read_json(play["jsonl"], lines=True)),
    "duckdb parquet": with_duckdb(f"'{play['parquet']}'"),
    "duckdb arrow": with_duckdb("shared"),
    "duckdb csv": with_duckdb(f"'{play['csv']}'"),
    "duckdb jsonl": with_duckdb(f"'{play['jsonl']}'"),
}
stored = duckdb.sql(f"from '{play['parquet']}'")
types = {
    "parquet": dict(zip(stored.columns, map(str, stored.types))),
    "arrow": {field.name: str(field.type) for field in shared.schema},
}
tokens = folder / "turn.parquet"
logps = duckdb.sql(f"select list(list_sum(logps) order by id) from '{tokens}'").fetchall()[0][0]
print(json.dumps({"found": found, "types": types, "logps": logps}))
