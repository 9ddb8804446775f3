import type { Test } from 'tap';
import { lendService } from '../harness/lend.ts';
import type { Answer, ServiceOptions, TestService } from '../harness/service.ts';

export type Writer = TestService & {
  /** The answer to a write, its body as JSON text or as a value. */
  send: (method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown, options?: {
    as?: string | null; headers?: Record<string, string>;
  }) => Promise<Answer>;
  /** Status and code of a refusal, with what its violations say. */
  refused: (method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown, as?: string | null) => Promise<unknown[]>;
};

export async function createWriter(t: Pick<Test, 'teardown'>, options: ServiceOptions = {}): Promise<Writer> {
  const service = await lendService(t, options);
  const send: Writer['send'] = (method, path, body, { as, headers } = {}) => service.request(`/data/${path}`, {
    method, ...(as !== undefined && { as }), ...(headers && { headers }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const refused: Writer['refused'] = async (method, path, body, as) => {
    const { status, body: answer } = await send(method, path, body, { ...(as !== undefined && { as }) });
    const violations = answer?.error?.details?.violations as { field: string; code: string }[] | undefined;
    return [status, answer?.error?.code, ...violations?.map(({ field, code }) => `${field}: ${code}`) ?? []];
  };
  return { ...service, send, refused };
}

/** Tables that everyone who says so may read and write: what is tested with them is not row security. */
export function open(...tables: string[]): string {
  return tables.map(table =>
    `alter table ${table} enable row level security; create policy everyone on ${table} using (true) with check (true);`).join('\n');
}

/** The files of a collections folder. */
export function collections(t: Pick<Test, 'testdir'>, ...files: { slug: string; [key: string]: unknown }[]): string {
  return t.testdir(Object.fromEntries(files.map(file => [`${file.slug}.json`, JSON.stringify(file)])));
}
