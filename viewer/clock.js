// The time that all views show: play, pause, speed, steps.
export class Clock {
  constructor() {
    this.time = 0;
    this.start = 0;
    this.end = 0;
    this.tail = 0; // how long the last frame is shown before a loop begins again
    this.playing = false;
    this.speed = 1;
    this.loop = true;
    this.follow = false; // stay at the end of a run in progress
    this.last = 0;
    this.listeners = [];
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  setSpan(start, end, tail) {
    this.start = start;
    this.end = end;
    this.tail = tail;
    this.time = this.follow ? end : Math.min(end, Math.max(start, this.time));
    this.tell();
  }

  // By hand: leaves the end of a run that was followed.
  seek(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.follow = this.follow && this.time === this.end;
    this.tell();
  }

  play(on = !this.playing) {
    this.playing = on;
    if (on) {
      this.follow = false;
      if (this.time >= this.end - 1e-9) this.time = this.start;
      this.last = performance.now();
    }
    this.tell();
  }

  setFollow(on) {
    this.follow = on;
    if (on) {
      this.playing = false;
      this.time = this.end;
    }
    this.tell();
  }

  // `ready`: whether what time shows is on the screen. If not, time waits rather than run away from the pictures.
  tick(ready) {
    if (!this.playing) return;
    const now = performance.now();
    const passed = Math.min(1, (now - this.last) / 1000); // a page that was hidden does not leap
    this.last = now;
    if (!ready) return;
    let time = this.time + passed * this.speed;
    if (time > this.end) {
      const period = this.end - this.start + this.tail;
      if (this.loop && this.end > this.start) time = this.start + ((time - this.start) % period);
      else {
        time = this.end;
        this.playing = false;
      }
    }
    this.time = time;
    this.tell();
  }
}
