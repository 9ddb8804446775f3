import type { Test } from 'tap';
import type { PathNames } from '../../gateway/grammar/read/parameters.ts';
import { parseRead } from '../../gateway/grammar/read/request.ts';
import {
  CALLER_PARAMETERS, type Condition, type Group, type Include, type Leaf, type ParsedRead,
} from '../../gateway/grammar/read/shape.ts';
import { isTried } from '../harness/effort.ts';
import { lendService } from '../harness/lend.ts';
import { SERVICE_KEY, tokenFor, type Answer, type ServiceOptions, type TestService } from '../harness/service.ts';

/** A refusal: status, code and details of the envelope. */
export type Refusal = { status: number; code: string; details: any; message: string };

export type Client = {
  service: TestService;
  /**
   * The body of a GET below /data that answers 200, which must equal the answer of SQL alone, by the same statement. The comparison runs
   * once a form.
   */
  get: (path: string, prefer?: string) => Promise<any>;
  /** The same as text, for what JSON.parse would round. */
  text: (path: string) => Promise<string>;
  /** `data` of a list, one field of each row. */
  column: (path: string, field?: string) => Promise<any[]>;
  refused: (path: string) => Promise<Refusal>;
  /** Asserts status and code of a refusal, and returns its details. */
  refuses: (path: string, status: number, code: string) => Promise<any>;
  read: (path: string, prefer?: string) => Promise<Answer>;
};

/** A caller: a credential for HTTP, and the same caller's claims for SQL. */
export type Asking = { credential: string | null; claims: string; roles: string[] };
type Asserts = Pick<Test, 'teardown' | 'equal' | 'same'>;

export const serviceKey: Asking = { credential: SERVICE_KEY, claims: claimsOf('service', ['admin']), roles: ['admin'] };
export const nobody: Asking = { credential: null, claims: claimsOf('anonymous', ['anon']), roles: ['anon'] };

export async function user(uid: string, roles: string[] = []): Promise<Asking> {
  return { credential: await tokenFor(uid, roles), claims: claimsOf(uid, roles), roles };
}

function claimsOf(uid: string, roles: string[]): string {
  return JSON.stringify({ uid, roles: roles.join(','), isAnonymous: false, jwt: { sub: uid, roles, is_anonymous: false } });
}

/** A service to read from. */
export async function reader(t: Asserts, options: ServiceOptions = {}, asking = serviceKey): Promise<Client> {
  return client(t, await lendService(t, options), asking);
}

/**
 * Reads from a service. The first answer to `get` of each form must be the one that service.list, get or count gives in psql; `npm test`
 * compares one form in five.
 */
export function client(
  t: Pick<Test, 'equal' | 'same'>, service: TestService, asking = serviceKey, isCompared: (form: number) => boolean = isTried,
): Client {
  return { service, read, get, text, column, refused, refuses };

  function read(path: string, prefer?: string): Promise<Answer> {
    return service.request(`/data/${path}`, { as: asking.credential, headers: prefer === undefined ? {} : { prefer } });
  }

  async function answered(path: string, prefer?: string): Promise<Answer> {
    const answer = await read(path, prefer);
    t.equal(answer.status, 200, `GET ${path}: ${answer.text.slice(0, 300)}`);
    if (answer.status === 200) await sameInSql(path, answer.text, prefer);
    return answer;
  }

  async function get(path: string, prefer?: string): Promise<any> {
    return (await answered(path, prefer)).body;
  }

  async function text(path: string): Promise<string> {
    return (await answered(path)).text;
  }

  async function column(path: string, field = 'id'): Promise<any[]> {
    return (await get(path)).data?.map((row: Record<string, unknown>) => row[field]);
  }

  async function refused(path: string): Promise<Refusal> {
    const { status, body } = await read(path);
    return { status, code: body?.error?.code, details: body?.error?.details, message: body?.error?.message };
  }

  async function refuses(path: string, status: number, code: string): Promise<any> {
    const refusal = await refused(path);
    t.same([refusal.status, refusal.code], [status, code], `GET ${path}`);
    return refusal.details;
  }

  /** HTTP and psql must take one text from one function, and find the same in it. */
  async function sameInSql(path: string, body: string, prefer: string | undefined): Promise<void> {
    const request = parsed(path, prefer, service.database.catalog.current.document);
    if (!isNews(service, `${asking.claims} ${formOf(request, service)}`) || !isCompared(forms++)) return;
    const inline = inlined(request);
    const [row] = await service.sql`
      select (service_private.hoist(${inline}::text::json)).shape, r as body, c.statement
      from service_private.run(${inline}::text::json, ${asking.claims}::text::jsonb) r,
        service.compile(${JSON.stringify(request.shape)}::text::jsonb, service_private.claimed_roles(${asking.claims}::text::jsonb)) c`;
    const { text } = await service.database.catalog.current.statements.find(request.shape, asking.roles);
    t.same(row?.['shape'], request.shape, `service_private.hoist finds the shape of ${path}`);
    t.equal(row?.['body'], body, `service_private.run answers ${path} like the API`);
    t.equal(row?.['statement'], text, `service.compile returns what the gateway runs for ${path}`);
  }
}

