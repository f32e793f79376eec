// The ground: a grid with a known spacing at the lowest point of the first frame.
import {BufferAttribute, BufferGeometry, LineSegments, Vector3} from '/lib/three.module.js';
import {lineMaterial} from './plain_material.js';

const cells = 12; // each way from the middle

// 1, 2 or 5 times a power of ten.
function niceStep(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return power * [1, 2, 5, 10].find(m => m * power >= size * 0.999);
}

export function spacingInWords(metres) {
  const [factor, unit] = metres >= 1 ? [1, 'm'] : metres >= 0.01 ? [100, 'cm'] : metres >= 0.001 ? [1e3, 'mm'] : [1e6, 'µm'];
  return `${Number((metres * factor).toPrecision(3))} ${unit}`;
}

export class Grid {
  constructor(box, up) {
    const size = box.getSize(new Vector3()).length();
    this.spacing = niceStep(Math.max(size, 1e-6) / 10);
    const half = cells * this.spacing;
    const points = [], colours = [];
    const line = (a, b, alphaA, alphaB) => {
      points.push(...a, ...b);
      colours.push(1, 1, 1, alphaA, 1, 1, 1, alphaB);
    };
    // Fades out towards the rim; each line in pieces, so that alpha can bend.
    const alpha = (u, v) => Math.max(0, 1 - Math.hypot(u, v) / half) ** 1.5 * 0.9;
    for (let k = -cells; k <= cells; ++k) {
      const u = k * this.spacing;
      for (let j = -cells; j < cells; ++j) {
        const v = j * this.spacing, w = v + this.spacing;
        line([u, 0, v], [u, 0, w], alpha(u, v), alpha(u, w));
        line([v, 0, u], [w, 0, u], alpha(u, v), alpha(u, w));
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
    geometry.setAttribute('colour', new BufferAttribute(new Float32Array(colours), 4));
    this.lines = new LineSegments(geometry, lineMaterial());
    this.lines.frustumCulled = false;
    this.lines.renderOrder = -1;
    const centre = box.getCenter(new Vector3());
    const lowest = up.y ? box.min.y : box.min.z;
    if (up.y) this.lines.position.set(centre.x, lowest, centre.z);
    else {
      this.lines.position.set(centre.x, centre.y, lowest);
      this.lines.rotation.x = Math.PI / 2;
    }
  }

  setColour(colour) {
    this.lines.material.uniforms.tint.value.set(colour);
  }
}
