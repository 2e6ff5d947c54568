// usage: node build.mjs FOLDER OUT.wasm, with componentize-js in NODE_PATH's
// place: the working folder's node_modules.
import { createRequire } from 'node:module';
import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const [, , folder, out] = process.argv;
const resolve = createRequire(join(process.cwd(), 'package.json')).resolve;
const { componentize } = await import(
  pathToFileURL(resolve('@bytecodealliance/componentize-js')));
const { component } = await componentize({
  sourcePath: join(folder, 'app.js'),
  witPath: join(folder, 'wit'),
  worldName: 'app',
  disableFeatures: ['http', 'fetch-event'],
});
await writeFile(out, component);
