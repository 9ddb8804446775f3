import { isDeepStrictEqual } from 'node:util';
import type postgres from 'postgres';
import { textConnection } from '../../gateway/database/connection.ts';
import { createLane, type Lane } from '../../gateway/database/lane.ts';
import { loginRole } from '../../gateway/database/login-roles.ts';
import type { Compiled } from '../../gateway/catalog/compiled.ts';
import { parseRead } from '../../gateway/grammar/read/request.ts';
import type { TestService } from '../harness/service.ts';
import { type Asker, askers, type Page, sightOf } from './isolation-model.ts';
import { question, SHAPE_NAMES, type Question } from './isolation-requests.ts';
import { loadRows } from './isolation-tables.ts';

export type Mismatch = { shape: string; uid: string; path: string; expected: unknown; answered: unknown };

export type RunOptions = {
  /** Settings of the connection. */
  settings?: Record<string, string>;
  /** The statement that is sent instead of the compiled one. */
  alter?: (text: string) => string;
  /** How often each caller asks each shape. */
  rounds?: number;
  shapes?: readonly string[];
};

const NOBODY = `select json_build_object('uid', service.uid(), 'roles', service.roles(), 'jwt',
  service.jwt(), 'guest', service.is_anonymous(),
  'notes', (select count(*) from public.notes))`;

/** As many as the callers: each has one request under way, all on one connection. */
const DEPTH = 64;

/**
 * Every caller sends one request after the other while all others do the same, on one pipelined connection; the answers are compared with
 * the model. Between them a session that has not entered reads.
 */
export async function mismatches(
  service: TestService, { settings = {}, alter = text => text, rounds = 1, shapes = SHAPE_NAMES }: RunOptions = {},
): Promise<{ asked: number; together: number; wrong: Mismatch[] }> {
  const rows = await loadRows(service.sql);
  const lane = await pipelined(service, settings);
  const wrong: Mismatch[] = [];
  let asked = 0;
  let underWay = 0;
  let together = 0;
  await Promise.all(askers().map(async (asker, index) => {
    const sight = sightOf(asker, rows);
    const random = randomFrom(index + 1);
    for (let round = 0; round < rounds; round += 1) {
      // Callers start at different shapes, so that all shapes meet.
      for (const shape of rotated(shapes, index)) await compare(asker, question(shape, sight, random()));
      await compareNobody();
    }
  }));
  await lane.close(1000);
  return { asked, together, wrong };

  async function compare(asker: Asker, { shape, path, expected, pages = [] }: Question): Promise<void> {
    let answered = await answer(asker, path);
    note(shape, asker.uid, path, expected, withoutCursor(answered));
    for (const page of pages.slice(1)) {
      const cursor = (answered as { meta: { nextCursor: string } }).meta.nextCursor;
      answered = await answer(asker, `${path}&after=${cursor}`);
      note(shape, asker.uid, `${path}&after=…`, page, withoutCursor(answered));
    }
  }

  async function answer(asker: Asker, path: string): Promise<unknown> {
    const { text, enterFirst, parameters } = await statement(service, asker, path);
    together = Math.max(together, underWay += 1);
    const [body] = await lane.run({ text: alter(text), prepare: true, enterFirst }, parameters)
      .catch((error: unknown) => [Buffer.from(JSON.stringify({ failed: String(error) }))])
      .finally(() => underWay -= 1);
    return !body ? undefined : JSON.parse(Buffer.from(body).toString()) as unknown;
  }

  async function compareNobody(): Promise<void> {
    const [body] = await lane.run({ text: NOBODY, prepare: true, enterFirst: false }, []);
    note('nobody entered', '', '', { uid: null, roles: '', jwt: {}, guest: false, notes: 0 },
      JSON.parse(Buffer.from(body ?? []).toString()));
  }

  function note(shape: string, uid: string, path: string, expected: unknown, answered: unknown): void {
    asked += 1;
    if (!isDeepStrictEqual(answered, expected)) wrong.push({ shape, uid, path, expected, answered });
  }
}

/** The statement that the gateway would send for this path. */
export async function statement(
  service: TestService, { roles, claims }: Pick<Asker, 'roles' | 'claims'>, path: string,
): Promise<Compiled & { parameters: string[] }> {
  const [route = '', query = ''] = path.split(/\?(.*)/s);
  const { shape, values } = parseRead(route.split('/').map(decodeURIComponent), query,
    { defaultLimit: 50, maxLimit: 1000, maxIncludeLimit: 10_000 });
  return { ...await service.database.catalog.current.statements.find(shape, roles), parameters: [...claims, ...values] };
}

/** One connection as the gateway's point lane has them. */
export async function pipelined(service: TestService, settings: Record<string, string> = {}): Promise<Lane> {
  const login = await readerLogin(service);
  const connect = (): postgres.Sql => textConnection(login, { connectTimeout: 10_000, applicationName: 'isolation', startup: settings });
  return createLane({ connect, size: 1, depth: DEPTH, deadline: 60_000, preparedLimit: 10_000 });
}

export async function readerLogin({ sql, url }: Pick<TestService, 'sql' | 'url'>): Promise<string> {
  const { name, password } = await loginRole(sql, 'reader', 'public');
  const login = new URL(url);
  login.username = name;
  login.password = password;
  return login.href;
}

function withoutCursor(answer: unknown): unknown {
  const page = answer as Page & { meta: { nextCursor?: string } } | undefined;
  if (page?.meta === undefined) return answer;
  const { nextCursor, ...meta } = page.meta;
  return { ...page, meta: { ...meta, hasMore: meta.hasMore && nextCursor !== undefined } };
}

function rotated<T>(list: readonly T[], by: number): T[] {
  return [...list.slice(by % list.length), ...list.slice(0, by % list.length)];
}

/** Park and Miller's generator: the same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => state = state * 48_271 % 2_147_483_647;
}
