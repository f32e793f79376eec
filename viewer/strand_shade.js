// The shade that strands throw on each other: how densely they fill space, on a coarse grid per frame, and from it how much
// light reaches each cell from where the light stands. Density is relative to the mean, so a thin groom is modelled like a
// full one: each of its strands stands for its neighbours.
import {Data3DTexture, LinearFilter, RGFormat, UnsignedByteType, Vector3} from '/lib/three.module.js';

const cells = 36;
const most = 60000; // vertices looked at
const reach = 8; // cells looked at towards the light

export class StrandShade {
  constructor() {
    this.density = new Float32Array(cells ** 3);
    this.texture = new Data3DTexture(new Uint8Array(2 * cells ** 3), cells, cells, cells);
    this.texture.format = RGFormat;
    this.texture.type = UnsignedByteType;
    this.texture.minFilter = this.texture.magFilter = LinearFilter;
    this.texture.unpackAlignment = 1;
    this.low = new Vector3();
    this.size = new Vector3(1, 1, 1);
    this.light = new Vector3();
    this.stale = true;
  }

  // Positions of a new frame.
  setPositions(p) {
    const step = 3 * Math.max(1, Math.floor(p.length / 3 / most));
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < p.length; i += step) {
      for (let c = 0; c < 3; ++c) {
        if (p[i + c] < low[c]) low[c] = p[i + c];
        if (p[i + c] > high[c]) high[c] = p[i + c];
      }
    }
    // Cubes; two cells stay empty on each side, so that beyond the grid there is nothing.
    const largest = Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-9);
    const cell = largest / (cells - 4), size = cell * cells;
    const [x0, y0, z0] = low.map((x, c) => 0.5 * (x + high[c]) - 0.5 * size);
    const {density} = this;
    density.fill(0);
    let filled = 0, sum = 0;
    for (let i = 0; i < p.length; i += step) {
      const x = Math.floor((p[i] - x0) / cell), y = Math.floor((p[i + 1] - y0) / cell), z = Math.floor((p[i + 2] - z0) / cell);
      if (x < 0 || y < 0 || z < 0 || x >= cells || y >= cells || z >= cells) continue;
      const at = (z * cells + y) * cells + x;
      if (density[at] === 0) ++filled;
      ++density[at];
      ++sum;
    }
    const scale = sum > 0 ? filled / sum : 0;
    for (let i = 0; i < density.length; ++i) density[i] = Math.min(4, scale * density[i]);
    this.low.set(x0, y0, z0);
    this.size.set(size, size, size);
    this.stale = true;
  }

  // `light`: direction towards it.
  setLight(light) {
    if (!this.stale && light.distanceTo(this.light) < 0.02) return;
    this.stale = false;
    this.light.copy(light);
    const steps = Array.from({length: reach}, (_, k) => [light.x, light.y, light.z].map(x => Math.round(1.2 * (k + 0.9) * x)));
    const {density} = this, {data} = this.texture.image;
    let at = 0;
    for (let z = 0; z < cells; ++z) {
      for (let y = 0; y < cells; ++y) {
        for (let x = 0; x < cells; ++x, ++at) {
          let sum = 0;
          for (let k = 0; k < reach; ++k) {
            const u = x + steps[k][0], v = y + steps[k][1], w = z + steps[k][2];
            if (u < 0 || v < 0 || w < 0 || u >= cells || v >= cells || w >= cells) break;
            sum += density[(w * cells + v) * cells + u];
          }
          data[2 * at] = 255 * Math.exp(-0.42 * sum);
          data[2 * at + 1] = 255 * Math.exp(-0.3 * density[at]);
        }
      }
    }
    this.texture.needsUpdate = true;
  }
}
