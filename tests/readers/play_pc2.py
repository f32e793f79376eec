"""blender -b --python play_pc2.py -- LINES.obj POINTS.pc2 FIRST_FRAME FRAME... OUT.json

Imports the lines, moves them by the point cache with a Mesh Cache modifier, and writes for each of the frames the points
as the mesh has them and as they stand in Blender's world, which is z up.
"""

import json
import sys

import bpy


def main():
    lines, cache, first, *frames, out = sys.argv[sys.argv.index("--") + 1 :]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if hasattr(bpy.ops.wm, "obj_import"):
        bpy.ops.wm.obj_import(filepath=lines)
    else:  # before Blender 3.3
        bpy.ops.import_scene.obj(filepath=lines, split_mode="OFF")
    (lines_object,) = [entry for entry in bpy.data.objects if entry.type == "MESH"]
    modifier = lines_object.modifiers.new("points", "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = cache
    modifier.frame_start = float(first)  # of the scene; the modifier passes over the file's own
    result = {"edges": [list(edge.vertices) for edge in lines_object.data.edges], "frames": {}}
    for frame in map(int, frames):
        bpy.context.scene.frame_set(frame)
        moved = lines_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
        local = [list(vertex.co) for vertex in moved.data.vertices]
        world = [list(moved.matrix_world @ vertex.co) for vertex in moved.data.vertices]
        result["frames"][frame] = {"local": local, "world": world}
    with open(out, "w") as file:
        json.dump(result, file)


main()
