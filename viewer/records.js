// The tables of runs, for the plots.
import {getText} from './api.js';
import {parseTable} from './table.js';

// [{prefix, columns, probe}] of all runs; several runs are told apart by their names.
export async function readTables(infos) {
  const jobs = [];
  infos.forEach((info, k) => {
    const prefix = infos.length > 1 ? `${'AB'[k]} ` : '';
    const add = (path, probe) => jobs.push(
      getText(`/api/runs/${info.id}/${path}`).then(text => ({prefix, probe, columns: parseTable(text)})));
    if (info.records) add('records.csv', null);
    for (const probe of info.probes) add(`probes/${encodeURIComponent(probe)}.csv`, probe);
  });
  return Promise.all(jobs);
}
