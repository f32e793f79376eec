// Values for false colours, per vertex, from what a frame and the rest state hold. Beyond what single precision would hold
// stands for "no value".
export const noValue = -3e38;

const frameChannels = {
  speed: ['velocity'],
  tension: ['strain'],
  'contact-force': ['contact_force'],
  curvature: [],
  strand: [],
};

// Channels of frames that a colour needs besides positions.
export function channelsFor(colour) {
  if (colour.from === 'frame') return [colour.channel];
  return colour.from === 'derived' ? frameChannels[colour.id] ?? [] : [];
}

// Channels of the rest state that it needs.
export function restChannelsFor(colour) {
  if (colour.from === 'rest') return [colour.channel];
  return colour.id === 'tension' && colour.from === 'derived' ? ['stretch_stiffness'] : [];
}

// Curvature at vertex i of a polyline [1/m]: twice the tangent of half the turning angle per mean edge length; none at the
// ends of a strand.
export function curvatureAt(p, i) {
  const a = 3 * (i - 1), b = 3 * i, c = 3 * (i + 1);
  const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
  const vx = p[c] - p[b], vy = p[c + 1] - p[b + 1], vz = p[c + 2] - p[b + 2];
  const u = Math.hypot(ux, uy, uz), v = Math.hypot(vx, vy, vz);
  const cross = Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx);
  const tangentOfHalf = cross / (u * v + ux * vx + uy * vy + uz * vz);
  return (2 * tangentOfHalf * 2) / (u + v);
}

function perVertex(out, source) {
  for (let i = 0; i < out.length; ++i) out[i] = source(i);
}

function spread(out, topology, per, source) {
  const {offsets, strands} = topology;
  for (let s = 0; s < strands; ++s) {
    const first = offsets[s], last = offsets[s + 1] - 1;
    if (per === 'strand') {
      const value = source(s);
      for (let i = first; i <= last; ++i) out[i] = value;
    } else {
      for (let i = first; i < last; ++i) out[i] = source(i - s);
      out[last] = source(last - 1 - s);
    }
  }
}

function derived(colour, frame, rest, topology, out) {
  if (colour.id === 'speed' || colour.id === 'contact-force') {
    const v = frame.arrays.get(colour.id === 'speed' ? 'velocity' : 'contact_force');
    perVertex(out, i => Math.hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
    return 'vertex';
  }
  if (colour.id === 'tension') {
    const strain = frame.arrays.get('strain');
    const stiffness = rest.get('stretch_stiffness');
    spread(out, topology, 'edge', e => strain[e] * stiffness[e]);
    return 'edge';
  }
  const p = frame.arrays.get('position');
  const {offsets, strands} = topology;
  for (let s = 0; s < strands; ++s) {
    const first = offsets[s], last = offsets[s + 1] - 1;
    out[first] = out[last] = NaN;
    for (let i = first + 1; i < last; ++i) out[i] = curvatureAt(p, i);
  }
  return 'vertex';
}

// Fills `out` and gives {kind: 'vertex' | 'edge', low, high, positive}: the range of what is finite, and its least
// positive value; low > high if there is none.
export function fillValues(colour, frame, rest, topology, out) {
  let kind = colour.per === 'edge' ? 'edge' : 'vertex';
  if (colour.from === 'derived') kind = derived(colour, frame, rest, topology, out);
  else {
    const source = colour.from === 'rest' ? rest.get(colour.channel) : frame.arrays.get(colour.channel);
    if (!source) out.fill(NaN);
    else if (colour.per === 'vertex') out.set(source);
    else spread(out, topology, colour.per, k => source[k]);
  }
  let low = Infinity, high = -Infinity, positive = Infinity;
  for (let i = 0; i < out.length; ++i) {
    const x = out[i];
    if (!(Math.abs(x) < 1e37)) {
      out[i] = noValue;
      continue;
    }
    if (x < low) low = x;
    if (x > high) high = x;
    if (x > 0 && x < positive) positive = x;
  }
  return {kind, low, high, positive};
}
