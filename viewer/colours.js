// False colours: the menu, the range that all views share, and the legend.
import {mapBytes, mapNames, mapTexture} from './colour_maps.js';

const $ = id => document.getElementById(id);

// A number short enough for a tick.
export function short(x) {
  if (x === 0) return '0';
  const size = Math.abs(x);
  return size >= 1e4 || size < 1e-3 ? x.toExponential(1).replace('e+', 'e') : String(Number(x.toPrecision(3)));
}

export class Colours {
  // `onChoose(colour or null)` when another colour is wanted, `onScale()` when only range or map changed.
  constructor(onChoose, onScale) {
    this.onChoose = onChoose;
    this.onScale = onScale;
    this.list = [];
    this.chosen = null;
    this.range = null; // {low, high, positive}
    $('colour').addEventListener('change', () => this.choose($('colour').value));
    for (const [id, label] of Object.entries(mapNames)) $('map').add(new Option(label, id));
    for (const id of ['hold-range', 'log-range', 'map']) {
      $(id).addEventListener('change', () => {
        this.draw();
        onScale();
      });
    }
  }

  // Colours that every run has, for a legend that is true of all of them.
  setRuns(infos) {
    const [first, ...others] = infos;
    const list = first.colours.filter(c => others.every(info => info.colours.some(d => d.id === c.id)));
    if (JSON.stringify(list) === JSON.stringify(this.list)) return;
    this.list = list;
    const menu = $('colour');
    menu.replaceChildren();
    for (const colour of list) menu.add(new Option(colour.unit ? `${colour.label} [${colour.unit}]` : colour.label, colour.id));
    menu.value = this.chosen?.id ?? 'strand';
  }

  // The next one of the menu.
  next() {
    const menu = $('colour');
    menu.selectedIndex = (menu.selectedIndex + 1) % menu.options.length;
    this.choose(menu.value);
  }

  choose(id) {
    const colour = this.list.find(c => c.id === id);
    this.chosen = !colour || colour.id === 'strand' ? null : colour;
    this.range = null;
    $('hold-range').checked = $('log-range').checked = false;
    $('map').value = this.chosen?.diverging ? 'poles' : 'kelp';
    this.draw();
    this.onChoose(this.chosen);
  }

  // What the views show now: [{low, high, positive}].
  setStatistics(all) {
    if (!this.chosen || ($('hold-range').checked && this.range)) return;
    const range = {low: Infinity, high: -Infinity, positive: Infinity};
    for (const s of all) {
      range.low = Math.min(range.low, s.low);
      range.high = Math.max(range.high, s.high);
      range.positive = Math.min(range.positive, s.positive);
    }
    this.range = range;
    this.draw();
  }

  // For the shader.
  scale(noValue) {
    const {low, high, log} = this.limits();
    return {low, high, log, map: mapTexture($('map').value), noValue};
  }

  limits() {
    const range = this.range ?? {low: 0, high: 1, positive: 1};
    if (range.low > range.high) return {low: 0, high: 0, log: false, empty: true};
    if ($('log-range').checked && range.high > 0) {
      // More than twelve powers of ten below the top is rounding, not data.
      return {low: Math.max(range.positive, range.high * 1e-12), high: range.high, log: true};
    }
    if ($('map').value === 'poles') {
      const most = Math.max(Math.abs(range.low), Math.abs(range.high));
      return {low: -most, high: most, log: false};
    }
    return {low: range.low, high: range.high, log: false};
  }

  draw() {
    $('legend').hidden = !this.chosen;
    if (!this.chosen) return;
    $('legend-label').textContent = this.chosen.label;
    $('legend-unit').textContent = this.chosen.unit ? `[${this.chosen.unit}]` : '';
    const context = $('legend-bar').getContext('2d');
    const image = context.createImageData(256, 1);
    image.data.set(mapBytes($('map').value));
    context.putImageData(image, 0, 0);
    const {low, high, log, empty} = this.limits();
    const ticks = $('legend-ticks');
    ticks.replaceChildren();
    if (empty) {
      ticks.textContent = 'no value in this frame';
      return;
    }
    const shares = low === high ? [0.5] : [0, 0.5, 1];
    for (const share of shares) {
      const tick = document.createElement('span');
      tick.style.left = `${100 * share}%`;
      tick.textContent = short(log ? low * (high / low) ** share : low + share * (high - low));
      ticks.append(tick);
    }
  }
}
