// One run in the picture: its strands, bodies and ground, and the frame that is shown.
import {Box3, Scene, Vector3} from '/lib/three.module.js';
import {Bodies} from './bodies.js';
import {Grid} from './grid.js';
import {MaterialFrames} from './material_frames.js';
import {Strands} from './strands.js';
import {Topology} from './topology.js';
import {channelsFor, fillValues, restChannelsFor} from './values.js';

export class RunView {
  constructor(run, renderer) {
    this.run = run;
    this.renderer = renderer;
    this.scene = new Scene();
    this.bodies = new Bodies();
    this.marks = new MaterialFrames();
    this.scene.add(this.bodies.group, this.marks.lines);
    this.strands = null; // until the first frame is here
    this.grid = null;
    this.frame = null; // shown
    this.colour = null;
    this.rest = new Map();
    this.values = null;
    this.statistics = null; // of the values shown
    this.shows = {bodies: true, grid: true};
  }

  // Everything that all frames share.
  async prepare(offsets, radius) {
    const bodies = this.bodies.load(this.run);
    this.topology = new Topology(offsets, this.run.info.sets);
    const strands = new Strands(this.renderer, this.topology, radius);
    await bodies;
    this.scene.add(strands.mesh, strands.pickedMesh);
    this.strands = strands;
  }

  // Channels that frames need now.
  channels() {
    return ['position', ...Bodies.channels(this.run.info), ...(this.colour ? channelsFor(this.colour) : [])];
  }

  async setColour(colour) {
    const rest = new Map();
    for (const name of colour ? restChannelsFor(colour) : []) rest.set(name, await this.run.rest(name));
    this.rest = rest;
    this.colour = colour;
  }

  // Puts a frame with all its channels on the GPU.
  show(frame) {
    this.frame = frame;
    this.strands.setPositions(frame.arrays.get('position'));
    this.bodies.setFrame(frame);
    if (!this.grid) this.place();
    this.showValues();
  }

  place() {
    this.grid = new Grid(this.box(), new Vector3(...this.run.info.up));
    this.scene.add(this.grid.lines);
  }

  showValues() {
    this.statistics = null;
    if (!this.colour) {
      this.strands.setValues(null);
      return;
    }
    this.values ??= new Float32Array(this.topology.vertices);
    this.statistics = fillValues(this.colour, this.frame, this.rest, this.topology, this.values);
    this.strands.setValues(this.values, this.statistics.kind);
  }

  strandBox() {
    const p = this.frame.arrays.get('position');
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < p.length; i += 3) {
      for (let c = 0; c < 3; ++c) {
        if (p[i + c] < low[c]) low[c] = p[i + c];
        if (p[i + c] > high[c]) high[c] = p[i + c];
      }
    }
    return new Box3(new Vector3(...low), new Vector3(...high));
  }

  // Some points of all that is seen, for the camera.
  samples() {
    const points = [];
    const take = (p, matrix) => {
      const step = Math.max(1, Math.floor(p.length / 3 / 7919));
      for (let i = 0; i < p.length; i += 3 * step) {
        const point = new Vector3(p[i], p[i + 1], p[i + 2]);
        points.push(matrix ? point.applyMatrix4(matrix) : point);
      }
    };
    take(this.frame.arrays.get('position'));
    if (this.shows.bodies) for (const mesh of this.bodies.meshes) take(mesh.geometry.attributes.position.array, mesh.matrix);
    return points;
  }

  // Of all that is seen.
  box() {
    const box = this.strandBox();
    if (this.shows.bodies) {
      for (const mesh of this.bodies.meshes) {
        mesh.updateMatrixWorld(true);
        mesh.geometry.computeBoundingBox();
        box.union(mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrixWorld));
      }
    }
    return box;
  }

  pick(strand, colour) {
    this.strands.pick(strand, colour);
    if (strand === null) this.marks.clear();
  }

  // The slices of a still picture after the first add strands only.
  showOthers(on) {
    this.bodies.group.visible = on && this.shows.bodies;
    if (this.grid) this.grid.lines.visible = on && this.shows.grid;
  }
}
