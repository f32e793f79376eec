// The values of a .usda text as three.js' USDAParser finds them:
//
//   {header: {key: text}, prims: {path: {type, clips,
//     attributes: {name: {type, value | times and samples, metadata}}}}}
//
// Arrays of tuples come flattened. What this parser does not have, and what is done about it:
// - it leaves the time range, value clips and the metadata of attributes out of its list of specs; they are taken from
//   the tree of texts that it builds first;
// - it passes over the keyword `over`; value clips consist of nothing else, so they are given to it as `def`;
// - it does not know BasisCurves: three's loader of scenes would leave them out, so only its parser is asked;
// - it forgives: what is no array of numbers it takes apart by guessing. Here a guess is an error.
import { USDAParser } from 'three/examples/jsm/loaders/usd/USDAParser.js';

const prim = /^def\s+(?:(\w+)\s+)?"([^"]+)"$/;

// Metadata of attributes and clips of prims by path, from the tree: three keeps the former under a symbol beside the
// values.
function collectMetadata(node, path, found) {
  if (node.clips) found[path] = node.clips['dictionary default'];
  for (const symbol of Object.getOwnPropertySymbols(node))
    for (const [declaration, metadata] of Object.entries(node[symbol]))
      found[`${path}.${declaration.split(/\s+/).at(-1)}`] = metadata;
  for (const [key, child] of Object.entries(node)) {
    const match = key.match(prim);
    if (match) collectMetadata(child, `${path}/${match[2]}`, found);
  }
  return found;
}

export function valuesOf(text) {
  const parser = new USDAParser();
  text = text.replace(/^(\s*)over(?=\s+")/gm, '$1def');
  const guesses = [];
  const strict = JSON.parse;
  JSON.parse = (value) => {
    try {
      return strict(value);
    } catch (error) {
      guesses.push(`${error.message}: ${value.slice(0, 80)}`);
      throw error;
    }
  };
  let tree, specs;
  try {
    tree = parser.parseText(text);
    specs = parser.parseData(text).specsByPath;
  } finally {
    JSON.parse = strict;
  }
  if (guesses.length > 0) throw new Error(`three.js had to guess: ${guesses[0]}`);

  const header = {};
  for (const [key, value] of Object.entries(tree['#usda 1.0'] ?? {})) header[key] = value.replace(/"/g, '');
  // Where three has made numbers of the header, they count.
  for (const [key, value] of Object.entries(specs['/'].fields)) if (key in header) header[key] = String(value);

  const metadata = collectMetadata(tree, '', {});
  const prims = {};
  for (const [path, { fields }] of Object.entries(specs)) {
    const dot = path.indexOf('.');
    if (path === '/') continue;
    const owner = dot < 0 ? path : path.slice(0, dot);
    prims[owner] ??= { attributes: {} };
    if (dot < 0) {
      prims[owner].type = fields.typeName;
      if (metadata[path]) prims[owner].clips = metadata[path];
      continue;
    }
    const attribute = { type: fields.typeName, metadata: metadata[path] ?? {} };
    if (fields.timeSamples) {
      attribute.times = fields.timeSamples.times;
      attribute.samples = fields.timeSamples.values;
    } else {
      attribute.value = fields.default;
    }
    prims[owner].attributes[path.slice(dot + 1)] = attribute;
  }
  return { header, prims };
}
