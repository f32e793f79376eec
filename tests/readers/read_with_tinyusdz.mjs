// node read_with_tinyusdz.mjs FILE...: what tinyusdz reads in .usda files, as one JSON value each. It parses strictly,
// by a grammar and with types; a file that it refuses is named on stderr, with its reason, and the exit code is 1.
//
// A file is read twice: as a stage, whose tree of nodes comes as {nodes: {path: type}}, and as a layer. Curves are not
// among the things that its stage exposes (it has meshes, materials and images only), and a BasisCurves prim is a node
// of the type "xform" to it. But it writes a layer out as text again, from the values that it has parsed; three.js
// takes that text apart (usda_values.mjs).
import { readFileSync } from 'node:fs';
import { valuesOf } from './usda_values.mjs';

// tinyusdz is made for browsers and refuses node by what it finds here.
process.type = 'renderer';
globalThis.window = globalThis;
// A copy of tinyusdz.js under the name by which every node takes it for the ES module that it is (judges.py makes it):
// its package does not say so, and node before version 20.19 does not look.
const { default: initialise } = await import('./node_modules/tinyusdz/tinyusdz.mjs');
const said = [];
const native = await initialise({
  wasmBinary: readFileSync(new URL('./node_modules/tinyusdz/tinyusdz.wasm', import.meta.url)),
  print: (text) => said.push(text),
  printErr: (text) => said.push(text),
});

function nodesBelow(node, found) {
  found[node.absPath] = node.nodeType;
  for (const child of node.children) nodesBelow(child, found);
  return found;
}

for (const file of process.argv.slice(2)) {
  const bytes = new Uint8Array(readFileSync(file));
  const stage = new native.TinyUSDZLoaderNative();
  const layer = new native.TinyUSDZLoaderNative();
  const whole = stage.loadFromBinary(bytes, file) && layer.loadAsLayerFromBinary(bytes, file);
  const complaint = [stage.error(), layer.error(), ...said].join('\n').trim();
  if (!whole || complaint) {
    console.error(`tinyusdz refuses ${file}: ${complaint}`);
    process.exit(1);
  }
  const nodes = stage.numRootNodes() > 0 ? nodesBelow(stage.getDefaultRootNode(), {}) : {};
  console.log(JSON.stringify({ nodes, ...valuesOf(layer.layerToString()) }));
}
