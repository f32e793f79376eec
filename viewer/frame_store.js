// Frames in memory: the one that is wanted first, then those ahead of it, as many as fit.

const parallel = 2;

export class FrameStore {
  constructor(run, capBytes, onFrame, onError) {
    this.run = run;
    this.cap = capBytes;
    this.onFrame = onFrame;
    this.onError = onError;
    this.frames = new Map(); // number to frame
    this.loading = new Map(); // number to AbortController
    this.failed = new Set();
    this.names = ['position'];
    this.focusIndex = 0;
    this.loop = false;
    this.ahead = false; // load more than the frame in focus
  }

  // Channels that each frame needs from now on.
  setChannels(names) {
    this.names = names;
    this.failed.clear();
    this.pump();
  }

  has(frame) {
    return this.names.every(name => frame.arrays.has(name));
  }

  // The frame if it is here with all its channels.
  get(number) {
    const frame = this.frames.get(number);
    return frame && this.has(frame) ? frame : undefined;
  }

  focus(index) {
    this.focusIndex = index;
    const number = this.run.frames[index];
    this.failed.delete(number); // who comes back to it is told again
    if (!this.get(number) && !this.loading.has(number)) {
      // What was loaded ahead of an old place must not delay this one.
      for (const controller of this.loading.values()) controller.abort();
      this.loading.clear();
    }
    this.pump();
  }

  loadAhead() {
    this.ahead = true;
    this.pump();
  }

  // A frame that failed is asked for again: the server may be back, or its file mended.
  retry() {
    this.failed.clear();
    this.pump();
  }

  get bytes() {
    let sum = 0;
    for (const frame of this.frames.values()) sum += frame.bytes;
    return sum;
  }

  // Frames from the focus on, as many as the cap allows.
  plan() {
    const count = this.run.frames.length;
    const mean = this.frames.size ? this.bytes / this.frames.size : this.cap;
    const room = !this.ahead ? 1 : Math.min(count, Math.max(2, Math.floor((0.75 * this.cap) / mean)));
    const numbers = [];
    for (let k = 0; k < room; ++k) {
      const index = this.focusIndex + k;
      if (index < count) numbers.push(this.run.frames[index]);
      else if (this.loop) numbers.push(this.run.frames[index - count]);
    }
    return numbers;
  }

  pump() {
    if (!this.run.layout) return;
    const plan = this.plan();
    for (const number of plan) {
      if (this.loading.size >= parallel) break;
      if (this.get(number) || this.loading.has(number) || this.failed.has(number)) continue;
      this.load(number);
    }
    this.evict(new Set(plan));
  }

  async load(number) {
    const controller = new AbortController();
    this.loading.set(number, controller);
    const {signal} = controller;
    try {
      const names = this.names;
      let frame = this.frames.get(number);
      if (frame) await this.run.complete(frame, names, signal);
      else frame = await this.run.load(number, names, signal);
      if (signal.aborted) return;
      this.frames.set(number, frame);
      this.loading.delete(number);
      if (this.has(frame)) this.onFrame(frame);
    } catch (error) {
      if (signal.aborted) return;
      this.loading.delete(number);
      this.failed.add(number);
      this.onError(error, number);
    }
    this.pump();
  }

  // Frames behind the focus go first, the farthest first.
  evict(kept) {
    let sum = this.bytes;
    if (sum <= this.cap) return;
    const focus = this.run.frames[this.focusIndex];
    const others = [...this.frames.keys()].filter(number => !kept.has(number));
    others.sort((a, b) => Math.abs(b - focus) - Math.abs(a - focus));
    for (const number of others) {
      if (sum <= this.cap) return;
      sum -= this.frames.get(number).bytes;
      this.frames.delete(number);
    }
  }
}
