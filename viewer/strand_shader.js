// Shaders of strands: ribbons that face the camera. Thin ones are lit like hair, per vertex, because a ribbon of a pixel has
// no inside; with ROUND defined, thick ones are lit per pixel, and like round rods the thicker they are. Colours leave the
// shaders ready for the screen.
import {tableShift} from './gpu_table.js';

// Light on strands; `base` is their own colour.
const light = `
uniform vec3 keyLight, fillLight;   // directions towards the lights
uniform int valueKind;              // 0 natural colours, 1 values per vertex, 2 per edge

float sineTo(vec3 direction, vec3 along) {
  float c = dot(direction, along);
  return sqrt(max(0.0, 1.0 - c * c));
}

// Two highlights: a white one from the surface, shifted to the root, and one with the strand's colour from light that went
// through it, shifted to the tip.
vec3 hairLight(vec3 base, vec3 t, vec3 eye, vec3 normal, float lit, float open, float chance) {
  vec3 halfway = normalize(keyLight + eye);
  float white = pow(sineTo(halfway, normalize(t - 0.11 * normal)), 80.0);
  float tinted = pow(sineTo(halfway, normalize(t + (0.16 + 0.1 * (chance - 0.5)) * normal)), 16.0);
  return base * open * (0.2 + 0.3 * sineTo(fillLight, t)) +
         lit * (base * (1.5 * sineTo(keyLight, t) + 1.7 * tinted) + 0.09 * white * vec3(1.0, 0.94, 0.86));
}
`;

export const vertexShader = `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
precision highp sampler3D;

uniform mat4 viewMatrix, projectionMatrix;
uniform vec3 cameraPosition;
uniform sampler2D positions, radii, values;
uniform usampler2D places;
uniform float pixelAngle;           // size of a pixel, in metres per metre of distance
uniform float leastPixels;          // strands are never drawn thinner
uniform sampler3D shade;            // light that strands leave each other: r from the key light, g from all around
uniform vec3 shadeLow, shadeSize;
uniform bool shaded;
uniform vec3 colour;                // of strands, linear
uniform float tintRange;            // how much strands differ
uniform vec2 valueRange;
uniform bool valueLog;
uniform sampler2D colourMap;
uniform vec3 noValue;
uniform vec4 highlight;             // colour of the picked strand; a = 1 if this is it
${light}

flat out vec3 edgeColour;
#ifdef ROUND
out vec3 tangent, across, toEye, vertexColour;
out vec2 lit, front;
out float side, thickness;
flat out float chance;
#else
out vec3 seen;                      // colour, or with values per edge what they are multiplied by
#endif

ivec2 at(int i) { return ivec2(i & ${(1 << tableShift) - 1}, i >> ${tableShift}); }
vec3 point(int i) { return texelFetch(positions, at(i), 0).xyz; }

float hash(uint x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return float(x & 0xffffu) / 65535.0;
}

vec3 mapped(float value) {
  if (value < -1e37) return noValue * noValue;
  vec2 range = valueRange;
  if (valueLog) {
    value = log(max(value, 1e-37));
    range = log(max(range, 1e-37));
  }
  float x = range.y > range.x ? clamp((value - range.x) / (range.y - range.x), 0.0, 1.0) : 0.5;
  vec3 shown = textureLod(colourMap, vec2((x * 255.0 + 0.5) / 256.0, 0.5), 0.0).rgb;
  return shown * shown;
}

void main() {
  int i = gl_VertexID >> 1;
  uint info = texelFetch(places, at(i), 0).r;
  vec3 p = point(i);
  vec3 before = (info & 1u) != 0u ? p : point(i - 1);
  vec3 after = (info & 2u) != 0u ? p : point(i + 1);
  vec3 along = after - before;
  vec3 t = along / max(length(along), 1e-12);
  vec3 eye = normalize(cameraPosition - p);
  vec3 sideways = cross(t, eye);
  sideways /= max(length(sideways), 1e-6);

  float pixel = pixelAngle * max(-(viewMatrix * vec4(p, 1.0)).z, 1e-9);
  float wide = max(2.0 * texelFetch(radii, at(i), 0).r / pixel, leastPixels);
  float edge = float(gl_VertexID & 1) * 2.0 - 1.0;
  gl_Position = projectionMatrix * viewMatrix * vec4(p + sideways * (0.5 * edge * wide * pixel), 1.0);

  float way = float((info >> 2) & 63u) / 63.0;
  float ofStrand = hash(info >> 8);
  vec2 come = shaded ? textureLod(shade, (p - shadeLow) / shadeSize, 0.0).rg : vec2(1.0);
  vec3 base;
  if (highlight.a > 0.5) base = highlight.rgb * highlight.rgb;
  else if (valueKind != 0) base = mapped(texelFetch(values, at(i), 0).r);
  else {
    float tint = tintRange * (ofStrand - 0.5);
    base = colour * (1.0 + tint) * mix(vec3(1.0), vec3(1.08, 1.0, 0.9), tint);
    if (shaded) base *= mix(0.75, 1.12, smoothstep(0.0, 0.7, way));
  }
  edgeColour = base;
#ifdef ROUND
  tangent = t, across = sideways, toEye = eye, vertexColour = base;
  lit = come, side = edge, thickness = wide, chance = ofStrand;
  front = (projectionMatrix * viewMatrix * vec4(p + eye * (0.5 * wide * pixel), 1.0)).zw;
#else
  // A legend is read by colour: false colours keep nearly all of theirs.
  if (highlight.a > 0.5) seen = sqrt(base);
  else if (valueKind != 0) seen = sqrt((valueKind == 2 ? vec3(1.0) : base) * (0.5 + 0.5 * come.r));
  else seen = sqrt(hairLight(base, t, eye, eye, come.r, come.g, ofStrand));
#endif
}
`;

