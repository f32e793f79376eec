// The layout of a frame file: header, channel table, channels. Little-endian like every machine that runs a browser.

export const headerBytes = 4096; // holds the header with the longest table, 48 + 48 * 64 bytes

const arrays = {1: Float32Array, 2: Float64Array, 3: Uint32Array};
const perNames = {1: 'strand', 2: 'vertex', 3: 'edge', 4: 'strand_plus_one', 5: 'counted'};

const damaged = (name, why) => new Error(`${name} is damaged: ${why}.`);

// {number, time, strands, vertices, channels: Map of name to {Array, components, per, elements, offset, bytes}}.
// `name` stands in errors; `total` is the length of the file, where it is known.
export function decodeHeader(buffer, name, total = NaN) {
  const view = new DataView(buffer);
  const text = new Uint8Array(buffer);
  if (buffer.byteLength < 48 || String.fromCharCode(...text.subarray(0, 8)) !== 'TENDRIL\0') {
    throw damaged(name, 'it does not begin like a frame');
  }
  if (view.getUint32(8, true) !== 1) throw damaged(name, `its version ${view.getUint32(8, true)} is not known here`);
  const strands = view.getUint32(32, true);
  const vertices = view.getUint32(36, true);
  const count = view.getUint32(40, true);
  if (count > 64 || buffer.byteLength < 48 + 48 * count) throw damaged(name, 'its table of channels is cut off');
  const channels = new Map();
  for (let c = 0; c < count; ++c) {
    const at = 48 + 48 * c;
    const label = String.fromCharCode(...text.subarray(at, at + 24)).replace(/\0+$/, '');
    const Array = arrays[view.getUint32(at + 24, true)];
    const components = view.getUint32(at + 28, true);
    const per = perNames[view.getUint32(at + 32, true)];
    const counted = view.getUint32(at + 36, true);
    const offset = Number(view.getBigUint64(at + 40, true));
    if (!Array || !per || components < 1 || components > 16 || offset % 8 !== 0) {
      throw damaged(name, `the entry of its channel ${label} makes no sense`);
    }
    const elements = {strand: strands, vertex: vertices, edge: vertices - strands, strand_plus_one: strands + 1, counted}[per];
    const bytes = elements * components * Array.BYTES_PER_ELEMENT;
    if (offset + bytes + 8 > total) throw damaged(name, `it ends inside its channel ${label}`);
    channels.set(label, {Array, components, per, elements, offset, bytes});
  }
  return {
    number: view.getInt32(16, true),
    time: view.getFloat64(24, true),
    strands,
    vertices,
    channels,
  };
}

// The channel's numbers, as a window into `buffer`, which starts at byte `start` of the file; null if it lies outside.
export function channelIn(buffer, start, channel) {
  const at = channel.offset - start;
  if (at < 0 || at + channel.bytes > buffer.byteLength) return null;
  return new channel.Array(buffer, at, channel.bytes / channel.Array.BYTES_PER_ELEMENT);
}
