// Shared by the tests of storage: a service with a folder of its own, and forms.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { atEnd } from '../harness/current.ts';
import { lendService } from '../harness/lend.ts';
import { createService, SERVICE_KEY, type ServiceOptions, type TestService } from '../harness/service.ts';

export type Files = TestService & {
  /** The folder of local storage. */
  folder: string;
  base: string;
  upload: (key: string | undefined, content: string | Uint8Array, options?: UploadOptions) => Promise<Response>;
  /** Below `/storage/file/`, with the service key unless `as` says otherwise (null: no credential). */
  read: (key: string, options?: { as?: string | null; headers?: Record<string, string>; method?: string }) => Promise<Response>;
};
export type UploadOptions = {
  as?: string | null; type?: string; name?: string; fields?: Record<string, string>; query?: string; last?: boolean;
};

let lentFolder: string | undefined;

/** A service that may have been another test's, with nothing in its folder. */
export async function lendFiles(t: Test): Promise<Files> {
  const folder = lentFolder ??= makeFolder();
  const service = await lendService(t, { template: 'served', env: { STORAGE_PATH: folder } });
  t.teardown(() => { empty(folder); });
  return filesOf(service, folder);
}

function makeFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), 'rowgate-files-'));
  atEnd(() => Promise.resolve(rmSync(parent, { recursive: true })));
  const folder = join(parent, 'files'); // tests write beside it too, so the parent is their own
  mkdirSync(folder);
  return folder;
}

/** But for what the service made at its start. */
function empty(folder: string): void {
  for (const name of readdirSync(folder)) {
    rmSync(join(folder, name), { recursive: true });
    if (name.startsWith('.')) mkdirSync(join(folder, name));
  }
}

export async function serveFiles(t: Test, { env = {}, ...options }: ServiceOptions = {}): Promise<Files> {
  const folder = t.testdir();
  return filesOf(await createService(t, { template: 'served', ...options, env: { STORAGE_PATH: folder, ...env } }), folder);
}

function filesOf(service: TestService, folder: string): Files {
  const base = `${service.address}/api/storage`;
  return { ...service, folder, base, upload, read };

  async function upload(
    key: string | undefined, content: string | Uint8Array, { as = SERVICE_KEY, query = '', ...form }: UploadOptions = {},
  ): Promise<Response> {
    if (as !== null) await service.account(as);
    return fetch(`${base}/upload${query}`, { method: 'POST', body: formOf(key, content, form), headers: credential(as) });
  }

  async function read(
    key: string, { as = SERVICE_KEY, headers = {}, method = 'GET' }: Parameters<Files['read']>[1] = {},
  ): Promise<Response> {
    if (as !== null) await service.account(as);
    return fetch(`${base}/file/${key}`, { method, headers: { ...credential(as), ...headers } });
  }
}

/** `last`: the fields stand before the file. */
export function formOf(
  key: string | undefined, content: string | Uint8Array,
  { type = 'text/plain', name = 'file.txt', fields = {}, last = false }: UploadOptions = {},
): FormData {
  const form = new FormData();
  const addFile = () => form.append('file', new Blob([content], { type }), name);
  if (!last) addFile();
  for (const [name, value] of Object.entries({ ...(key !== undefined && { key }), ...fields })) form.append(name, value);
  if (last) addFile();
  return form;
}

function credential(as: string | null): Record<string, string> {
  return as === null ? {} : { authorization: `Bearer ${as}` };
}

export async function refusal(response: Response): Promise<[number, string, object?]> {
  const { error } = await response.json() as { error: { code: string; details?: object } };
  return [response.status, error.code, ...(error.details ? [error.details] : [])] as [number, string, object?];
}
