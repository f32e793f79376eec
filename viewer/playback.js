// Shows in each view the frame that the clock asks for, as soon as it is here.
import {FrameStore} from './frame_store.js';
import {frameShown, stats} from './stats.js';

const memory = 400e6; // [bytes] of frames, all runs together

export class Playback {
  constructor(views, clock, picture, {onShown, onLoaded, onError}) {
    this.views = views;
    this.clock = clock;
    this.picture = picture;
    this.onShown = onShown;
    this.stores = views.map(view => {
      const loaded = () => {
        stats.loadedBytes = this.stores.reduce((sum, store) => sum + store.bytes, 0);
        this.apply();
        onLoaded();
      };
      return new FrameStore(view.run, memory / views.length, loaded, onError);
    });
    this.indices = views.map(() => -1);
    clock.onChange(() => this.apply());
  }

  // Views need other channels than before.
  channelsChanged() {
    this.views.forEach((view, k) => this.stores[k].setChannels(view.channels()));
    this.views.forEach(view => { view.frame = null; });
    this.apply();
  }

  number(k) {
    return this.views[k].run.frames[this.indices[k]];
  }

  apply() {
    let changed = false;
    this.views.forEach((view, k) => {
      if (!view.strands) return;
      const index = view.run.indexAt(this.clock.time), store = this.stores[k];
      store.loop = this.clock.loop;
      if (index !== this.indices[k]) {
        this.indices[k] = index;
        store.focus(index);
      }
      const frame = store.get(view.run.frames[index]);
      if (frame && view.frame !== frame) {
        view.show(frame);
        changed = true;
      }
    });
    if (!changed) return;
    frameShown(call => this.picture.onDrawn.push(call));
    // Nothing may delay the first picture.
    this.picture.onDrawn.push(() => this.loadAhead());
    this.onShown();
    this.picture.invalidate();
  }

  // Whether the views show the clock's time; a frame that cannot be read is not waited for.
  get ready() {
    return this.views.every((view, k) => {
      const number = this.number(k);
      return !view.strands || view.frame?.number === number || this.stores[k].failed.has(number);
    });
  }

  // Shares of the bar of time whose frames are here, of the first run.
  loaded() {
    const [store] = this.stores, {run} = store;
    const {start, end} = this.clock;
    if (!run.layout || end <= start) return [];
    const half = 0.5 / (run.info.fps * (end - start));
    return run.frames.flatMap((number, index) => {
      if (!store.get(number)) return [];
      const at = (run.timeOf(index) - start) / (end - start);
      return [[Math.max(0, at - half), Math.min(1, at + half)]];
    });
  }

  loadAhead() {
    for (const store of this.stores) if (!store.ahead && store.frames.size > 0) store.loadAhead();
  }

  retry() {
    for (const store of this.stores) store.retry();
  }
}
