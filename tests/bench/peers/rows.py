"""The rows of a recorded curve in their order (resources/docs/formats/curve.md), as NumPy arrays. Needs NumPy only."""
import gzip
import pathlib
import struct

import numpy as np

MNIST = pathlib.Path(__file__).resolve().parents[3] / "resources" / "data" / "mnist"
MNIST_ROWS = 60000
RECORDED_STEPS = 20
ON_MNIST = ("mlp", "lenet5", "cnn")


def read_idx(name):
    raw = gzip.open(MNIST / name).read()
    dims = struct.unpack(f">{raw[3]}I", raw[4:4 + 4 * raw[3]])
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(dims)


def mnist_order(count):
    state, order = 2463534242, np.empty(count, np.int32)
    for i in range(count):
        state ^= (state << 13) & 0xFFFFFFFF
        state ^= state >> 17
        state ^= (state << 5) & 0xFFFFFFFF
        order[i] = state % MNIST_ROWS
    return order


def pictures(count):
    with np.errstate(over="ignore"):
        h = np.arange(count * 3072, dtype=np.uint32) * np.uint32(0x9E3779B9) + np.uint32(0x1234ABCD)
        h ^= h >> np.uint32(16)
        h *= np.uint32(0x7FEB352D)
        h ^= h >> np.uint32(15)
        h *= np.uint32(0x846CA68B)
        h ^= h >> np.uint32(16)
    labels = ((np.arange(count) * 7 + 3) % 10).astype(np.int32)
    y, x, c = np.meshgrid(np.arange(32), np.arange(32), np.arange(3), indexing="ij")
    k = labels.astype(np.int64)[:, None, None, None]
    pattern = (x * (k + 1) + y * (k + 3) + 11 * c) & 127
    return ((h >> np.uint32(25)).astype(np.int64).reshape(count, 32, 32, 3) + pattern).astype(np.uint8), labels


def rows_of(model, batch, kind="float32"):
    """(features, labels, order): the order goes round for ever; its length is a multiple of the batch."""
    if model in ON_MNIST:
        x, y = read_idx("train-images-idx3-ubyte.gz"), read_idx("train-labels-idx1-ubyte.gz").astype(np.int32)
        x = x.reshape(-1, 784) if model == "mlp" else x[..., None]
        order = mnist_order(MNIST_ROWS // batch * batch)
    else:
        x, y = pictures(RECORDED_STEPS * batch)
        order = np.arange(len(x), dtype=np.int32)
    return (x.astype(np.float32) / np.float32(255)).astype(kind), y, order
