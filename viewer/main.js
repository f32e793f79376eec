// The page: puts its parts together for runs on disk (one, or two to compare) or for a live run.
import {Vector3} from '/lib/three.module.js';
import {serverIsBack, setCommand, showError} from './banner.js';
import {Clock} from './clock.js';
import {Colours} from './colours.js';
import {beginning} from './early.js';
import {spacingInWords} from './grid.js';
import './icons.js';
import {bindKeys} from './keys.js';
import {startLive} from './live_run.js';
import {Orbit} from './orbit.js';
import {Picture} from './picture.js';
import {Picker} from './picker.js';
import {Plots} from './plots.js';
import {startRecorded} from './recorded_runs.js';
import {RunView} from './run_view.js';
import {stats} from './stats.js';
import {Theme} from './theme.js';

const $ = id => document.getElementById(id);
const canvas = $('canvas');

// What recorded and live runs share.
class Page {
  constructor(info, runs) {
    this.info = info;
    this.clock = new Clock();
    this.orbit = new Orbit(canvas, new Vector3(...info.runs[0].up), () => this.picture?.invalidate());
    this.picture = new Picture(canvas, this.orbit);
    this.views = runs.map(run => new RunView(run, this.picture.renderer));
    this.theme = new Theme(() => this.restyle());
    this.plots = new Plots(this.clock, this.theme);
    this.colours = new Colours(colour => this.chooseColour(colour), () => this.applyScale());
    this.colours.setRuns(info.runs);
    this.picker = new Picker(this);
    this.source = null;
    this.picture.setViews(this.views);
    this.orbit.viewHeight = () => this.picture.rectangles[0].h;
    new ResizeObserver(() => {
      this.picture.layout();
      this.describe();
    }).observe(canvas);
    canvas.addEventListener('webglcontextlost', () => {
      showError(new Error('The graphics driver was reset; load this page again.'));
    });
    this.restyle();
  }

  // Called when a view got its first frame.
  arrived() {
    $('loading').hidden = true;
    stats.vertices = this.views.reduce((sum, view) => sum + (view.topology?.vertices ?? 0), 0);
    this.restyle();
    this.frameAll();
    const [{grid}] = this.views;
    $('scale').textContent = grid ? `ground grid ${spacingInWords(grid.spacing)}` : '';
  }

  frameAll() {
    const {w, h} = this.picture.rectangles[0];
    this.orbit.frame(this.views.flatMap(view => (view.frame ? view.samples() : [])), w / h);
  }

  restyle() {
    if (!this.theme) return;
    this.picture.background = this.theme.colour('stage');
    for (const {grid, bodies} of this.views) {
      grid?.setColour(this.theme.colour('grid'));
      bodies.setColour(this.theme.colour('body'));
    }
    this.picker?.repaint();
    this.plots?.restyle();
    this.applyScale();
  }

  async chooseColour(colour) {
    try {
      await Promise.all(this.views.map(view => view.setColour(colour)));
      this.source?.coloursChanged();
    } catch (error) {
      this.fail(error);
    }
  }

  // After a frame was shown: the range follows its values.
  valuesShown() {
    const all = this.views.flatMap(view => view.statistics ?? []);
    if (all.length > 0) this.colours.setStatistics(all);
    this.applyScale();
  }

  applyScale() {
    const scale = this.colours?.scale(this.theme.colour('no-value'));
    for (const {strands} of this.views) strands?.setScale(scale);
    this.picture.invalidate();
  }

  // Names over the views, where there are two.
  describe() {
    const labels = $('labels');
    labels.replaceChildren();
    if (this.views.length < 2) return;
    this.views.forEach((view, k) => {
      const label = document.createElement('span');
      const {x, y} = this.picture.rectangles[k];
      label.className = y > 0 ? 'below' : 'beside';
      label.style.left = `${x}px`;
      label.style.top = `${y}px`;
      const number = view.frame ? `  frame ${view.frame.number}` : '';
      label.textContent = `${'AB'[k]}  ${view.run.title}${number}`;
      labels.append(label);
    });
  }

  toggle(button, name) {
    const on = !this.views[0].shows[name];
    for (const view of this.views) view.shows[name] = on;
    button.setAttribute('aria-pressed', on);
    this.picture.invalidate();
  }

  toggleDock() {
    const plain = document.querySelector('main').classList.toggle('plain');
    $('show-dock').setAttribute('aria-pressed', !plain);
  }

  fail(error) {
    showError(error);
    if (!this.views.some(view => view.frame)) $('loading').hidden = true;
  }

  // The server was heard: if it had been away, what failed meanwhile is asked for again.
  heard() {
    if (serverIsBack()) this.source?.retry?.();
  }

