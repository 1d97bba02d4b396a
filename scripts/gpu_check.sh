#!/bin/sh
# One GPU of at least 80 GB, under 10 minutes, nothing downloaded: the embedded engine on CUDA with a random-weight model of
# Qwen3-4B's shape; tokens/s of sampling and training; one SPADE rollout where deno is there. Results: JSON in OUT.
#
#   scripts/gpu_check.sh [OUT.json]        (default: data/results/gpu.json)
#   PYTHON=/path/to/python                 one with torch for CUDA, transformers, safetensors, fastapi, uvicorn
#                                          (default: .spade/engine/bin/python)
#   SHAPE=tiny                             a model of a million parameters instead, to try the script itself: any device
set -eu
cd "$(dirname "$0")/.."
out=${1:-data/results/gpu.json}
python=${PYTHON:-.spade/engine/bin/python}
command -v "$python" >/dev/null || { echo "Cannot check: there is no $python; set PYTHON" >&2; exit 2; }
exec timeout 600 "$python" -B scripts/gpu/check.py --shape "${SHAPE:-4b}" --out "$out"
