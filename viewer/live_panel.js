// Sliders of a live run: each thing that its state says can be changed.
const host = document.getElementById('live-controls');

const axes = ['x', 'y', 'z'];
const things = [
  {name: 'gravity', label: 'Gravity', unit: 'm/s²', low: -20, high: 20, step: 0.01},
  {name: 'wind', label: 'Wind', unit: 'm/s', low: -15, high: 15, step: 0.05},
  {name: 'stiffness', label: 'Stiffness', unit: '×', low: -2, high: 2, step: 0.01, log: true},
  {name: 'damping', label: 'Damping', unit: 's', low: 0, high: 0.1, step: 0.0005},
  {name: 'friction', label: 'Friction', unit: '×', low: 0, high: 4, step: 0.01},
];

export class LivePanel {
  constructor(order) {
    this.order = order;
    this.sliders = new Map(); // name to [{input, output}]
    this.held = 0; // when the user last moved a slider: what the server says about it is older until then
    this.pending = null;
  }

  build({controls, defaults}) {
    for (const thing of things) {
      const value = controls[thing.name];
      if (value === null || value === undefined) continue;
      const field = document.createElement('fieldset');
      const legend = document.createElement('legend');
      const reset = document.createElement('button');
      legend.append(`${thing.label} [${thing.unit}]`, reset);
      reset.textContent = 'Reset';
      reset.setAttribute('aria-label', `Reset ${thing.label.toLowerCase()}`);
      reset.addEventListener('click', () => {
        this.held = 0;
        this.order({[thing.name]: defaults[thing.name]});
      });
      field.append(legend);
      const many = Array.isArray(value) ? axes : [''];
      this.sliders.set(thing.name, many.map((axis, k) => {
        const row = document.createElement('label'), name = document.createElement('span');
        const input = document.createElement('input'), output = document.createElement('output');
        row.className = 'slider';
        name.textContent = axis;
        Object.assign(input, {type: 'range', min: thing.low, max: thing.high, step: thing.step, id: `${thing.name}${axis}`});
        input.setAttribute('aria-label', axis ? `${thing.label} along ${axis}` : thing.label);
        // The range grows where a scene starts outside it.
        const start = Array.isArray(value) ? value[k] : value;
        if (!thing.log && Math.abs(start) > thing.high) {
          input.max = 2 * Math.abs(start);
          if (thing.low < 0) input.min = -2 * Math.abs(start);
        }
        input.addEventListener('input', () => this.moved(thing));
        row.append(name, input, output);
        field.append(row);
        return {input, output};
      }));
      host.append(field);
    }
  }

  read(thing) {
    const values = this.sliders.get(thing.name).map(({input}) => (thing.log ? 10 ** Number(input.value) : Number(input.value)));
    return values.length === 3 ? values : values[0];
  }

  moved(thing) {
    this.held = performance.now();
    this.write(thing, this.read(thing));
    const first = this.pending === null;
    this.pending = {...this.pending, [thing.name]: this.read(thing)};
    if (first) {
      setTimeout(() => {
        this.order(this.pending);
        this.pending = null;
      }, 60);
    }
  }

  write(thing, value) {
    const values = Array.isArray(value) ? value : [value];
    this.sliders.get(thing.name).forEach(({output}, k) => {
      output.textContent = Number(values[k].toPrecision(3));
    });
  }

  setState(state) {
    if (this.sliders.size === 0) this.build(state);
    if (performance.now() - this.held < 600) return;
    for (const thing of things) {
      const value = state.controls[thing.name];
      if (!this.sliders.has(thing.name) || value === null) continue;
      const values = Array.isArray(value) ? value : [value];
      this.sliders.get(thing.name).forEach(({input}, k) => {
        input.value = thing.log ? Math.log10(Math.max(values[k], 1e-9)) : values[k];
      });
      this.write(thing, value);
    }
  }
}
