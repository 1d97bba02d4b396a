"""The same Vendi score with numpy and, where it is installed, scipy: token 1- to 4-grams, cosines, eigenvalues.

Reads a JSON list of texts, writes one JSON object. CPU seconds of this process; threads are what the environment says.
"""
import json
import re
import sys
import time

import numpy as np

try:
    import scipy
    import scipy.sparse
except ImportError:
    scipy = None

TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d+)?|[^\s\w]")


def grams(text):
    words = TOKEN.findall(text)
    return {tuple(words[i : i + length]): 1 for length in range(1, 5) for i in range(len(words) - length + 1)}


def kernel_scipy(rows):
    ids, data, places, ends = {}, [], [], [0]
    for counts in rows:
        for gram, count in counts.items():
            places.append(ids.setdefault(gram, len(ids)))
            data.append(count)
        ends.append(len(data))
    x = scipy.sparse.csr_matrix((np.array(data, float), places, ends), shape=(len(rows), len(ids)))
    norms = np.sqrt(np.asarray(x.multiply(x).sum(axis=1)).ravel())
    x = scipy.sparse.diags(1 / norms) @ x
    return (x @ x.T).toarray()


def kernel_numpy(rows):
    n, ids, holders = len(rows), {}, []
    products = np.zeros((n, n))
    for i, counts in enumerate(rows):
        where, amounts = [], []
        for gram, count in counts.items():
            held = holders[ids[gram]] if gram in ids else None
            if held is None:
                ids[gram] = len(holders)
                held = ([], [])
                holders.append(held)
            held[0].append(i)
            held[1].append(count)
            where.append(held[0])
            amounts.append(np.multiply(held[1], count))
        products[i] = np.bincount(np.concatenate(where), np.concatenate(amounts), n)
    lower = np.tril(products)
    full = lower + np.tril(products, -1).T
    norms = np.sqrt(np.diag(full))
    return full / norms[:, None] / norms[None, :]


def main():
    texts = json.load(sys.stdin)
    start = time.process_time()
    rows = [grams(text) for text in texts]
    kernel = (kernel_scipy if scipy else kernel_numpy)(rows)
    middle = time.process_time()
    values = np.linalg.eigvalsh(kernel / len(texts))
    values = values[values > 1e-13]
    score = float(np.exp(-(values * np.log(values)).sum()))
    end = time.process_time()
    print(json.dumps({
        "with": "numpy %s%s" % (np.__version__, ", scipy %s" % scipy.__version__ if scipy else ""),
        "kernelSeconds": middle - start, "eigenvalueSeconds": end - middle, "score": score,
    }))


main()
