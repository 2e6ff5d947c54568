// usage: node build.mjs FOLDER OUT.wasm
// Run from a copy beside node_modules: an import is looked up from where the
// importing file lies.
import { componentize } from '@bytecodealliance/componentize-js';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const [, , folder, out] = process.argv;
const { component } = await componentize({
  sourcePath: join(folder, 'app.js'),
  witPath: join(folder, 'wit'),
  worldName: 'app',
  disableFeatures: ['http', 'fetch-event'],
});
await writeFile(out, component);
