// All strands of a run on the GPU. A new frame is one upload of its positions; corners of the ribbons find their vertex
// by number, so nothing else changes. (One instance per edge would do the same, but software renderers take each instance
// as a drawing of its own and are seven times slower that way.)
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, GLSL3, Mesh, RawShaderMaterial, Vector2, Vector3, Vector4,
} from '/lib/three.module.js';
import {GpuTable} from './gpu_table.js';
import {StrandShade} from './strand_shade.js';
import {fragmentShader, vertexShader} from './strand_shader.js';

const hairRadius = 0.0003; // [m]; anything thicker is a thread, a rope or a cable
const hairColour = new Color(0.125, 0.062, 0.03);
const rodColour = new Color(0.3, 0.34, 0.38);

const alwaysRound = 20000; // edges; so few cost nothing

// The lights stand with the camera: what one looks at is lit. In its axes: right, up, towards the eye.
const keyFromCamera = new Vector3(-0.45, 0.75, 0.55).normalize();
const fillFromCamera = new Vector3(0.8, 0.05, 0.6).normalize();

export class Strands {
  constructor(renderer, topology, radius) {
    this.topology = topology;
    this.positions = new GpuTable(renderer, 'vec3', topology.vertices);
    this.radii = new GpuTable(renderer, 'f32', topology.vertices);
    this.places = new GpuTable(renderer, 'u32', topology.vertices);
    this.radii.write(radius);
    this.places.write(topology.places());
    this.renderer = renderer;
    this.values = null;

    this.shade = new StrandShade();
    const hair = radius[0] < hairRadius;
    this.uniforms = {
      positions: {value: this.positions.texture},
      radii: {value: this.radii.texture},
      places: {value: this.places.texture},
      values: {value: this.radii.texture},
      pixelAngle: {value: 1},
      leastPixels: {value: 1},
      keyLight: {value: new Vector3()},
      fillLight: {value: new Vector3()},
      colour: {value: hair ? hairColour : rodColour},
      tintRange: {value: hair ? 0.7 : 0.35},
      shade: {value: this.shade.texture},
      shadeLow: {value: this.shade.low},
      shadeSize: {value: this.shade.size},
      shaded: {value: topology.strands > 100 && hair},
      valueKind: {value: 0},
      valueRange: {value: new Vector2(0, 1)},
      valueLog: {value: false},
      colourMap: {value: null},
      noValue: {value: new Color()},
    };
    this.geometry = new BufferGeometry();
    this.geometry.setIndex(new BufferAttribute(topology.triangles(), 1));
    // The copy in this page's memory is not needed once the GPU has it.
    this.geometry.index.onUpload(function release() { this.array = null; });
    const natural = {highlight: {value: new Vector4(0, 0, 0, 0)}};
    this.thin = this.material(natural, {});
    this.round = this.material(natural, {defines: {ROUND: 1}});
    this.mesh = new Mesh(this.geometry, this.thin);
    this.mesh.frustumCulled = false;

    this.pickedGeometry = new BufferGeometry();
    this.pickedGeometry.setIndex(this.geometry.index);
    this.highlight = new Vector4(0, 0, 0, 1);
    this.pickedMesh = new Mesh(this.pickedGeometry, this.material(
      {highlight: {value: this.highlight}, leastPixels: {value: 2.5}}, {defines: {ROUND: 1}, depthTest: false}));
    this.pickedMesh.frustumCulled = false;
    this.pickedMesh.renderOrder = 2;
    this.pickedMesh.visible = false;
    this.widest = radius.reduce((most, r) => (r > most ? r : most), 0);
  }

  material(uniforms, options) {
    return new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader, fragmentShader, uniforms: {...this.uniforms, ...uniforms}, side: DoubleSide, ...options,
    });
  }

  setPositions(positions) {
    this.positions.write(positions);
    if (this.uniforms.shaded.value) this.shade.setPositions(positions);
  }

  // `values` per vertex; with kind 'edge' a vertex holds the value of the edge that begins there. null: natural colours.
  setValues(values, kind) {
    if (!values) {
      this.uniforms.valueKind.value = 0;
      return;
    }
    this.values ??= new GpuTable(this.renderer, 'f32', this.topology.vertices);
    this.values.write(values);
    this.uniforms.values.value = this.values.texture;
    this.uniforms.valueKind.value = kind === 'edge' ? 2 : 1;
  }

  setScale({low, high, log, map, noValue}) {
    this.uniforms.valueRange.value.set(low, high);
    this.uniforms.valueLog.value = log;
    this.uniforms.colourMap.value = map;
    this.uniforms.noValue.value.set(noValue);
  }

  pick(strand, colour) {
    this.pickedMesh.visible = strand !== null;
    if (strand === null) return;
    const k = this.topology.order.indexOf(strand);
    const {edgesBefore} = this.topology;
    this.pickedGeometry.setDrawRange(6 * edgesBefore[k], 6 * (edgesBefore[k + 1] - edgesBefore[k]));
    const c = new Color(colour);
    this.highlight.set(c.r, c.g, c.b, 1);
  }

  // Strands first..last of the drawing order; a part of all is drawn wider, to cover about as much.
  setPart(first, last, share, leastPixels) {
    const {edgesBefore} = this.topology;
    this.geometry.setDrawRange(6 * edgesBefore[first], 6 * (edgesBefore[last] - edgesBefore[first]));
    this.uniforms.leastPixels.value = leastPixels * Math.min(3, 1 / Math.sqrt(share));
  }

  // `distance` from the camera to what it looks at.
  setCamera(camera, distance, heightPixels) {
    const {keyLight, fillLight, pixelAngle, shaded} = this.uniforms;
    pixelAngle.value = (2 * Math.tan((camera.fov * Math.PI) / 360)) / heightPixels;
    keyLight.value.copy(keyFromCamera).transformDirection(camera.matrixWorld);
    fillLight.value.copy(fillFromCamera).transformDirection(camera.matrixWorld);
    if (shaded.value) this.shade.setLight(keyLight.value);
    const pixels = (2 * this.widest) / (pixelAngle.value * distance);
    this.mesh.material = pixels > 1.5 || this.topology.edges < alwaysRound ? this.round : this.thin;
  }
}
