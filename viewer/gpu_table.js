// A table of numbers that shaders read by index: a texture with a fixed width, written as it comes without padding.
import {ExternalTexture} from '/lib/three.module.js';

export const tableShift = 12;
const width = 1 << tableShift;

const formats = {
  f32: gl => [gl.R32F, gl.RED, gl.FLOAT, 1],
  vec3: gl => [gl.RGB32F, gl.RGB, gl.FLOAT, 3],
  u32: gl => [gl.R32UI, gl.RED_INTEGER, gl.UNSIGNED_INT, 1],
};

export class GpuTable {
  constructor(renderer, kind, count) {
    this.state = renderer.state;
    this.gl = renderer.getContext();
    const gl = this.gl;
    [this.internal, this.format, this.type, this.components] = formats[kind](gl);
    this.count = count;
    const height = Math.max(1, Math.ceil(count / width));
    if (height > gl.getParameter(gl.MAX_TEXTURE_SIZE)) {
      throw new Error(`This graphics driver cannot hold ${count} vertices.`);
    }
    this.handle = gl.createTexture();
    this.bind();
    gl.texStorage2D(gl.TEXTURE_2D, 1, this.internal, width, height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    this.texture = new ExternalTexture(this.handle);
  }

  bind() {
    const {gl, state} = this;
    state.activeTexture(gl.TEXTURE0);
    state.bindTexture(gl.TEXTURE_2D, this.handle);
    state.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
    state.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    state.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
  }

  // Whole rows at once, then what is left.
  write(values) {
    this.bind();
    const {gl, format, type, components} = this;
    const rows = this.count >> tableShift, rest = this.count & (width - 1), whole = rows * width * components;
    if (rows > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, rows, format, type, values, 0);
    if (rest > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, rows, rest, 1, format, type, values, whole);
  }
}
