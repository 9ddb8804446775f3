// `npm test [-- files]`: tap over the given files, or over all, with one server for the whole run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { dropLeftovers } from './database.ts';
import { ROOT, server } from './server.ts';

/** Databases on a server that is not ours may be of a run that goes on. */
const AN_HOUR = 3_600_000;

const { url, kind } = await server();
console.error(`The tests use ${kind}.`);
if (process.env['DATABASE_URL']) await dropLeftovers(url, AN_HOUR);

const tap = spawn(process.execPath, [join(ROOT, 'node_modules/tap/dist/esm/run.mjs'), 'run', ...process.argv.slice(2)], { stdio: 'inherit', cwd: ROOT });
process.on('SIGINT', () => undefined); // a terminal's Ctrl-C reaches tap as well
process.on('SIGTERM', () => tap.kill('SIGTERM'));
const [code] = await once(tap, 'exit') as [number | null];
process.exitCode = code ?? 1;
