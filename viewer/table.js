// Tables of numbers over frames: the columns of records.csv and of probes, or what a live run says of each frame.

// "energy_kinetic [J]" is the column energy_kinetic with the unit J.
function column(heading) {
  const [, name, unit] = heading.match(/^(.*?)(?: \[(.*)\])?$/);
  return {name, unit: unit ?? '', values: []};
}

export function parseTable(text) {
  const [head, ...lines] = text.trim().split('\n');
  const columns = head.split(',').map(column);
  for (const line of lines) {
    const cells = line.split(',');
    // A run in progress may be writing its last line.
    if (cells.length !== columns.length) continue;
    cells.forEach((cell, c) => columns[c].values.push(cell === '' ? null : Number(cell)));
  }
  return columns;
}

const units = {time: 's', energy: 'J', seconds: 's'};
const unitOf = name => units[Object.keys(units).find(part => name.split('_').includes(part))] ?? '';

// One more frame of a live run; past `most` rows every other one is dropped, so that a long run stays small.
export function addRow(columns, row, most = 4000) {
  for (const name of Object.keys(row)) {
    if (!columns.some(c => c.name === name)) columns.push({name, unit: unitOf(name), values: []});
  }
  for (const c of columns) c.values.push(row[c.name] ?? null);
  if (columns[0].values.length > most) {
    for (const c of columns) c.values = c.values.filter((_, i) => i % 2 === 0);
  }
}
