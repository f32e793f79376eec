// The bar at the foot of the page: buttons, the bar of time with what is loaded, time and frame number in figures.
import {setIcon} from './icons.js';

const speeds = [0.1, 0.25, 0.5, 1, 2, 4];
const $ = id => document.getElementById(id);

export class Timeline {
  // `hooks`: {frameTimes(): times of the frames to step through, describe(): text, loaded(): [[from, to]] shares of the bar,
  // onScrub(): a pointer moved the time}.
  constructor(clock, hooks) {
    this.clock = clock;
    this.hooks = hooks;
    for (const speed of speeds) $('speed').add(new Option(`${speed}×`, speed, speed === 1, speed === 1));
    $('speed').addEventListener('change', () => {
      clock.speed = Number($('speed').value);
    });
    $('play').addEventListener('click', () => clock.play());
    $('first').addEventListener('click', () => this.seek(clock.start));
    $('last').addEventListener('click', () => this.seek(clock.end));
    $('back').addEventListener('click', () => this.step(-1));
    $('forward').addEventListener('click', () => this.step(1));
    $('loop').addEventListener('click', () => {
      clock.loop = !clock.loop;
      clock.tell();
    });
    $('follow').addEventListener('click', () => clock.setFollow(!clock.follow));
    const bar = $('bar');
    const scrub = event => {
      const box = bar.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      hooks.onScrub();
      this.seek(clock.start + share * (clock.end - clock.start));
    };
    bar.addEventListener('pointerdown', event => {
      bar.setPointerCapture(event.pointerId);
      scrub(event);
    });
    bar.addEventListener('pointermove', event => {
      if (bar.hasPointerCapture(event.pointerId)) scrub(event);
    });
    clock.onChange(() => this.draw());
    new ResizeObserver(() => this.drawLoaded()).observe(bar);
  }

  seek(time) {
    this.clock.playing = false;
    this.clock.seek(time);
  }

  step(by) {
    const times = this.hooks.frameTimes();
    const {time} = this.clock;
    let index = 0;
    while (index + 1 < times.length && times[index + 1] <= time + 1e-6) ++index;
    this.seek(times[Math.min(times.length - 1, Math.max(0, index + by))]);
  }

  draw() {
    const {clock} = this;
    const span = clock.end - clock.start;
    const time = Math.min(clock.time, clock.end);
    $('bar-thumb').style.left = `${span > 0 ? (100 * (time - clock.start)) / span : 0}%`;
    const bar = $('bar');
    bar.setAttribute('aria-valuemin', clock.start.toFixed(3));
    bar.setAttribute('aria-valuemax', clock.end.toFixed(3));
    bar.setAttribute('aria-valuenow', time.toFixed(3));
    bar.setAttribute('aria-valuetext', this.hooks.describe());
    $('time').textContent = this.hooks.describe();
    if (this.playing !== clock.playing) {
      this.playing = clock.playing;
      setIcon($('play'), clock.playing ? 'pause' : 'play');
      $('play').setAttribute('aria-label', clock.playing ? 'Pause' : 'Play');
    }
    $('loop').setAttribute('aria-pressed', clock.loop);
    $('follow').setAttribute('aria-pressed', clock.follow);
  }

  drawLoaded() {
    const canvas = $('bar-loaded');
    canvas.width = Math.max(1, $('bar').clientWidth);
    const context = canvas.getContext('2d');
    context.fillStyle = getComputedStyle($('bar')).getPropertyValue('--quiet');
    context.globalAlpha = 0.55;
    for (const [from, to] of this.hooks.loaded()) {
      const left = Math.floor(from * canvas.width);
      context.fillRect(left, 0, Math.max(1, Math.ceil(to * canvas.width) - left), 1);
    }
  }
}
