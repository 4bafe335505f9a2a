"""Render a scene with Cycles; `perf/traced.py` starts this file with a Python that has Blender's module `bpy`.

usage: PYTHON perf/traced_scene.py SCENE.npz OUT.npz SAMPLES

It imports nothing of Chronotope. Only light goes in and out: triangles, colours and poses in, linear radiance out.
"""

import sys
import tempfile
import time
import warnings
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

THREADS = 1
warnings.simplefilter("ignore", DeprecationWarning)


def main() -> None:
    """Render every pose of the scene."""
    source, out, samples = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with np.load(source) as stored:
        scene = dict(stored)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    settle(int(scene["height"]), int(scene["width"]), samples, scene["sky"])
    for number in range(len(scene["glow"])):
        add_piece(scene, number)
    if "sun" in scene:
        add_sun(scene)
    camera = add_camera(float(scene["angle"]))
    pictures, seconds = [], []
    for pose in scene["poses"]:
        camera.matrix_world = Matrix(pose.tolist())
        start = time.process_time()
        pictures.append(render())
        seconds.append(time.process_time() - start)
    np.savez(out, pictures=np.array(pictures), seconds=np.array(seconds), version=bpy.app.version_string)


def settle(height: int, width: int, samples: int, sky: np.ndarray) -> None:
    """Set the renderer, the size and the sky."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples = "CPU", samples
    scene.cycles.use_denoising = True
    scene.cycles.max_bounces, scene.cycles.diffuse_bounces = 8, 8
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.render.threads_mode, scene.render.threads = "FIXED", THREADS
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "32"
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True  # Blender 4.2 needs it; later versions have nodes in any case
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (*sky.tolist(), 1.0)
    scene.world = world


def add_piece(scene: dict[str, np.ndarray], number: int) -> None:
    """Add the triangles of one piece with its colour, picture and glow."""
    faces = scene["faces"][scene["piece"] == number]
    used, new = np.unique(faces, return_inverse=True)
    corners = new.reshape(-1, 3)
    mesh = bpy.data.meshes.new(f"piece {number}")
    mesh.from_pydata(scene["vertices"][used].tolist(), [], corners.tolist())
    layer = mesh.uv_layers.new(name="uv")
    layer.data.foreach_set("uv", scene["uv"][used][corners.ravel()].ravel().astype(np.float32))
    mesh.materials.append(material(scene, number))
    thing = bpy.data.objects.new(f"piece {number}", mesh)
    thing.visible_shadow = number not in scene["panes"]
    bpy.context.scene.collection.objects.link(thing)


def material(scene: dict[str, np.ndarray], number: int) -> bpy.types.Material:
    """Make a matt material, or one that glows."""
    made = bpy.data.materials.new(f"look {number}")
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    nodes.clear()
    glow = float(scene["glow"][number])
    surface = nodes.new("ShaderNodeEmission" if glow > 0 else "ShaderNodeBsdfDiffuse")
    if glow > 0:
        surface.inputs["Strength"].default_value = glow
    links.new(surface.outputs[0], nodes.new("ShaderNodeOutputMaterial").inputs["Surface"])
    colour = (*scene["colour"][number].tolist(), 1.0)
    if f"texture {number}" not in scene:
        surface.inputs["Color"].default_value = colour
        return made
    picture = nodes.new("ShaderNodeTexImage")
    picture.image = image(scene[f"texture {number}"], number)
    mixed = nodes.new("ShaderNodeMix")
    mixed.data_type, mixed.blend_type = "RGBA", "MULTIPLY"
    mixed.inputs["Factor"].default_value = 1.0
    mixed.inputs["B"].default_value = colour
    links.new(picture.outputs["Color"], mixed.inputs["A"])
    links.new(mixed.outputs["Result"], surface.inputs["Color"])
    return made


def image(texture: np.ndarray, number: int) -> bpy.types.Image:
    """Make a picture whose first row is at v = 0, as in Blender and in Chronotope."""
    height, width, _ = texture.shape
    made = bpy.data.images.new(f"texture {number}", width, height)
    pixels = np.ones((height, width, 4), np.float32)
    pixels[..., :3] = texture / 255.0
    made.pixels.foreach_set(pixels.ravel())
    made.update()
    return made


def add_sun(scene: dict[str, np.ndarray]) -> None:
    """Add the sun; its strength is an irradiance."""
    strength = scene["sunlight"]
    light = bpy.data.lights.new("sun", "SUN")
    light.energy, light.color = float(strength.max()), (strength / strength.max()).tolist()
    light.angle = 2 * float(scene["sun_width"])
    thing = bpy.data.objects.new("sun", light)
    bpy.context.scene.collection.objects.link(thing)
    thing.matrix_world = Matrix(scene["sun"].tolist())


def add_camera(angle: float) -> bpy.types.Object:
    """Add the camera, with its vertical angle of view in radians."""
    data = bpy.data.cameras.new("camera")
    data.sensor_fit, data.angle, data.clip_start = "VERTICAL", angle, 0.01
    made = bpy.data.objects.new("camera", data)
    bpy.context.scene.collection.objects.link(made)
    bpy.context.scene.camera = made
    return made


def render() -> np.ndarray:
    """Render, and return the linear radiance (h, w, 3), the first row at the top."""
    with tempfile.TemporaryDirectory() as folder:
        bpy.context.scene.render.filepath = str(Path(folder) / "picture.exr")
        bpy.ops.render.render(write_still=True)
        shown = bpy.data.images.load(bpy.context.scene.render.filepath)
        width, height = shown.size
        pixels = np.empty(height * width * shown.channels, np.float32)
        shown.pixels.foreach_get(pixels)
        bpy.data.images.remove(shown)
    return pixels.reshape(height, width, -1)[::-1, :, :3].copy()


if __name__ == "__main__":
    main()
