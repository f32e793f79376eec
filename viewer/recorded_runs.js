// Runs on disk: one, or two side by side with one camera and one clock; runs in progress grow.
import {getJson} from './api.js';
import {Playback} from './playback.js';
import {readTables} from './records.js';
import {scrubbed} from './stats.js';
import {Timeline} from './timeline.js';

const $ = id => document.getElementById(id);
const growingEvery = 1000, restingEvery = 5000; // [ms] between two looks at the server

export function startRecorded(page) {
  const runs = new RecordedRuns(page);
  runs.open().catch(error => page.fail(error));
  runs.watch();
  return runs;
}

class RecordedRuns {
  constructor(page) {
    this.page = page;
    const {clock, views, picture} = page;
    this.playback = new Playback(views, clock, picture, {
      onShown: () => this.shown(),
      onLoaded: () => this.timeline.drawLoaded(),
      onError: error => page.fail(error),
    });
    this.timeline = new Timeline(clock, {
      frameTimes: () => this.frameTimes(),
      describe: () => this.describe(),
      loaded: () => this.playback.loaded(),
      onScrub: scrubbed,
    });
    picture.beforeDraw = () => {
      clock.tick(this.playback.ready);
      return clock.playing;
    };
    clock.onChange(() => {
      if (clock.playing) picture.ask();
    });
    this.opening = new Set();
    this.met = new Set(); // views that have shown a frame
    this.tablesRead = 0; // frames that the plots know
  }

  // Opens each run that has a frame and is not open yet.
  async open() {
    const {page, playback} = this;
    await Promise.all(page.views.map(async (view, k) => {
      if (view.strands || this.opening.has(view)) return;
      this.opening.add(view);
      try {
        const {run} = view;
        const shared = await run.open();
        if (!shared) return;
        playback.stores[k].setChannels(view.channels());
        await view.prepare(shared.offsets, shared.radius);
        this.spread();
        playback.apply();
        playback.retry();
      } finally {
        this.opening.delete(view);
      }
    }));
  }

  // The clock runs over all runs.
  spread() {
    const {clock} = this.page;
    const runs = this.page.views.map(view => view.run).filter(run => run.layout);
    if (runs.length === 0) return;
    const growing = this.page.views.some(view => view.run.info.in_progress);
    const fresh = clock.end === clock.start && clock.tail === 0;
    if (fresh) {
      clock.time = Math.min(...runs.map(run => run.start));
      clock.follow = growing;
    }
    $('follow').hidden = !growing && !clock.follow;
    clock.setSpan(Math.min(...runs.map(run => run.start)), Math.max(...runs.map(run => run.end)),
      Math.min(...runs.map(run => 1 / run.info.fps)));
    this.timeline.drawLoaded();
  }

  shown() {
    const {page} = this;
    page.valuesShown();
    const here = page.views.filter(view => view.frame);
    if (here.some(view => !this.met.has(view))) {
      for (const view of here) this.met.add(view);
      page.arrived();
      page.picture.onDrawn.push(() => this.readTables());
    }
    page.describe();
    page.picker.frameShown();
    this.timeline.draw();
  }

  // Times of the frames of all runs, in order: what one step moves by.
  frameTimes() {
    const times = new Set();
    for (const {run} of this.page.views) {
      if (run.layout) run.frames.forEach((_, index) => times.add(Math.round(run.timeOf(index) * 1e7) / 1e7));
    }
    return [...times].sort((a, b) => a - b);
  }

  describe() {
    const {clock, views: [{run}]} = this.page;
    if (!run.layout) return '';
    const index = run.indexAt(clock.time);
    const time = Math.min(clock.time, clock.end);
    const width = String(run.frames.at(-1)).length;
    return `${time.toFixed(3)} s   frame ${String(run.frames[index]).padStart(width, '\u2007')} / ${run.frames.at(-1)}`;
  }

  async readTables() {
    const infos = this.page.views.map(view => view.run.info);
    this.tablesRead = infos.reduce((sum, info) => sum + info.frames.length, 0);
    try {
      this.page.plots.setTables(await readTables(infos));
    } catch (error) {
      this.page.fail(error);
    }
  }

  // Looks at the server: for new frames, and to know that it is there.
  async watch() {
    const {page} = this;
    for (;;) {
      const growing = page.views.some(view => view.run.info.in_progress);
      await new Promise(resolve => setTimeout(resolve, growing ? growingEvery : restingEvery));
      try {
        const {runs} = await getJson('/api/view.json');
        page.heard();
        page.views.forEach((view, k) => { view.run.info = runs[k]; });
        page.colours.setRuns(runs);
        page.notes();
        await this.open();
        if (growing) {
          this.spread();
          for (const store of this.playback.stores) store.pump();
          const frames = runs.reduce((sum, info) => sum + info.frames.length, 0);
          if (frames !== this.tablesRead) await this.readTables();
        }
      } catch (error) {
        page.fail(error);
      }
    }
  }

  coloursChanged() {
    this.playback.channelsChanged();
  }

  retry() {
    this.playback.retry();
  }

  // For the panel of the picked strand: what was loaded anyway, else a small request.
  part(view, frame, name, first, count) {
    const here = frame.arrays.get(name), channel = frame.header.channels.get(name);
    if (!channel) return null;
    if (here) return here.subarray(first * channel.components, (first + count) * channel.components);
    return view.run.slice(frame.number, name, first, count);
  }
}
