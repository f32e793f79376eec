// The material frames of one strand: a cross of three short lines per edge, m1, m2 across the strand and m3 along it.
import {BufferAttribute, BufferGeometry, LineSegments} from '/lib/three.module.js';
import {lineMaterial} from './plain_material.js';

const colours = [[0.93, 0.36, 0.3, 1], [0.45, 0.78, 0.35, 1], [0.36, 0.58, 0.95, 1]];

export class MaterialFrames {
  constructor() {
    this.lines = new LineSegments(new BufferGeometry(), lineMaterial({depthTest: false}));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 3;
    this.lines.visible = false;
  }

  clear() {
    this.lines.visible = false;
  }

  // Positions of the strand's vertices and m1 of its edges.
  show(positions, directors) {
    const edges = directors.length / 3;
    const points = new Float32Array(18 * edges), shades = new Float32Array(24 * edges);
    for (let e = 0; e < edges; ++e) {
      const a = positions.subarray(3 * e, 3 * e + 3), b = positions.subarray(3 * e + 3, 3 * e + 6);
      const edge = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
      const length = Math.hypot(...edge) || 1;
      const m3 = edge.map(x => x / length);
      const m1 = [...directors.subarray(3 * e, 3 * e + 3)];
      const m2 = [m3[1] * m1[2] - m3[2] * m1[1], m3[2] * m1[0] - m3[0] * m1[2], m3[0] * m1[1] - m3[1] * m1[0]];
      [m1, m2, m3].forEach((axis, k) => {
        const at = 18 * e + 6 * k;
        for (let c = 0; c < 3; ++c) {
          const middle = 0.5 * (a[c] + b[c]);
          points[at + c] = middle;
          points[at + 3 + c] = middle + 1.1 * length * axis[c];
        }
        shades.set([...colours[k], ...colours[k]], 24 * e + 8 * k);
      });
    }
    const {geometry} = this.lines;
    geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute('position', new BufferAttribute(points, 3));
    this.lines.geometry.setAttribute('colour', new BufferAttribute(shades, 4));
    this.lines.visible = true;
  }
}
