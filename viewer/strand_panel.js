// The picked strand in figures, from the parts of the channels that belong to it alone.
import {curvatureAt} from './values.js';

const $ = id => document.getElementById(id);
const pause = 150; // [ms] between two updates while time runs

function withUnit(x, unit) {
  const digits = Math.abs(x) >= 1e4 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(3) : String(Number(x.toPrecision(4)));
  return unit ? `${digits} ${unit}` : digits;
}

const largest = array => array.reduce((most, x) => (x > most ? x : most), -Infinity);

function length(p) {
  let sum = 0;
  for (let i = 3; i < p.length; i += 3) sum += Math.hypot(p[i] - p[i - 3], p[i + 1] - p[i - 2], p[i + 2] - p[i - 1]);
  return sum;
}

export class StrandPanel {
  // `part(view, name, first, count)` gives a part of a channel of the frame shown, or null; it may take a while.
  constructor(part, onMarks, onError) {
    this.part = part;
    this.onMarks = onMarks;
    this.onError = onError;
    this.view = null;
    this.strand = null;
    this.busy = false;
    this.again = false;
  }

  show(view, strand) {
    this.view = view;
    this.strand = strand;
    $('strand').hidden = strand === null;
    if (strand === null) return;
    const {name, index} = view.topology.inSet(strand);
    $('strand-index').textContent = strand;
    this.heading = [['set', name], ['index in set', String(index)]];
    this.list(this.heading);
    this.update();
  }

  // At most one request at a time; the newest state follows it.
  async update() {
    if (this.strand === null || !this.view.frame) return;
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      await this.read();
    } catch (error) {
      this.onError(error);
    }
    this.busy = false;
    if (this.again) {
      this.again = false;
      setTimeout(() => this.update(), pause);
    }
  }

  async read() {
    const {view, strand} = this;
    const {frame, run, topology} = view;
    const {first, count, firstEdge, edges} = topology.span(strand);
    const part = (name, from, many) => this.part(view, frame, name, from, many);
    const [velocity, contact, strain, tension, director, restLength, stretch, bend] = await Promise.all([
      part('velocity', first, count), part('contact_force', first, count), part('strain', firstEdge, edges), part('tension', firstEdge, edges),
      part('director', firstEdge, edges),
      run.rest('rest_length'), run.rest('stretch_stiffness'), run.rest('bend_stiffness'),
    ]);
    if (this.strand !== strand || this.view !== view) return;
    const p = frame.arrays.get('position').subarray(3 * first, 3 * (first + count));
    const rows = [...this.heading, ['vertices', String(count)], ['length', withUnit(length(p), 'm')]];
    const ofEdge = (values, e) => values[firstEdge + e];
    if (restLength) {
      let sum = 0;
      for (let e = 0; e < edges; ++e) sum += ofEdge(restLength, e);
      rows.push(['length at rest', withUnit(sum, 'm')]);
    }
    if (strain) rows.push(['largest strain', withUnit(largest(strain))]);
    if (tension) rows.push(['largest tension', withUnit(largest(tension), 'N')]);
    else if (strain && stretch) {
      rows.push(['largest tension', withUnit(largest(strain.map((x, e) => x * ofEdge(stretch, e))), 'N')]);
    }
    if (bend) {
      const known = bend.subarray(first, first + count).filter(x => !Number.isNaN(x));
      if (known.length > 0) rows.push(['bending stiffness', withUnit(largest(known), 'N m²')]);
    }
    const longest = vectors => {
      let most = 0;
      for (let i = 0; i < vectors.length; i += 3) {
        most = Math.max(most, Math.hypot(vectors[i], vectors[i + 1], vectors[i + 2]));
      }
      return most;
    };
    if (velocity) rows.push(['largest speed', withUnit(longest(velocity), 'm/s')]);
    if (contact) rows.push(['largest contact force', withUnit(longest(contact), 'N')]);
    if (count > 2) {
      let most = 0;
      for (let i = 1; i < count - 1; ++i) most = Math.max(most, curvatureAt(p, i));
      rows.push(['largest curvature', withUnit(most, '1/m')]);
    }
    this.list(rows);
    $('axes-key').hidden = !director;
    if (director) view.marks.show(p, director);
    this.onMarks();
  }

  list(rows) {
    const list = $('strand-values');
    list.replaceChildren();
    for (const [term, value] of rows) {
      const dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = term;
      dd.textContent = value;
      list.append(dt, dd);
    }
  }
}
