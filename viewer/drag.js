// Dragging roots of a live run: the set under the pointer moves in the plane of the camera.
import {Vector3} from '/lib/three.module.js';
import {post} from './api.js';

const reach = 60; // [px] from the nearest root

export class Drag {
  constructor(element, {camera, viewAt, pixelAt, onError}) {
    this.element = element;
    this.camera = camera;
    this.viewAt = viewAt;
    this.pixelAt = pixelAt;
    this.onError = onError;
    this.active = false;
    this.hold = false;
    this.draggable = new Set(); // names of sets
    this.grip = null;
    this.offsets = new Map(); // set to where it is held
    this.waiting = new Map(); // set to its newest message
    this.sending = false;
    element.addEventListener('pointerdown', event => this.down(event));
    element.addEventListener('pointermove', event => this.move(event));
    for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, event => this.up(event));
  }

  setActive(on) {
    this.active = on;
    this.element.classList.toggle('drag', on);
  }

  // The root nearest to the pointer, of a set that may be moved.
  find(event) {
    const {view, at, size} = this.viewAt(event);
    const p = view.frame.arrays.get('position');
    let best = null, least = Infinity;
    const seen = new Vector3();
    for (let s = 0; s < view.topology.strands; ++s) {
      const i = 3 * view.topology.offsets[s];
      seen.set(p[i], p[i + 1], p[i + 2]).project(this.camera);
      const distance = Math.hypot((seen.x * 0.5 + 0.5) * size.w - at.x, (0.5 - seen.y * 0.5) * size.h - at.y);
      if (distance >= least) continue;
      const {name} = view.topology.inSet(s);
      if (this.draggable.has(name)) {
        least = distance;
        best = {set: name, root: new Vector3(p[i], p[i + 1], p[i + 2])};
      }
    }
    return least <= Math.max(reach, 0.25 * size.h) ? best : null;
  }

  down(event) {
    if (!this.active || event.button !== 0) return;
    const found = this.find(event);
    if (!found) return;
    const depth = -found.root.applyMatrix4(this.camera.matrixWorldInverse).z;
    const start = this.offsets.get(found.set) ?? new Vector3();
    this.grip = {set: found.set, pixel: this.pixelAt(depth), x: event.clientX, y: event.clientY, start, id: event.pointerId};
    this.element.setPointerCapture(event.pointerId);
  }

  move(event) {
    const {grip} = this;
    if (!grip || grip.id !== event.pointerId) return;
    const {elements} = this.camera.matrixWorld;
    const offset = grip.start.clone()
      .addScaledVector(new Vector3(elements[0], elements[1], elements[2]), (event.clientX - grip.x) * grip.pixel)
      .addScaledVector(new Vector3(elements[4], elements[5], elements[6]), (grip.y - event.clientY) * grip.pixel);
    this.offsets.set(grip.set, offset);
    this.send({set: grip.set, offset: offset.toArray()});
  }

  up(event) {
    if (!this.grip || this.grip.id !== event.pointerId) return;
    if (!this.hold) this.release(this.grip.set);
    this.grip = null;
  }

  release(set) {
    this.offsets.delete(set);
    this.send({set, release: true});
  }

  releaseAll() {
    for (const set of [...this.offsets.keys()]) this.release(set);
  }

  // One message at a time; of each set the newest when the last has been taken.
  async send(message) {
    this.waiting.set(message.set, message);
    if (this.sending) return;
    this.sending = true;
    while (this.waiting.size > 0) {
      const [set, next] = this.waiting.entries().next().value;
      this.waiting.delete(set);
      try {
        await post('/api/live/drag', next);
      } catch (error) {
        this.onError(error);
      }
    }
    this.sending = false;
  }
}
