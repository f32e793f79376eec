// node read_with_three.mjs FILE...: what three.js reads in .usda files, as one JSON value each.
import { readFileSync } from 'node:fs';
import { valuesOf } from './usda_values.mjs';

for (const file of process.argv.slice(2)) console.log(JSON.stringify(valuesOf(readFileSync(file, 'utf8'))));
