// Which strand lies under the pointer: every edge is projected, which takes some ten milliseconds for a million of them.
import {Matrix4, Raycaster, Vector2} from '/lib/three.module.js';

const near = 2; // [px]: among edges so close to the pointer the foremost is taken
const far = 10; // [px]: else the closest one within this distance

// `at` in pixels of the view's rectangle of the size `size`. A strand's number, or null.
export function pickStrand(view, camera, at, size) {
  const matrix = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  const m = matrix.elements;
  const p = view.frame.arrays.get('position');
  const {offsets, strands} = view.topology;
  const wall = bodyDepth(view, camera, at, size);
  // Thick strands are hit on all of their width.
  const halfWidth = (view.strands.widest * size.h) / (2 * Math.tan((camera.fov * Math.PI) / 360));
  let best = null, bestDistance = far, bestDepth = Infinity;
  for (let s = 0; s < strands; ++s) {
    let ax = 0, ay = 0, aw = 0;
    for (let i = offsets[s]; i < offsets[s + 1]; ++i) {
      const x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2];
      const w = m[3] * x + m[7] * y + m[11] * z + m[15];
      const sx = (((m[0] * x + m[4] * y + m[8] * z + m[12]) / w) * 0.5 + 0.5) * size.w - at.x;
      const sy = (0.5 - ((m[1] * x + m[5] * y + m[9] * z + m[13]) / w) * 0.5) * size.h - at.y;
      if (i > offsets[s] && w > 0 && aw > 0) {
        const dx = sx - ax, dy = sy - ay;
        const t = Math.min(1, Math.max(0, -(ax * dx + ay * dy) / (dx * dx + dy * dy + 1e-12)));
        const depth = aw + t * (w - aw);
        if (depth < wall) {
          const distance = Math.max(near, Math.hypot(ax + t * dx, ay + t * dy) - halfWidth / depth);
          if (distance < bestDistance || (distance === bestDistance && depth < bestDepth)) {
            bestDistance = distance;
            bestDepth = depth;
            best = s;
          }
        }
      }
      ax = sx;
      ay = sy;
      aw = w;
    }
  }
  return best;
}

// How far away the foremost body is there, with a little to spare for strands that lie on it.
function bodyDepth(view, camera, at, size) {
  if (!view.shows.bodies) return Infinity;
  const ray = new Raycaster();
  ray.setFromCamera(new Vector2((at.x / size.w) * 2 - 1, 1 - (at.y / size.h) * 2), camera);
  const [hit] = ray.intersectObjects(view.bodies.meshes, false);
  if (!hit) return Infinity;
  const depth = -hit.point.applyMatrix4(camera.matrixWorldInverse).z;
  return depth * 1.01;
}
