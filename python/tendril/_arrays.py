"""From what users write to what the C++ core takes: flat arrays of doubles, one entry (or row) per vertex.

Every function raises ValueError with one sentence that names the argument.
"""

import operator

import numpy as np


def numbers(values, name):
    """A contiguous array of doubles."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiu":
            raise TypeError
        return np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ValueError(f"{name}: is not an array of real numbers") from None


def among(word, words, name):
    if word not in words:
        raise ValueError(f"{name}: is {word!r}; it must be {' or '.join(map(repr, words))}")


def triplets(matrix, name):
    """Shape, rows, columns and values of the nonzero entries of a matrix, dense or with the method tocsc."""
    if hasattr(matrix, "tocsc"):
        sparse = matrix.tocsc()
        columns = np.repeat(np.arange(sparse.shape[1]), np.diff(sparse.indptr))
        return tuple(sparse.shape), np.asarray(sparse.indices), columns, numbers(sparse.data, name)
    dense = numbers(matrix, name)
    if dense.ndim != 2:
        return dense.shape, np.zeros(0, int), np.zeros(0, int), np.zeros(0)
    rows, columns = np.nonzero(dense)
    return dense.shape, rows, columns, dense[rows, columns]


def vector(values, name):
    array = numbers(values, name)
    if array.shape != (3,):
        raise ValueError(f"{name}: has shape {array.shape}; give three numbers")
    return array


def number(value, name):
    array = numbers(value, name)
    if array.ndim != 0:
        raise ValueError(f"{name}: has shape {array.shape}; give one number")
    return float(array)


def positive(value, name):
    one = number(value, name)
    if not one > 0.0:
        raise ValueError(f"{name}: is {one:g}; it must be positive")
    return one


def at_least_one(value, name):
    return at_least(value, 1, name)


def at_least(value, least, name):
    count = whole(value, name)
    if count < least:
        raise ValueError(f"{name}: is {count}; it must be at least {least}")
    return count


def whole(value, name, bits=32):
    try:
        i = operator.index(value)
    except TypeError:
        raise ValueError(f"{name}: {value!r} is not a whole number") from None
    if not -(2 ** (bits - 1)) <= i < 2 ** (bits - 1):
        raise ValueError(f"{name}: {i} is out of all bounds")
    return i


def index(value, count, name):
    """A whole number in [0, count); negative ones count from the end, as in Python."""
    i = whole(value, name, 64)
    if not -count <= i < count:
        raise ValueError(f"{name} {i}: is not there; there are {count}, counted from 0")
    return i % count


def curves(points, offsets):
    """Points (N, 3) and offsets (S + 1), from (N, 3) with or without offsets, (S, V, 3), or a list of (n, 3)."""
    if offsets is None and isinstance(points, (list, tuple)) and points and _is_strand(points[0]):
        strands = [numbers(strand, f"strand {s}") for s, strand in enumerate(points)]
        for s, strand in enumerate(strands):
            if strand.ndim != 2 or strand.shape[1] != 3:
                raise ValueError(f"strand {s}: has shape {strand.shape}; give an array of (vertices, 3)")
        ends = np.cumsum([0] + [len(strand) for strand in strands], dtype=np.int64)
        return np.concatenate(strands), ends
    array = numbers(points, "points")
    if array.ndim == 3 and array.shape[2] == 3 and offsets is None:
        if array.shape[0] == 0:
            raise ValueError("strands: there are none; give at least one strand")
        ends = np.arange(array.shape[0] + 1, dtype=np.int64) * array.shape[1]
        return array.reshape(-1, 3), ends
    if array.ndim != 2 or array.shape[1] != 3:
        expected = "(strands, vertices, 3), (vertices, 3), or a list of these" if offsets is None else "(vertices, 3)"
        raise ValueError(f"points: has shape {array.shape}; give an array of {expected}")
    if offsets is None:
        return array, np.array([0, len(array)], dtype=np.int64)
    ends = np.asarray(offsets)
    if ends.ndim != 1 or ends.dtype.kind not in "iu" or len(ends) < 2:
        raise ValueError("offsets: must be whole numbers: the first vertex of each strand, then the number of vertices")
    ends = ends.astype(np.int64)
    if ends[0] != 0 or ends[-1] != len(array) or (np.diff(ends) < 0).any():
        raise ValueError(f"offsets: must rise from 0 to the number of vertices, {len(array)}")
    return array, ends


def _is_strand(item):
    if isinstance(item, np.ndarray):
        return item.ndim == 2
    return isinstance(item, (list, tuple)) and bool(item) and np.ndim(item[0]) == 1


def spread(values, name, offsets, *, edges=False, strands=False):
    """One double per vertex, from a number or an array over vertices, and if allowed over edges or over strands."""
    array = numbers(values, name)
    n, s = int(offsets[-1]), len(offsets) - 1
    counts = np.diff(offsets)
    even = int(counts[0]) if (counts == counts[0]).all() else None
    if array.ndim == 0:
        return np.full(n, float(array))
    if array.shape == (n,) or (even is not None and array.shape == (s, even)):
        return array.reshape(-1)
    if edges and (array.shape == (n - s,) or (even is not None and array.shape == (s, even - 1))):
        out = np.zeros(n)
        out[has_edge(offsets)] = array.reshape(-1)
        return out
    if strands and array.shape == (s,):
        return np.repeat(array, counts)
    choices = [f"({n},), one per vertex"]
    if edges:
        choices.append(f"({n - s},), one per edge")
    if strands:
        choices.append(f"({s},), one per strand")
    raise ValueError(f"{name}: has shape {array.shape}; give a number or an array of shape {', or '.join(choices)}")


def has_edge(offsets):
    """True for each vertex at which an edge starts: all but the last of each strand."""
    mask = np.ones(int(offsets[-1]), dtype=bool)
    mask[offsets[1:] - 1] = False
    return mask


def rows(values, name, offsets, width):
    """(N, width) from that shape or from (S, V, width)."""
    array = numbers(values, name)
    n, s = int(offsets[-1]), len(offsets) - 1
    if array.shape == (n, width) or (array.ndim == 3 and array.shape == (s, n // s, width) and n % s == 0):
        return array.reshape(-1, width)
    raise ValueError(f"{name}: has shape {array.shape}; give one of ({n}, {width})")


def pose(value, name="pose"):
    """(rotation, translation), from a 4 x 4 matrix or a pair with a 3 x 3 matrix or a quaternion (w, x, y, z)."""
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return numbers(value[0], "rotation"), vector(value[1], "translation")
    matrix = numbers(value, name)
    if matrix.shape != (4, 4):
        raise ValueError(f"{name}: has shape {matrix.shape}; give a matrix of (4, 4) or a pair (rotation, translation)")
    if not np.array_equal(matrix[3], (0.0, 0.0, 0.0, 1.0)):
        raise ValueError(f"{name}: the last row of a rigid pose is 0, 0, 0, 1")
    return np.ascontiguousarray(matrix[:3, :3]), np.ascontiguousarray(matrix[:3, 3])
