// A live run on the page: frames as they come, controls, roots that can be dragged, plots that grow.
import {hideError, showError} from './banner.js';
import {Drag} from './drag.js';
import {setIcon} from './icons.js';
import {Live} from './live.js';
import {LivePanel} from './live_panel.js';
import {frameShown} from './stats.js';
import {addRow} from './table.js';

const $ = id => document.getElementById(id);
const plotEvery = 500; // [ms]

export function startLive(page) {
  return new LiveRun(page);
}

class LiveRun {
  constructor(page) {
    this.page = page;
    this.state = null;
    this.columns = [];
    this.plotted = 0;
    this.live = new Live({
      onFrame: frame => this.frame(frame),
      onState: state => this.setState(state),
      onError: error => page.fail(error),
    });
    this.panel = new LivePanel(message => this.live.order(message));
    this.drag = new Drag($('canvas'), {
      camera: page.orbit.camera,
      viewAt: event => page.picker.viewAt(event),
      pixelAt: depth => page.orbit.pixelAt(depth),
      onError: error => page.fail(error),
    });
    // The camera leaves the left button to the tool; the others still move it.
    page.orbit.enabled = event => !(this.drag.active && event.button === 0 && !event.shiftKey);
    document.querySelector('main').classList.add('live');
    $('live').hidden = false;
    for (const id of ['first', 'back', 'last', 'loop', 'speed']) $(id).hidden = true;
    $('restart').hidden = $('tool-drag').hidden = false;
    $('play').addEventListener('click', () => this.live.order({paused: !this.state?.paused}));
    $('forward').addEventListener('click', () => this.live.order({step: true}));
    $('restart').addEventListener('click', () => this.restart());
    $('tool-drag').addEventListener('click', () => this.useDrag(!this.drag.active));
    this.addHold();
    this.live.follow();
    this.live.watch();
  }

  // Whether roots stay where they were let go.
  addHold() {
    const label = document.createElement('label'), box = document.createElement('input');
    box.type = 'checkbox';
    box.id = 'hold-there';
    label.append(box, ' Hold dragged roots there');
    box.addEventListener('change', () => {
      this.drag.hold = box.checked;
      if (!box.checked) this.drag.releaseAll();
    });
    $('live-controls').before(label);
  }

  useDrag(on) {
    this.drag.setActive(on);
    $('tool-drag').setAttribute('aria-pressed', on);
  }

  restart() {
    this.drag.releaseAll();
    this.columns = [];
    this.live.order({reset: true});
  }

  // The next frame is asked for when this one is on the screen.
  async frame(frame) {
    const {page} = this, [view] = page.views;
    page.heard();
    const first = !view.strands;
    if (first) {
      view.run.layout = frame.header;
      await view.prepare(frame.arrays.get('offset'), frame.arrays.get('radius'));
    }
    page.clock.start = 0;
    page.clock.time = page.clock.end = frame.time;
    view.show(frame);
    const drawn = new Promise(resolve => frameShown(call => page.picture.onDrawn.push(() => {
      call();
      resolve();
    })));
    page.valuesShown();
    if (first) page.arrived();
    page.picker.frameShown();
    page.picture.invalidate();
    this.describe();
    await drawn;
  }

  setState(state) {
    this.page.heard();
    const before = this.state;
    this.state = state;
    this.panel.setState(state);
    this.drag.draggable = new Set(state.sets.filter(set => set.draggable).map(set => set.name));
    $('tool-drag').disabled = this.drag.draggable.size === 0;
    if (before?.paused !== state.paused) {
      setIcon($('play'), state.paused ? 'play' : 'pause');
      $('play').setAttribute('aria-label', state.paused ? 'Play' : 'Pause');
    }
    if (state.error) showError(new Error(state.error));
    else if (before?.error) hideError();
    if (!before || state.frame !== before.frame) this.record(state);
    this.describe();
  }

  record(state) {
    const {time} = this.columns.length ? {time: this.columns.find(c => c.name === 'time').values.at(-1)} : {time: -1};
    // Time went back: the run began again.
    if (state.time < time) this.columns = [];
    addRow(this.columns, {frame: state.frame, time: state.time, ...state.record});
    if (performance.now() - this.plotted < plotEvery) return;
    this.plotted = performance.now();
    this.page.plots.setTables([{prefix: '', probe: null, columns: this.columns}]);
  }

  describe() {
    const [{frame}] = this.page.views;
    if (!frame) return;
    const speed = this.state && !this.state.paused ? `${this.state.speed.toFixed(2)}× real time` : 'paused';
    $('time').textContent = `${frame.time.toFixed(3)} s   frame ${frame.number}   ${speed}`;
    this.page.plots.moveCursor();
  }

  coloursChanged() {
    const [view] = this.page.views;
    if (!view.frame) return;
    view.showValues();
    this.page.valuesShown();
  }

  // The drag tool has the left button.
  toolTakes() {
    return this.drag.active;
  }

  part(view, frame, name, first, count) {
    const channel = frame.header.channels.get(name);
    return channel ? frame.arrays.get(name).subarray(first * channel.components, (first + count) * channel.components) : null;
  }
}
