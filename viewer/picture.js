// Draws the views into one canvas, when something changed. While things move, as many strands are drawn as the machine can
// in time; when all is still, the whole picture is drawn in slices that leave room for input, several times with shifted
// pixels, and the mean of these is shown.
import {
  ColorManagement, GLSL3, HalfFloatType, Mesh, NearestFilter, OrthographicCamera, PlaneGeometry, RawShaderMaterial, Scene,
  WebGLRenderTarget, WebGLRenderer,
} from '/lib/three.module.js';

// The shaders of this page take and give colours as the screen shows them.
ColorManagement.enabled = false;

const movingBudget = 70; // [ms] of a drawing while things move
const movingLeast = 15000; // edges; fewer would not look like the groom any more
const sliceBudget = 50; // [ms] of a slice of the still picture
const stillAfter = 140; // [ms]
const samples = 12;
const samplesUntil = 6000; // [ms]; a slow machine stops refining then
// Strands are drawn at least so wide [px]: one sample must not lose them, the mean of many can show them thinner.
const leastMoving = 1, leastStill = 0.85;

const quadVertex = `
in vec3 position;
out vec2 at;
void main() { at = 0.5 * position.xy + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }
`;
const quadFragment = `
precision highp float;
uniform sampler2D picture;
uniform float weight;
in vec2 at;
out vec4 result;
void main() { result = vec4(texture(picture, at).rgb, weight); }
`;

// Points of the square, evenly spread for any number of them.
const shift = k => [((0.5 + k * 0.7548776662) % 1) - 0.5, ((0.5 + k * 0.5698402910) % 1) - 0.5];

function softwareRenderer(gl) {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return /swiftshader|llvmpipe|software/i.test(info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '');
}

