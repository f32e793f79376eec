// Plots over time beside the picture; their cursor is the clock's time, and a click in one moves the clock.
import uPlot from '/lib/uPlot.esm.js';
import {short} from './colours.js';

const host = document.getElementById('plots');
// Told apart by lightness as well as by hue.
const palette = {
  light: ['#0b7285', '#c2571a', '#5b7a1f', '#7a4fa3', '#9a7b00', '#3d3a36', '#b23a6b', '#4a6fb5'],
  dark: ['#58bccb', '#f0985e', '#a3c65c', '#bb96e0', '#e2c04a', '#dcdcda', '#e88cb0', '#8fb0ec'],
};

const groups = [
  {title: 'Energy', test: c => c.name.startsWith('energy_'), label: name => name.slice(7)},
  {title: 'Residual', test: c => /residual/.test(c.name), log: true, label: name => name.replaceAll('_', ' ')},
  {title: 'Stretch', test: c => c.name === 'stretch', label: name => name},
  {title: 'Time per frame', test: c => c.name.endsWith('_seconds'), label: name => name.slice(0, -8)},
  {title: 'Contacts', test: c => c.name === 'contacts', label: name => name},
  {title: 'Friction error', test: c => c.name === 'contact_error', log: true, label: () => 'largest'},
  {title: 'Penetration', test: c => c.name === 'penetration', label: () => 'deepest'},
  {title: 'Steps', test: c => /^(steps|retries|iterations)$/.test(c.name), label: name => name},
];

// Index of the value next to x in a rising list.
function nearest(values, x) {
  let low = 0, high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x - 1e-9) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x - values[low - 1] < values[low] - x ? low - 1 : low;
}

// The figure at a place, or before it: runs with different times share an axis.
function latest(plot, x, series, index) {
  const values = plot.data[series];
  for (let i = index ?? -1; i >= 0; --i) {
    if (values[i] !== null && values[i] !== undefined) return short(values[i]);
  }
  return '–';
}

export class Plots {
  constructor(clock, theme) {
    this.clock = clock;
    this.theme = theme;
    this.plots = new Map(); // title to {plot, columns, element}
    this.tables = [];
    clock.onChange(() => this.moveCursor());
    new ResizeObserver(() => this.resize()).observe(host);
  }

  // [{prefix, columns}]: tables of each run; probes have their own plots. Plots that exist keep their zoom.
  setTables(tables) {
    this.tables = tables;
    const wanted = new Map();
    for (const {prefix, columns, probe} of tables) {
      const time = columns.find(c => c.name === 'time');
      if (!time) continue;
      const add = (title, picked, label, log = false) => {
        if (picked.length === 0) return;
        const entry = wanted.get(title) ?? {title, log, unit: picked[0].unit, series: []};
        picked.forEach((c, k) => entry.series.push(
          {label: prefix + label(c.name), colour: k, dash: prefix.startsWith('B'), x: time.values, y: c.values}));
        wanted.set(title, entry);
      };
      if (probe) {
        const others = columns.filter(c => c !== time && c.name !== 'frame');
        for (const unit of new Set(others.map(c => c.unit))) {
          const title = unit ? `Probe ${probe} [${unit}]` : `Probe ${probe}`;
          add(title, others.filter(c => c.unit === unit), name => name.replaceAll('_', ' '));
        }
      } else {
        for (const {title, test, label, log} of groups) {
          const picked = columns.filter(test);
          add(picked[0]?.unit ? `${title} [${picked[0].unit}]` : title, picked, label, log);
        }
      }
    }
    for (const [title, {element, plot}] of this.plots) {
      if (!wanted.has(title)) {
        plot.destroy();
        element.remove();
        this.plots.delete(title);
      }
    }
    for (const entry of wanted.values()) this.draw(entry);
    this.moveCursor();
  }

  // All series of a plot on one axis of times.
  data({series, log}) {
    const tables = series.map(({x, y}) => [x, log ? y.map(v => (v > 0 ? v : null)) : y]);
    return uPlot.join(tables, tables.map(() => [1]));
  }

  draw(entry) {
    const kept = this.plots.get(entry.title);
    const labels = entry.series.map(s => s.label).join('\n');
    if (kept && kept.labels === labels) {
      kept.plot.setData(this.data(entry));
      return;
    }
    kept?.plot.destroy();
    const element = kept?.element ?? this.place(entry.title);
    const plot = new uPlot(this.options(entry), this.data(entry), element);
    plot.over.addEventListener('click', event => {
      const box = plot.over.getBoundingClientRect();
      this.clock.playing = false;
      this.clock.seek(plot.posToVal(event.clientX - box.left, 'x'));
    });
    this.plots.set(entry.title, {plot, element, labels});
  }

  place(title) {
    const element = document.createElement('div');
    element.className = 'plot';
    const heading = document.createElement('h2');
    heading.textContent = title;
    element.append(heading);
    host.append(element);
    return element;
  }

  options({series, log}) {
    const quiet = this.theme.colour('quiet'), line = this.theme.colour('line');
    const colours = palette[this.theme.dark ? 'dark' : 'light'];
    const axis = {
      stroke: quiet, font: '11px system-ui', grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1, size: 4},
    };
    return {
      width: this.width(),
      height: 150,
      cursor: {points: {size: 5}, drag: {x: true, y: false, dist: 8}},
      legend: {markers: {width: 5}},
      scales: {x: {time: false}, y: log ? {distr: 3} : {}},
      axes: [
        {...axis, size: 26, values: (_, ticks) => ticks.map(short)},
        {...axis, size: 54, values: (_, ticks) => ticks.map(x => (x === null ? '' : short(x)))},
      ],
      series: [
        {label: 't'}, // not shown: the bar of time says it
        ...series.map(({label, colour, dash}) => ({
          label, stroke: colours[colour % colours.length], dash: dash ? [4, 3] : undefined, width: 1.3, spanGaps: true,
          points: {show: false}, value: latest,
        })),
      ],
      hooks: {draw: [plot => this.markTime(plot)]},
    };
  }

  // The clock's time: a line over the curves.
  markTime(plot) {
    const x = plot.valToPos(Math.min(this.clock.time, this.clock.end), 'x', true);
    const {left, top, width, height} = plot.bbox;
    if (!(x >= left && x <= left + width)) return;
    plot.ctx.fillStyle = this.theme.colour('accent');
    plot.ctx.fillRect(Math.round(x), top, 1, height);
  }

  moveCursor() {
    if (this.asked || host.offsetParent === null) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      for (const {plot} of this.plots.values()) {
        plot.redraw(false);
        // Figures at the clock's time, unless the pointer asks for others.
        if (plot.cursor.left < 0) plot.setLegend({idx: nearest(plot.data[0], this.clock.time)});
      }
    });
  }

  width() {
    return Math.max(200, host.clientWidth - 24);
  }

  resize() {
    for (const {plot} of this.plots.values()) plot.setSize({width: this.width(), height: 150});
  }

  // Colours are set when a plot is made.
  restyle() {
    for (const {plot, element} of this.plots.values()) {
      plot.destroy();
      element.remove();
    }
    this.plots.clear();
    this.setTables(this.tables);
  }
}
