// The camera on its orbit, moved by mouse, wheel and touch. Left: orbit; right, middle or shift: pan; wheel or pinch: zoom.
import {Box3, PerspectiveCamera, Vector3} from '/lib/three.module.js';

const radiansPerPixel = 0.006;
const steepest = Math.PI / 2 - 1e-4; // looking straight down would lose the direction that is up

export const views = {front: [0, 0], side: [Math.PI / 2, 0], top: [0, steepest], three: [0.6, 0.22]};

export class Orbit {
  constructor(element, up, onChange) {
    this.camera = new PerspectiveCamera(32, 1, 0.01, 10);
    this.camera.up.copy(up);
    this.up = up.clone();
    // With z up one looks along y from the front, as modelling tools do.
    this.right = new Vector3(1, 0, 0);
    this.front = new Vector3().crossVectors(this.right, up);
    this.target = new Vector3();
    this.distance = 1;
    [this.yaw, this.pitch] = views.three;
    this.size = 1; // of what is looked at [m]
    this.onChange = onChange;
    this.pointers = new Map();
    this.element = element;
    this.enabled = () => true; // a tool may take the pointer
    element.addEventListener('pointerdown', event => this.down(event));
    element.addEventListener('pointermove', event => this.move(event));
    for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, event => this.release(event));
    element.addEventListener('wheel', event => this.wheel(event), {passive: false});
    element.addEventListener('contextmenu', event => event.preventDefault());
  }

  // Moves the camera so that all `points` are seen.
  frame(points, aspect) {
    if (points.length === 0) return;
    const box = new Box3().setFromPoints(points);
    box.getCenter(this.target);
    this.size = Math.max(box.getSize(new Vector3()).length(), 1e-6);
    this.update();
    const tall = Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * aspect;
    const [x, y, z] = [0, 1, 2].map(k => new Vector3().setFromMatrixColumn(this.camera.matrixWorld, k));
    this.distance = 1e-3 * this.size;
    for (const point of points) {
      point.sub(this.target);
      const needed = point.dot(z) + Math.max(Math.abs(point.dot(x)) / wide, Math.abs(point.dot(y)) / tall);
      this.distance = Math.max(this.distance, 1.12 * needed);
    }
    this.update();
  }

  look(name) {
    [this.yaw, this.pitch] = views[name];
    this.update();
  }

  update() {
    const {camera} = this;
    const flat = Math.cos(this.pitch);
    camera.position.copy(this.target)
      .addScaledVector(this.right, this.distance * flat * Math.sin(this.yaw))
      .addScaledVector(this.front, this.distance * flat * Math.cos(this.yaw))
      .addScaledVector(this.up, this.distance * Math.sin(this.pitch));
    camera.near = Math.max(this.distance - 4 * this.size, this.distance / 500);
    camera.far = this.distance + 12 * this.size;
    camera.lookAt(this.target);
    camera.updateMatrixWorld();
    this.onChange();
  }

  down(event) {
    if (!this.enabled(event)) return;
    this.pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
    this.element.setPointerCapture(event.pointerId);
  }

  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const dx = event.clientX - last.x, dy = event.clientY - last.y;
    if (this.pointers.size === 2) this.pinch(event, last, dx, dy);
    else if (event.shiftKey || event.buttons & 6) this.pan(dx, dy);
    else this.turn(dx, dy);
    last.x = event.clientX;
    last.y = event.clientY;
  }

  release(event) {
    this.pointers.delete(event.pointerId);
  }

  // Two fingers: their middle pans, their distance zooms.
  pinch(event, last, dx, dy) {
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    if (after > 10 && before > 10) this.zoom(before / after);
    this.pan(dx / 2, dy / 2);
  }

  turn(dx, dy) {
    this.yaw -= radiansPerPixel * dx;
    this.pitch = Math.min(steepest, Math.max(-steepest, this.pitch + radiansPerPixel * dy));
    this.update();
  }

  pan(dx, dy) {
    const pixel = this.pixelAt(this.distance);
    const {elements} = this.camera.matrixWorld;
    this.target.addScaledVector(new Vector3(elements[0], elements[1], elements[2]), -dx * pixel);
    this.target.addScaledVector(new Vector3(elements[4], elements[5], elements[6]), dy * pixel);
    this.update();
  }

  zoom(factor) {
    this.distance = Math.min(1e3 * this.size, Math.max(1e-4 * this.size, this.distance * factor));
    this.update();
  }

  wheel(event) {
    event.preventDefault();
    const step = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    this.zoom(Math.exp(Math.max(-200, Math.min(200, step)) * 0.0015));
  }

  // Size of a pixel of the page at a distance from the camera [m].
  pixelAt(distance) {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360) * distance) / this.viewHeight();
  }

  viewHeight() {
    return this.element.clientHeight;
  }
}
