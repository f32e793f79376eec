// Picks a strand by click, and keeps it picked while time goes on.
import {pickStrand} from './pick.js';
import {StrandPanel} from './strand_panel.js';

const canvas = document.getElementById('canvas');
const clickPixels = 4; // more is a drag

export class Picker {
  constructor(page) {
    this.page = page;
    this.view = null;
    this.strand = null;
    this.panel = new StrandPanel((...what) => page.source.part(...what), () => page.picture.invalidate(),
      error => page.fail(error));
    let down = null;
    canvas.addEventListener('pointerdown', event => {
      down = event.button === 0 ? {x: event.clientX, y: event.clientY} : null;
    });
    canvas.addEventListener('pointerup', event => {
      if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) > clickPixels) return;
      if (!page.source.toolTakes?.()) this.click(event);
    });
  }

  // {view, at, size}: the view under the pointer, and the place in it in pixels.
  viewAt(event) {
    const {picture, views} = this.page;
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const k = picture.rectangles.findIndex(r => x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h);
    const r = picture.rectangles[Math.max(0, k)];
    return {view: views[Math.max(0, k)], at: {x: x - r.x, y: y - r.y}, size: {w: r.w, h: r.h}};
  }

  click(event) {
    const {view, at, size} = this.viewAt(event);
    if (!view.frame) return;
    const strand = pickStrand(view, this.page.orbit.camera, at, size);
    if (strand === null) this.clear();
    else this.pick(view, strand);
  }

  pick(view, strand) {
    if (this.view && this.view !== view) this.view.pick(null);
    this.view = view;
    this.strand = strand;
    view.pick(strand, this.page.theme.colour('accent'));
    this.panel.show(view, strand);
    this.page.picture.invalidate();
  }

  clear() {
    if (!this.view) return;
    this.view.pick(null);
    this.view = this.strand = null;
    this.panel.show(null, null);
    this.page.picture.invalidate();
  }

  frameShown() {
    if (this.view) this.panel.update();
  }

  repaint() {
    if (this.view) this.view.pick(this.strand, this.page.theme.colour('accent'));
  }
}
