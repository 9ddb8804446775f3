import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiError } from '../../../error.ts';
import { entityTags } from '../../../grammar/entity-tags.ts';
import { takesGzip } from '../../../http/compression.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import { CONTENT_SECURITY_POLICY, PAGE } from './page.ts';

/** The files that the page asks for, and nothing else of their folder. Swagger UI is stored as gzip (`npm run explorer`): 0.5 MB, not 2. */
const FILES: ReadonlyMap<string, { type: string; isPacked: boolean }> = new Map([
  ['swagger-ui-bundle.js', { type: 'text/javascript; charset=utf-8', isPacked: true }],
  ['swagger-ui.css', { type: 'text/css; charset=utf-8', isPacked: true }],
  ['explorer.js', { type: 'text/javascript; charset=utf-8', isPacked: false }],
  ['explorer.css', { type: 'text/css; charset=utf-8', isPacked: false }],
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

const unpacked = promisify(gunzip);

/** A browser asks whether its copy is still good, and mostly it is. */
async function file(call: Call): Promise<Reply> {
  const { name = '' } = call.params;
  const found = FILES.get(name);
  if (found === undefined) throw new ApiError(404, 'NOT_FOUND', 'The explorer has no such file.');
  const { type, isPacked } = found;
  const path = join(BROWSER, isPacked ? `${name}.gz` : name);
  const { size, mtimeMs } = await stat(path);
  const tag = `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`;
  const headers = { 'ETag': `W/${tag}`, 'Cache-Control': 'no-cache' };
  if (entityTags(call.header('if-none-match'))?.includes(tag) === true) return { status: 304, headers };
  const body = await readFile(path);
  if (!isPacked) return { headers, type, body };
  const packed = { ...headers, Vary: 'Accept-Encoding' };
  if (takesGzip(call.header('accept-encoding'))) return { headers: { ...packed, 'Content-Encoding': 'gzip' }, type, body };
  return { headers: packed, type, body: await unpacked(body) };
}
