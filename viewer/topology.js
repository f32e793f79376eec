// How vertices make up strands: the same in all frames of a run.

// A step without a common factor with n visits every strand once, and any first part of the order is spread over the groom.
function shuffleStep(n) {
  const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));
  let step = Math.max(1, Math.floor(0.618034 * n));
  while (divisor(step, n) !== 1) ++step;
  return step;
}

export class Topology {
  constructor(offsets, sets) {
    this.offsets = offsets;
    this.strands = offsets.length - 1;
    this.vertices = offsets[this.strands];
    this.edges = this.vertices - this.strands;
    this.sets = sets;
    // order[k]: the strand drawn k-th; edgesBefore[k]: edges of those before it.
    this.order = new Uint32Array(this.strands);
    this.edgesBefore = new Uint32Array(this.strands + 1);
    const step = this.strands > 1 ? shuffleStep(this.strands) : 1;
    for (let k = 0, s = 0; k < this.strands; ++k, s = (s + step) % this.strands) {
      this.order[k] = s;
      this.edgesBefore[k + 1] = this.edgesBefore[k] + offsets[s + 1] - offsets[s] - 1;
    }
  }

  // Two triangles per edge in drawing order; corner 2 i and 2 i + 1 are the two sides of vertex i. The last corner of
  // both triangles belongs to the edge's first vertex, which is the one a flat varying takes its value from.
  triangles() {
    const indices = new Uint32Array(6 * this.edges);
    let at = 0;
    for (let k = 0; k < this.strands; ++k) {
      const s = this.order[k];
      const last = 2 * (this.offsets[s + 1] - 1);
      for (let a = 2 * this.offsets[s]; a < last; a += 2) {
        indices[at++] = a + 2;
        indices[at++] = a + 1;
        indices[at++] = a;
        indices[at++] = a + 2;
        indices[at++] = a + 3;
        indices[at++] = a + 1;
      }
    }
    return indices;
  }

  // Per vertex: bit 0 first, bit 1 last of its strand, bits 2 to 7 how far from root (0) to tip (63), then the strand.
  places() {
    const places = new Uint32Array(this.vertices);
    for (let s = 0; s < this.strands; ++s) {
      const first = this.offsets[s], last = this.offsets[s + 1] - 1;
      for (let i = first; i <= last; ++i) {
        const way = Math.round((63 * (i - first)) / (last - first));
        places[i] = (i === first ? 1 : 0) | (i === last ? 2 : 0) | (way << 2) | (s << 8);
      }
    }
    return places;
  }

  // {name, index}: the strand's set, and its number there.
  inSet(strand) {
    let index = strand;
    for (const set of this.sets) {
      if (index < set.strands) return {name: set.name, index};
      index -= set.strands;
    }
    return {name: '', index: strand};
  }

  // {first, count, firstEdge, edges} of one strand; edges are counted strand after strand.
  span(strand) {
    const first = this.offsets[strand], count = this.offsets[strand + 1] - first;
    return {first, count, firstEdge: first - strand, edges: count - 1};
  }
}
