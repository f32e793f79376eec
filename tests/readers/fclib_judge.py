"""FCLIB itself, the library that the layout of .h5 contact problems comes from, as a judge."""

import ctypes
import ctypes.util
import os

import judges
import numpy as np

_Ints, _Doubles = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_double)


class _Matrix(ctypes.Structure):
    _fields_ = [
        ("nzmax", ctypes.c_int), ("m", ctypes.c_int), ("n", ctypes.c_int), ("p", _Ints), ("i", _Ints), ("x", _Doubles),
        ("nz", ctypes.c_int), ("info", ctypes.c_void_p),
    ]


class _Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("title", "description", "math_info")]


class _Local(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.POINTER(_Matrix)) for name in "WVR"), *((name, _Doubles) for name in ("mu", "q", "s")),
        ("spacedim", ctypes.c_int), ("info", ctypes.POINTER(_Info)),
    ]


class _Global(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.POINTER(_Matrix)) for name in "MHG"), *((name, _Doubles) for name in ("mu", "f", "b", "w")),
        ("spacedim", ctypes.c_int), ("info", ctypes.POINTER(_Info)),
    ]


class _Solution(ctypes.Structure):
    _fields_ = [(name, _Doubles) for name in "vurl"]


def library():
    found = ctypes.util.find_library("fclib")
    if found is None:
        judges.skip("the library of FCLIB (libfclib0) is not installed")
    fclib = ctypes.CDLL(found)
    fclib.fclib_read_local.restype = ctypes.POINTER(_Local)
    fclib.fclib_read_solution.restype = ctypes.POINTER(_Solution)
    fclib.fclib_merit_local.restype = ctypes.c_double
    return fclib


def read(path):
    """W as a dense array, q, mu, r, u and the title, as FCLIB reads them, and the value of its merit function."""
    fclib = library()
    problem, solution = fclib.fclib_read_local(os.fsencode(path)), fclib.fclib_read_solution(os.fsencode(path))
    assert problem and solution, path
    local, W = problem.contents, problem.contents.W.contents
    rows = W.m
    assert (W.n, W.nz, local.spacedim) == (rows, -1, 3) and not local.V and not local.R, path
    dense = np.zeros((rows, rows))
    for c in range(rows):
        for k in range(W.p[c], W.p[c + 1]):
            dense[W.i[k], c] += W.x[k]
    vector = lambda values, count: np.ctypeslib.as_array(values, (count,)).copy()  # noqa: E731
    found = solution.contents
    return {
        "W": dense, "q": vector(local.q, rows), "mu": vector(local.mu, rows // 3), "r": vector(found.r, rows),
        "u": vector(found.u, rows), "title": local.info.contents.title.decode(),
        "merit": fclib.fclib_merit_local(problem, 0, solution),
    }


def _matrix(dense, form):
    """By columns, by rows or as triplets."""
    lines = dense.T if form == "columns" else dense
    outer, inner = np.nonzero(lines)
    values = lines[outer, inner]
    first = outer if form == "triplets" else np.searchsorted(outer, np.arange(len(lines) + 1))
    ints = lambda array: (ctypes.c_int * len(array))(*map(int, array))  # noqa: E731
    nz = {"columns": -1, "rows": -2, "triplets": len(values)}[form]
    doubles = (ctypes.c_double * len(values))(*values)
    return _Matrix(len(values), *dense.shape, ints(first), ints(inner), doubles, nz, None)


def _doubles(array):
    return (ctypes.c_double * len(array))(*array)


def write_local(path, W, q, mu, form):
    matrix, problem = _matrix(W, form), _Local(spacedim=3, mu=_doubles(mu), q=_doubles(q))
    problem.W = ctypes.pointer(matrix)
    assert library().fclib_write_local(ctypes.byref(problem), os.fsencode(path)) == 1, path


def write_global(path, M, H, f, w, mu, form):
    """H has a row per unknown here, as in FCLIB."""
    m, h = _matrix(M, form), _matrix(H, form)
    problem = _Global(spacedim=3, mu=_doubles(mu), f=_doubles(f), w=_doubles(w))
    problem.M, problem.H = ctypes.pointer(m), ctypes.pointer(h)
    assert library().fclib_write_global(ctypes.byref(problem), os.fsencode(path)) == 1, path