export const fragmentShader = `
precision highp float;
precision highp int;

uniform vec4 highlight;
${light}

flat in vec3 edgeColour;
#ifdef ROUND
in vec3 tangent, across, toEye, vertexColour;
in vec2 lit, front;               // front: z and w of the line nearest to the eye
in float side, thickness;
flat in float chance;
#else
in vec3 seen;
#endif
out vec4 result;

void main() {
#ifdef ROUND
  vec3 eye = normalize(toEye);
  vec3 normal = normalize(across) * side + eye * sqrt(max(0.0, 1.0 - side * side));
  // A ribbon is flat; where rods cross or touch, the depth of the round surface tells which one is seen.
  gl_FragDepth = mix(gl_FragCoord.z, 0.5 + 0.5 * front.x / front.y, sqrt(max(0.0, 1.0 - side * side)));
  vec3 base = valueKind == 2 ? edgeColour : vertexColour;
  float facing = max(0.0, dot(normal, keyLight));
  float rod = smoothstep(2.0, 5.0, thickness);
  vec3 shown;
  if (highlight.a > 0.5) shown = base * mix(1.0, 0.55 + 0.5 * facing, rod);
  else if (valueKind != 0) shown = base * mix(0.5 + 0.5 * lit.r, 0.5 + 0.55 * facing, rod);
  else {
    vec3 hair = hairLight(base, normalize(tangent), eye, normal, lit.r, lit.g, chance);
    vec3 solid = base * (0.22 + 0.9 * facing * lit.r + 0.25 * max(0.0, dot(normal, fillLight)));
    solid += 0.2 * lit.r * pow(max(0.0, dot(normal, normalize(keyLight + eye))), 40.0);
    shown = mix(hair, solid, rod);
  }
  result = vec4(sqrt(shown), 1.0);
#else
  result = vec4(valueKind == 2 && highlight.a < 0.5 ? sqrt(edgeColour) * seen : seen, 1.0);
#endif
}
`;
