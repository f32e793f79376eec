// Figures about the page itself, for tests and for the curious: window.tendrilStats.
const kept = 200;

export const stats = {
  firstFrameMs: null, // from the start of loading the page to the first strands on the screen
  scrubMs: [], // from a pointer move on the bar of time to its frame on the screen
  framesShown: 0,
  vertices: 0,
  loadedBytes: 0, // of frames held
  get heapBytes() {
    return performance.memory?.usedJSHeapSize ?? null;
  },
};

let scrubbedAt = null;

export function scrubbed() {
  scrubbedAt = performance.now();
}

// A frame goes to the GPU; `drawn(call)` promises a call when it is on the screen.
export function frameShown(drawn) {
  ++stats.framesShown;
  const began = scrubbedAt;
  scrubbedAt = null;
  drawn(() => {
    stats.firstFrameMs ??= performance.now();
    if (began === null) return;
    stats.scrubMs.push(performance.now() - began);
    if (stats.scrubMs.length > kept) stats.scrubMs.shift();
  });
}

window.tendrilStats = stats;
