import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ApiError } from '../../../error.ts';
import { entityTags } from '../../../grammar/entity-tags.ts';
import { type Call, type Reply, type Route } from '../../../http/route.ts';
import { CONTENT_SECURITY_POLICY, PAGE } from './page.ts';

/** What the page asks for, and nothing else of the folders that it lies in. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['explorer.js', 'text/javascript; charset=utf-8'],
  ['explorer.css', 'text/css; charset=utf-8'],
]);
const BROWSER = join(import.meta.dirname, 'browser');

/** Swagger UI on the API document: a page, and the files that it needs. Nothing of it is in memory but while it is sent. */
export function explorerRoutes(): Route[] {
  return [
    { method: 'GET', path: '/swagger', handle: page },
    { method: 'GET', path: '/swagger/:name', handle: file },
  ];
}

function page(): Reply {
  const headers = { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Cache-Control': 'no-cache' };
  return { headers, type: 'text/html; charset=utf-8', body: PAGE };
}

/** A browser asks whether its copy is still good, and mostly it is. */
async function file(call: Call): Promise<Reply> {
  const { name = '' } = call.params;
  const type = TYPES.get(name);
  if (type === undefined) throw new ApiError(404, 'NOT_FOUND', 'The explorer has no such file.');
  const path = pathOf(name);
  const { size, mtimeMs } = await stat(path);
  const tag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
  const headers = { ETag: `W/${tag}`, 'Cache-Control': 'no-cache' };
  if (entityTags(call.header('if-none-match'))?.includes(tag) === true) return { status: 304, headers };
  return { headers, type, body: await readFile(path) };
}

/** A build has what is Swagger UI's beside what is ours (publish-browser.ts); the source has it among its packages. */
function pathOf(name: string): string {
  const own = join(BROWSER, name);
  return existsSync(own) ? own : join(dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')), name);
}
