#!/usr/bin/python3
"""Draws frames of a cache as a PNG: strands from the front, lit by how they run across the light.

Example: scripts/draw_cache.py out/shaken-head docs/images/shaken-head.png 1 25 49 121
"""
import struct
import sys
import zlib

import numpy as np


def read_positions(path):
    """Positions [vertices, 3] and strand offsets of one frame (layout: src/tendril/io/frame_file.hpp)."""
    data = open(path, "rb").read()
    strands, vertices, channels = struct.unpack_from("<III", data, 32)
    table = {}
    for c in range(channels):
        name, kind, components, _, _, offset = struct.unpack_from("<24sIIIIQ", data, 48 + 48 * c)
        table[name.rstrip(b"\0").decode()] = (kind, components, offset)
    offsets = np.frombuffer(data, "<u4", strands + 1, table["offset"][2])
    points = np.frombuffer(data, "<f4", 3 * vertices, table["position"][2]).reshape(-1, 3)
    return points.astype(float), offsets.astype(int)


def draw(points, offsets, centre, scale, size):
    """Colour [size, size, 3] of one frame; the nearest hair at a pixel wins."""
    first = np.ones(len(points) - 1, bool)
    first[offsets[1:-1] - 1] = False  # no segment from one strand to the next
    a, b = points[:-1][first], points[1:][first]
    strand = np.searchsorted(offsets, np.flatnonzero(first), side="right") - 1
    tangent = (b - a) / np.linalg.norm(b - a, axis=1, keepdims=True)
    light = np.array([0.35, 0.75, 0.55]) / np.linalg.norm([0.35, 0.75, 0.55])
    along = tangent @ light
    diffuse = np.sqrt(np.clip(1 - along**2, 0, 1))
    tint = np.random.default_rng(1).uniform(0.8, 1.2, offsets.size)[strand]
    base = np.array([0.36, 0.2, 0.11])
    colour = base * (0.25 + 0.75 * diffuse * tint)[:, None] + 0.5 * np.array([1.0, 0.85, 0.65]) * (diffuse**24)[:, None]
    image = np.zeros((size, size, 3)) + np.array([0.93, 0.94, 0.96])
    depth = np.full((size, size), -np.inf)
    steps = int(np.ceil(np.linalg.norm(b - a, axis=1).max() * scale * 1.3)) + 1
    for t in np.linspace(0, 1, steps):
        p = a + t * (b - a)
        x = np.round(size / 2 + (p[:, 0] - centre[0]) * scale).astype(int)
        y = np.round(size / 2 - (p[:, 1] - centre[1]) * scale).astype(int)
        inside = (x >= 0) & (x < size) & (y >= 0) & (y < size)
        order = np.flatnonzero(inside)[np.argsort(p[inside, 2], kind="stable")]
        nearer = order[p[order, 2] >= depth[y[order], x[order]]]
        depth[y[nearer], x[nearer]] = p[nearer, 2]
        shade = np.clip(0.55 + 3.0 * p[nearer, 2], 0.45, 1.0)[:, None]
        image[y[nearer], x[nearer]] = colour[nearer] * shade
    return image


def write_png(path, image):
    height, width, _ = image.shape
    raw = (np.clip(image, 0, 1) ** (1 / 2.2) * 255 + 0.5).astype(np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in raw)
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    folder, target, frames = sys.argv[1], sys.argv[2], [int(f) for f in sys.argv[3:]]
    size, factor = 300, 3
    start, _ = read_positions(f"{folder}/frame_{frames[0]:04}.tendril")
    centre = 0.5 * (start.min(0) + start.max(0))
    scale = size * factor * 0.8 / (start.max(0) - start.min(0))[:2].max()
    pictures = []
    for frame in frames:
        points, offsets = read_positions(f"{folder}/frame_{frame:04}.tendril")
        large = draw(points, offsets, centre, scale, size * factor)
        pictures.append(large.reshape(size, factor, size, factor, 3).mean((1, 3)))
    write_png(target, np.concatenate(pictures, axis=1))


if __name__ == "__main__":
    main()
