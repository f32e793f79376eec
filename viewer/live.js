// A simulation that runs while one watches: its newest frame, its state, and orders to it.
import {getBytes, getJson, post} from './api.js';
import {checkFinite} from './cache_run.js';
import {channelIn, decodeHeader} from './frame_file.js';

const stateEvery = 400; // [ms]

export function decodeLiveFrame(buffer) {
  const header = decodeHeader(buffer, 'The live frame', buffer.byteLength);
  const frame = {number: header.number, time: header.time, header, arrays: new Map(), bytes: buffer.byteLength};
  for (const [name, channel] of header.channels) frame.arrays.set(name, channelIn(buffer, 0, channel));
  checkFinite(frame.arrays.get('position'), 'The live frame');
  return frame;
}

const rest = ms => new Promise(resolve => setTimeout(resolve, ms));

export class Live {
  // `onFrame(frame)` may return a promise; the next frame is asked for after it.
  constructor({onFrame, onState, onError}) {
    this.onFrame = onFrame;
    this.onState = onState;
    this.onError = onError;
    this.number = 0;
  }

  async nextFrame() {
    const buffer = await getBytes(`/api/live/frame?after=${this.number}`);
    if (!buffer) return null;
    const frame = decodeLiveFrame(buffer);
    this.number = frame.number;
    return frame;
  }

  async follow() {
    for (;;) {
      try {
        const frame = await this.nextFrame();
        if (frame) await this.onFrame(frame);
      } catch (error) {
        this.onError(error);
        await rest(1000);
      }
    }
  }

  async watch() {
    for (;;) {
      try {
        this.onState(await getJson('/api/live/state.json'));
      } catch (error) {
        this.onError(error);
      }
      await rest(stateEvery);
    }
  }

  async order(message) {
    try {
      this.onState(await post('/api/live/controls', message));
    } catch (error) {
      this.onError(error);
    }
  }
}
