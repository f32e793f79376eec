// Colour maps for values: few knots, lightness rising evenly between them (or falling to both sides), told apart by
// people with any colour vision because lightness alone carries the order.
import {ClampToEdgeWrapping, DataTexture, LinearFilter} from '/lib/three.module.js';

// Knots in OKLab: lightness, green to red, blue to yellow.
const knots = {
  kelp: [
    [0.22, 0.03, -0.09], [0.36, -0.01, -0.11], [0.5, -0.07, -0.05], [0.65, -0.11, 0.03], [0.8, -0.09, 0.12],
    [0.95, -0.02, 0.16],
  ],
  dusk: [
    [0.22, 0.0, -0.1], [0.4, 0.01, -0.07], [0.55, 0.005, -0.015], [0.7, 0.005, 0.05], [0.83, 0.0, 0.11], [0.95, -0.01, 0.15],
  ],
  poles: [
    [0.36, -0.02, -0.15], [0.54, -0.04, -0.13], [0.7, -0.035, -0.07], [0.82, 0.0, 0.005], [0.72, 0.06, 0.08],
    [0.58, 0.11, 0.12], [0.4, 0.11, 0.09],
  ],
};

export const mapNames = {kelp: 'Kelp', dusk: 'Dusk', poles: 'Poles (two-sided)'};

function oklabToBytes([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map(x => {
    const c = Math.min(1, Math.max(0, x));
    return Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
  });
}

// 256 colours, 4 bytes each.
export function mapBytes(name) {
  const points = knots[name];
  const bytes = new Uint8Array(4 * 256);
  for (let k = 0; k < 256; ++k) {
    const x = (k / 255) * (points.length - 1);
    const i = Math.min(points.length - 2, Math.floor(x));
    const mixed = points[i].map((value, c) => value + (x - i) * (points[i + 1][c] - value));
    bytes.set([...oklabToBytes(mixed), 255], 4 * k);
  }
  return bytes;
}

const textures = new Map();

export function mapTexture(name) {
  if (!textures.has(name)) {
    const texture = new DataTexture(mapBytes(name), 256, 1);
    texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
    texture.magFilter = texture.minFilter = LinearFilter;
    texture.needsUpdate = true;
    textures.set(name, texture);
  }
  return textures.get(name);
}