export class Picture {
  constructor(canvas, orbit) {
    const gl = canvas.getContext('webgl2', {antialias: false, alpha: false, powerPreference: 'high-performance'});
    if (!gl) {
      throw new Error(
        'This browser offers no WebGL 2, which the picture needs; turn on hardware acceleration or use another browser.');
    }
    this.renderer = new WebGLRenderer({canvas, context: gl});
    this.renderer.autoClear = false;
    this.gl = gl;
    this.canvas = canvas;
    this.orbit = orbit;
    this.camera = orbit.camera;
    // Software pays for every pixel: there fine screens are drawn coarser, and moving pictures with one sample.
    this.software = softwareRenderer(gl);
    this.ratio = this.software ? 1 : Math.min(2, window.devicePixelRatio);
    this.views = [];
    this.edgesPerMs = 150; // what this machine draws, measured as it goes
    this.dirty = true;
    this.changed = 0; // when
    this.fence = null;
    this.asked = false;
    this.onDrawn = []; // called once, when the next moving picture is on the screen
    this.beforeDraw = () => false; // true: ask again, time is running
    this.background = '#000';
    const half = gl.getExtension('EXT_color_buffer_float') || gl.getExtension('EXT_color_buffer_half_float');
    this.sample = new WebGLRenderTarget(1, 1, {
      minFilter: NearestFilter, magFilter: NearestFilter, samples: this.software ? 0 : 4,
    });
    this.sum = new WebGLRenderTarget(1, 1, {
      minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false, ...(half ? {type: HalfFloatType} : {}),
    });
    this.quad = new Mesh(new PlaneGeometry(2, 2), new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: quadVertex, fragmentShader: quadFragment, transparent: true, depthTest: false,
      depthWrite: false, uniforms: {picture: {value: null}, weight: {value: 1}},
    }));
    this.quad.frustumCulled = false;
    this.quadScene = new Scene().add(this.quad);
    this.quadCamera = new OrthographicCamera();
    this.pass = null;
  }

  setViews(views) {
    this.views = views;
    this.layout();
  }

  // Side by side, or one above the other where the page is narrow.
  layout() {
    const width = Math.max(1, this.canvas.clientWidth), height = Math.max(1, this.canvas.clientHeight);
    const count = Math.max(1, this.views.length), stacked = count > 1 && width < height;
    const w = stacked ? width : width / count, h = stacked ? height / count : height;
    this.rectangles = Array.from({length: count}, (_, k) =>
      stacked ? {x: 0, y: k * h, w, h} : {x: k * w, y: 0, w, h});
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
    const {width: pw, height: ph} = this.canvas;
    this.sample.setSize(pw, ph);
    this.sum.setSize(pw, ph);
    this.camera.aspect = w / h;
    this.invalidate();
  }

  invalidate() {
    this.dirty = true;
    this.changed = performance.now();
    this.ask();
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.tick();
    });
  }

  // One drawing at a time: the next begins when the GPU has done the last, so input never waits behind a queue.
  tick() {
    const {gl} = this;
    if (this.fence) {
      const status = gl.clientWaitSync(this.fence.sync, 0, 0);
      if (status === gl.TIMEOUT_EXPIRED) return this.poll();
      gl.deleteSync(this.fence.sync);
      const {edges, done, began} = this.fence;
      this.fence = null;
      const ms = performance.now() - began;
      if (edges > 2000) this.edgesPerMs += 0.35 * (edges / ms - this.edgesPerMs);
      for (const call of done) call();
    }
    if (this.beforeDraw()) this.ask();
    if (this.dirty) {
      this.dirty = false;
      this.pass = null;
      this.drawMoving();
    } else if (performance.now() - this.changed < stillAfter) this.ask();
    else this.refine();
  }

  // Sync objects change between tasks only; a short timer finds out sooner than the next animation frame.
  poll() {
    this.asked = true;
    setTimeout(() => {
      this.asked = false;
      this.tick();
    }, 2);
  }

  afterDraw(edges) {
    const sync = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    this.gl.flush();
    this.fence = {sync, edges, began: performance.now(), done: this.onDrawn.splice(0)};
    this.ask();
  }

  get edges() {
    return this.views.reduce((sum, view) => sum + (view.strands ? view.strands.topology.edges : 0), 0);
  }

  // Everything, or slices first..last (shares of the drawing order) of the strands alone.
  draw(target, first, last, {clear, share, jitter, least}) {
    const {renderer, camera} = this;
    renderer.setRenderTarget(target);
    const scale = target ? this.ratio : 1;
    if (clear) {
      renderer.setScissorTest(false);
      renderer.setClearColor(this.background, 1);
      renderer.clear();
    }
    let edges = 0;
    this.views.forEach((view, k) => {
      if (!view.strands) return;
      const r = this.rectangles[k], height = this.canvas.clientHeight;
      const place = [r.x * scale, (height - r.y - r.h) * scale, r.w * scale, r.h * scale];
      if (target) {
        target.viewport.set(...place);
        target.scissor.set(...place);
        target.scissorTest = true;
        renderer.setRenderTarget(target);
      } else {
        renderer.setViewport(...place);
        renderer.setScissor(...place);
        renderer.setScissorTest(true);
      }
      camera.updateProjectionMatrix();
      camera.projectionMatrix.elements[8] += (2 * jitter[0]) / (r.w * this.ratio);
      camera.projectionMatrix.elements[9] += (2 * jitter[1]) / (r.h * this.ratio);
      const {topology} = view.strands;
      const a = Math.floor(first * topology.strands), b = Math.ceil(last * topology.strands);
      view.strands.setPart(a, b, share, least * this.ratio);
      view.strands.setCamera(camera, this.orbit.distance, r.h * this.ratio);
      view.showOthers(clear);
      renderer.render(view.scene, camera);
      edges += topology.edgesBefore[b] - topology.edgesBefore[a];
    });
    camera.updateProjectionMatrix();
    if (target) target.scissorTest = false;
    return edges;
  }

  drawMoving() {
    const total = this.edges;
    const share = total === 0 ? 1 : Math.min(1, Math.max(movingLeast, movingBudget * this.edgesPerMs) / total);
    const target = this.software ? null : this.sample;
    const edges = this.draw(target, 0, share, {clear: true, share, jitter: [0, 0], least: leastMoving});
    if (target) this.blit(target, null, 1);
    this.afterDraw(edges);
  }

  // The next slice of the still picture.
  refine() {
    const total = this.edges;
    if (total === 0) return;
    this.pass ??= {k: 0, done: 0, began: performance.now()};
    const {pass} = this;
    if (pass.k >= samples || (pass.k > 0 && performance.now() - pass.began > samplesUntil)) return;
    const next = Math.min(1, pass.done + Math.max(movingLeast / 3, sliceBudget * this.edgesPerMs) / total);
    const edges = this.draw(this.sample, pass.done, next, {
      clear: pass.done === 0, share: 1, jitter: shift(pass.k), least: leastStill,
    });
    pass.done = next;
    if (next >= 1) {
      ++pass.k;
      pass.done = 0;
      this.blit(this.sample, this.sum, 1 / pass.k);
      this.blit(this.sum, null, 1);
    }
    this.afterDraw(edges);
  }

  blit(from, to, weight) {
    const {renderer} = this;
    this.quad.material.uniforms.picture.value = from.texture;
    this.quad.material.uniforms.weight.value = weight;
    renderer.setRenderTarget(to);
    if (!to) renderer.setViewport(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    renderer.setScissorTest(false);
    renderer.render(this.quadScene, this.quadCamera);
  }

  // All samples are on the screen.
  get still() {
    return !this.dirty && !this.fence && this.pass !== null &&
      (this.pass.k >= samples || performance.now() - this.pass.began > samplesUntil);
  }
}
