// Begun before the libraries are here, because it takes longest: the list of runs, and the first frame of each.
import {getJson} from './api.js';
import {CacheRun} from './cache_run.js';

// {info, runs}
export const beginning = begin();
beginning.catch(() => {}); // who waits for it tells the user

async function begin() {
  const info = await getJson('/api/view.json');
  const runs = info.runs.map(run => new CacheRun(run));
  if (!info.live) for (const run of runs) run.begin();
  return {info, runs};
}
