// Materials of everything but strands; like theirs, colours leave the shader ready for the screen.
import {Color, DoubleSide, GLSL3, RawShaderMaterial} from '/lib/three.module.js';

const bodyVertex = `
precision highp float;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
in vec3 position, normal;
out vec3 facing, toEye;
void main() {
  vec4 seen = viewMatrix * modelMatrix * vec4(position, 1.0);
  facing = mat3(viewMatrix) * mat3(modelMatrix) * normal;
  toEye = -seen.xyz;
  gl_Position = projectionMatrix * seen;
}
`;

const bodyFragment = `
precision highp float;
uniform vec3 colour;
in vec3 facing, toEye;
out vec4 result;
void main() {
  vec3 eye = normalize(toEye);
  vec3 n = normalize(facing);
  if (dot(n, eye) < 0.0) n = -n;
  float key = max(0.0, dot(n, normalize(vec3(-0.45, 0.75, 0.55))));
  float fill = 0.5 + 0.5 * dot(n, normalize(vec3(0.8, 0.05, 0.6)));
  vec3 lit = colour * colour * (0.18 + 0.62 * key + 0.28 * fill) + 0.05 * pow(1.0 - abs(dot(n, eye)), 3.0);
  result = vec4(sqrt(lit), 1.0);
}
`;

export function bodyMaterial() {
  return new RawShaderMaterial({
    glslVersion: GLSL3, vertexShader: bodyVertex, fragmentShader: bodyFragment, side: DoubleSide,
    uniforms: {colour: {value: new Color()}},
  });
}

const lineVertex = `
precision highp float;
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
in vec3 position;
in vec4 colour;
out vec4 shade;
void main() {
  shade = colour;
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
}
`;

const lineFragment = `
precision highp float;
uniform vec3 tint;
in vec4 shade;
out vec4 result;
void main() { result = vec4(shade.rgb * tint, shade.a); }
`;

// Lines with a colour per vertex, times `tint`.
export function lineMaterial({depthTest = true} = {}) {
  return new RawShaderMaterial({
    glslVersion: GLSL3, vertexShader: lineVertex, fragmentShader: lineFragment, transparent: true, depthTest,
    depthWrite: false, uniforms: {tint: {value: new Color(1, 1, 1)}},
  });
}