/** A shape with types instead of the fields' names: what the three make of one number they make of another. */
function formOf({ shape }: ParsedRead, { database: { catalog: { current: { document } } } }: TestService): string {
  const types = new Map(document.collections.flatMap(({ properties }) => properties.map(({ name, type }) => [name, type])));
  return JSON.stringify(shape).replaceAll(/\w+/g, word => types.get(word) ?? word);
}

/** How many forms this process has met. */
let forms = 0;

/** Comparisons that were made, in one catalog of one service. */
const seen = new WeakMap<TestService['database']['catalog']['current'], Set<string>>();

function isNews({ database: { catalog: { current } } }: TestService, key: string): boolean {
  const keys = seen.get(current) ?? new Set();
  if (keys.has(key)) return false;
  seen.set(current, keys.add(key));
  return true;
}

export function parsed(path: string, prefer = '', names: PathNames = { arrowNames: [], partNames: [] }): ParsedRead {
  const [route = '', query = ''] = path.split(/\?(.*)/s);
  return parseRead(route.split('/').map(decodeURIComponent), query,
    { defaultLimit: 50, maxLimit: 1000, maxIncludeLimit: 10_000, prefer, names });
}

/** The request as a DBA would write it, as JSON text: the shape with its values put back. */
function inlined({ shape, values }: ParsedRead): string {
  const value = (parameter: number) => values[parameter - CALLER_PARAMETERS - 1] ?? '';
  const number = (parameter: number) => rawJson(value(parameter));
  const name = (field: string) =>
    field.replaceAll(/->(?:[$#](\d+)|\.((?:(?!->).)*))/g, (_, parameter, part?: string) => `->>${part ?? value(Number(parameter))}`);
  const condition = ([op, operand, kind]: Condition): unknown[] => {
    if (operand === null) return [op, null];
    if (Array.isArray(operand)) {
      const items = listItems(value(operand[0]));
      return [op, kind === 'decimal' ? items.map(item => isDecimal(item) ? rawJson(item) : item) : items];
    }
    return [op, kind ? number(operand) : value(operand)];
  };
  const group = (node: Group | Leaf): object => 'conditions' in node
    ? { type: node.type, conditions: node.conditions.map(group) }
    : { column: name(node.column), operator: condition(node.condition)[0], value: condition(node.condition)[1] };
  const node = ({ where, logical, include, limit, ...rest }: Include): object => ({
    ...(where
      && { where: Object.fromEntries(Object.entries(where).map(([field, conditions]) => [name(field), conditions.map(condition)])) }),
    ...(logical && { logical: group(logical) }),
    ...(include && { include: mapped(include, child => node(child)) }),
    ...rest,
    ...(limit !== undefined && { limit: number(limit) }),
  });
  const { op, path, limit, offset, after, count, search, vector, ...rest } = shape;
  return JSON.stringify({
    op,
    path: path.map(part => typeof part === 'number' ? value(part) : part),
    ...node(rest),
    ...(limit && { limit: number(limit.param) }),
    ...(offset !== undefined && { offset: number(offset) }),
    ...(after && { after: value(after.param) }),
    ...(count && { count }),
    ...(search && { search: { ...search, param: undefined, text: value(search.param) } }),
    ...(vector && { vector: {
      ...vector, param: undefined, vector: value(vector.param),
      threshold: vector.threshold === undefined ? undefined : number(vector.threshold),
    } }),
  });
}

const rawJson = (text: string) => (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(text);
const isDecimal = (text: string) => /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text) && /[.eE]/.test(text);

/** The items of PostgreSQL array text whose items are all quoted. */
function listItems(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, item = '']) => item.replace(/\\(.)/gs, '$1'));
}

function mapped<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** A query string from its parameters, each percent-encoded. JSON for what is no string. */
export function query(parameters: Record<string, unknown>): string {
  return Object.entries(parameters)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('&');
}

/** Row security for tests: everybody sees every row of these tables. */
export function open(...tables: string[]): string {
  return tables.map(table => `alter table ${table} enable row level security; create policy everybody on ${table} using (true);`)
    .join('\n');
}