  // What is known of the runs, in words.
  notes() {
    const list = $('notes').querySelector('ul');
    list.replaceChildren();
    for (const {run: {info, title}} of this.views) {
      const count = (x, what) => `${x.toLocaleString('en').replaceAll(',', ' ')} ${what}${x === 1 ? '' : 's'}`;
      const vertices = `${info.vertices.toLocaleString('en').replaceAll(',', ' ')} vertices`;
      const lines = [`${title}: ${count(info.strands, 'strand')}, ${vertices}`];
      if (!this.info.live) lines.push(`${count(info.frames.length, 'frame')}, ${info.fps} per second`);
      if (info.in_progress) lines.push('still running');
      if (info.stopped) lines.push(`stopped early: ${info.stopped}`);
      for (const text of [...lines, ...info.notes]) {
        const item = document.createElement('li');
        item.textContent = text;
        list.append(item);
      }
    }
    $('notes').hidden = false;
  }
}

function bind(page) {
  const {orbit, theme} = page;
  const press = id => () => {
    if (!$(id).hidden) $(id).click();
  };
  $('view-front').addEventListener('click', () => orbit.look('front'));
  $('view-side').addEventListener('click', () => orbit.look('side'));
  $('view-top').addEventListener('click', () => orbit.look('top'));
  $('frame-all').addEventListener('click', () => page.frameAll());
  $('show-bodies').addEventListener('click', event => page.toggle(event.currentTarget, 'bodies'));
  $('show-grid').addEventListener('click', event => page.toggle(event.currentTarget, 'grid'));
  $('show-dock').addEventListener('click', () => page.toggleDock());
  $('theme').addEventListener('click', () => theme.toggle());
  $('help-open').addEventListener('click', () => $('help').showModal());
  $('strand-close').addEventListener('click', () => page.picker.clear());
  $('show-bodies').hidden = page.info.runs.every(run => run.bodies.length === 0);
  bindKeys([
    {keys: [' '], shown: 'Space', words: 'play or pause', run: press('play')},
    {keys: ['ArrowLeft', 'ArrowDown'], shown: '←', words: 'one frame back', run: press('back')},
    {keys: ['ArrowRight', 'ArrowUp'], shown: '→', words: 'one frame on', run: press('forward')},
    {keys: ['Home'], shown: 'Home', words: 'first frame', run: press('first')},
    {keys: ['End'], shown: 'End', words: 'last frame', run: press('last')},
    {keys: ['l'], shown: 'L', words: 'loop', run: press('loop')},
    {keys: ['e'], shown: 'E', words: 'stay at the newest frame of a run in progress', run: press('follow')},
    {keys: ['f'], shown: 'F', words: 'frame all', run: press('frame-all')},
    {keys: ['1'], shown: '1', words: 'front view', run: press('view-front')},
    {keys: ['3'], shown: '3', words: 'side view', run: press('view-side')},
    {keys: ['7'], shown: '7', words: 'top view', run: press('view-top')},
    {keys: ['b'], shown: 'B', words: 'bodies on or off', run: press('show-bodies')},
    {keys: ['g'], shown: 'G', words: 'ground grid on or off', run: press('show-grid')},
    {keys: ['c'], shown: 'C', words: 'next colour', run: () => page.colours.next()},
    {keys: ['p'], shown: 'P', words: 'plots and values on or off', run: press('show-dock')},
    {keys: ['d'], shown: 'D', words: 'drag roots of a live run', run: press('tool-drag')},
    {keys: ['t'], shown: 'T', words: 'light or dark', run: press('theme')},
    {keys: ['Escape'], shown: 'Esc', words: 'clear the pick', run: () => page.picker.clear()},
    {keys: ['?'], shown: '?', words: 'this help', run: press('help-open')},
  ]);
}

async function start() {
  const {info, runs} = await beginning;
  // Two runs of one scene are told apart by their folders.
  const sameName = info.runs.length > 1 && info.runs[0].name === info.runs[1].name;
  for (const run of runs) run.title = sameName ? run.info.path.replace(/.*\/(?=.)/, '') : run.info.name;
  const names = runs.map(run => run.title).join(' and ');
  document.title = `${names} – Tendril`;
  $('title').textContent = names;
  setCommand(`tendril view ${info.live ? '--live ' : ''}${info.runs.map(run => run.path).join(' ')}`);
  const page = new Page(info, runs);
  window.tendrilPage = page; // for tests and for the console
  bind(page);
  page.notes();
  page.source = info.live ? startLive(page) : startRecorded(page);
}

start().catch(error => {
  $('loading').hidden = true;
  showError(error);
});
