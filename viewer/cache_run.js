// One run on the server: its frames' times, and any channel of any frame, whole or in part, by range requests.
import {getBytes, getRange} from './api.js';
import {channelIn, decodeHeader, headerBytes} from './frame_file.js';

export class CacheRun {
  constructor(info) {
    this.info = info;
    this.layout = null; // header of the first frame; later frames look the same
    this.opened = null; // promise of what all frames share
    this.early = null; // {number, frame: promise}: the first frame, asked for before anybody needs it
    this.restLayout = null;
    this.restChannels = new Map(); // promises
  }

  url(number) {
    return `/api/runs/${this.info.id}/frames/${number}`;
  }

  // Starts what open() waits for.
  begin() {
    this.opened = this.read();
    this.opened.catch(() => {});
  }

  // What all frames share: {offsets, radius}, or null if there is no frame yet.
  open() {
    if (!this.opened) this.begin();
    const result = this.opened;
    this.opened = null;
    return result;
  }

  async read() {
    const first = this.info.frames[0];
    if (first === undefined) return null;
    const {buffer, total} = await getRange(this.url(first), 0, headerBytes - 1);
    const layout = decodeHeader(buffer, `Frame ${first} of ${this.info.name}`, total);
    this.layout = layout;
    this.early = {number: first, frame: this.fetchFrame(first, ['position'])};
    this.early.frame.catch(() => {}); // who asks for it tells the user
    const [offsets, radius] = await Promise.all([
      this.slice(first, 'offset', 0, layout.strands + 1), this.slice(first, 'radius', 0, layout.vertices),
    ]);
    return {offsets, radius: radius ?? new Float32Array(layout.vertices).fill(5e-5)};
  }

  get frames() {
    return this.info.frames;
  }

  // [s]; numbers may begin anywhere, so times count from that of the first frame.
  timeOf(index) {
    return this.layout.time + (this.frames[index] - this.frames[0]) / this.info.fps;
  }

  get start() {
    return this.timeOf(0);
  }

  get end() {
    return this.timeOf(this.frames.length - 1);
  }

  // Index of the newest frame at or before `time`.
  indexAt(time) {
    let low = 0, high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.timeOf(middle) <= time + 1e-6) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // {number, time, header, arrays: Map, bytes}; one request brings the header and, by the layout of the first frame, the
  // positions behind it.
  async load(number, names, signal) {
    const {early} = this;
    if (early?.number !== number) return this.fetchFrame(number, names, signal);
    this.early = null;
    const frame = await early.frame;
    await this.complete(frame, names, signal);
    return frame;
  }

  async fetchFrame(number, names, signal) {
    const name = `Frame ${number} of ${this.info.name}`;
    const position = this.layout.channels.get('position');
    const guess = names.includes('position') ? position.offset + position.bytes : headerBytes;
    const {buffer, total} = await getRange(this.url(number), 0, guess - 1, signal);
    const header = decodeHeader(buffer, name, total);
    if (header.strands !== this.layout.strands || header.vertices !== this.layout.vertices) {
      throw new Error(`${name} has other strands than the first frame.`);
    }
    const frame = {number, time: header.time, header, arrays: new Map(), bytes: buffer.byteLength};
    await this.complete(frame, names, signal, buffer);
    return frame;
  }

  // Adds the channels that `frame` lacks. A channel that the frame does not have is an empty place, not an error.
  async complete(frame, names, signal, buffer = null) {
    await Promise.all(names.map(async name => {
      if (frame.arrays.has(name)) return;
      const channel = frame.header.channels.get(name);
      let values = channel && buffer ? channelIn(buffer, 0, channel) : null;
      if (channel && !values) {
        values = await this.part(frame.header, this.url(frame.number), channel, 0, channel.elements, signal);
        frame.bytes += channel.bytes;
      }
      if (name === 'position') checkFinite(values, `Frame ${frame.number} of ${this.info.name}`);
      frame.arrays.set(name, values);
    }));
  }

  async part(header, url, channel, first, count, signal) {
    const step = channel.components * channel.Array.BYTES_PER_ELEMENT;
    const begin = channel.offset + first * step;
    const {buffer} = await getRange(url, begin, begin + count * step - 1, signal);
    if (buffer.byteLength !== count * step) {
      throw new Error(`Frame ${header.number} of ${this.info.name} is damaged: it ends inside a channel.`);
    }
    return new channel.Array(buffer);
  }

  // `count` elements of a channel of one frame, or null if the frame has no such channel.
  async slice(number, name, first, count) {
    const channel = this.layout.channels.get(name);
    return channel ? this.part(this.layout, this.url(number), channel, first, count) : null;
  }

  // A channel of the rest state, or null.
  rest(name) {
    if (!this.restChannels.has(name)) this.restChannels.set(name, this.readRest(name));
    return this.restChannels.get(name);
  }

  async readRest(name) {
    if (!this.info.rest) return null;
    const url = `/api/runs/${this.info.id}/rest`;
    if (!this.restLayout) {
      const {buffer, total} = await getRange(url, 0, headerBytes - 1);
      this.restLayout = decodeHeader(buffer, `The rest state of ${this.info.name}`, total);
    }
    const channel = this.restLayout.channels.get(name);
    return channel ? this.part(this.restLayout, url, channel, 0, channel.elements) : null;
  }

  // {points, triangles} of a body as drawn.
  async body(index) {
    const buffer = await getBytes(`/api/runs/${this.info.id}/bodies/${index}`);
    const [points, triangles] = new Uint32Array(buffer, 0, 2);
    return {
      points: new Float32Array(buffer, 8, 3 * points),
      triangles: new Uint32Array(buffer, 8 + 12 * points, 3 * triangles),
    };
  }
}

// Files are read in part, so their checksum cannot be; a place that is no number would leave holes without a word.
export function checkFinite(values, name) {
  if (!values) throw new Error(`${name} has no positions.`);
  for (let i = 0; i < values.length; ++i) {
    if (!(Math.abs(values[i]) < 1e30)) throw new Error(`${name} is damaged: a position is not a number.`);
  }
}
