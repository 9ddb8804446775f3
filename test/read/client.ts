import { type Test } from 'tap';
import { parseRequest } from '../../gateway/grammar/request.ts';
import type { Condition, Group, Include, Leaf, Parsed } from '../../gateway/grammar/shape.ts';
import { createService, type Answer, type ServiceOptions, type TestService } from '../harness/service.ts';

export type Client = TestService & {
  /** GET below /data with the service key; for an answer of 200 also compared with what SQL alone answers. */
  get: (path: string) => Promise<any>;
  /** The refusal of a GET: status and code, then details. */
  refused: (path: string) => Promise<{ status: number; code: string; details: any }>;
  read: (path: string) => Promise<Answer>;
};

/** A service to read from. Every answer it gives to `get` must be the one that service.list, get or count gives in psql. */
export async function reader(t: Pick<Test, 'teardown' | 'equal' | 'same'>, options: ServiceOptions = {}): Promise<Client> {
  const service = await createService(t, options);
  const read = (path: string) => service.request(`/data/${path}`);
  return { ...service, read, get, refused };

  async function get(path: string): Promise<any> {
    const answer = await read(path);
    t.equal(answer.status, 200, `GET ${path}: ${answer.text.slice(0, 300)}`);
    await sameInSql(path, answer);
    return answer.body;
  }

  async function refused(path: string) {
    const { status, body } = await read(path);
    return { status, code: body?.error?.code, details: body?.error?.details };
  }

  async function sameInSql(path: string, answer: Answer): Promise<void> {
    const request = parsed(path);
    const inline = JSON.stringify(inlined(request));
    const [row] = await service.sql`select (service.hoist(${inline}::text::json)).shape, r as body
      from service.run(${inline}::text::json, service.service_claims()) r`;
    t.equal(row?.['body'], answer.text, `service.run answers ${path} like the API`);
    t.same(row?.['shape'], request.shape, `service.hoist finds the shape of ${path}`);
  }
}

export function parsed(path: string): Parsed {
  const [route = '', query = ''] = path.split(/\?(.*)/s);
  return parseRequest(route.split('/').map(decodeURIComponent), query, { defaultLimit: 50, maxLimit: 1000 });
}

/** The request as a DBA would write it: the shape with its values put back. */
function inlined({ shape, values }: Parsed): object {
  const value = (parameter: number) => values[parameter - 2] ?? '';
  const condition = ([op, operand, kind]: Condition): unknown[] => {
    if (operand === null) return [op, null];
    if (Array.isArray(operand)) return [op, listItems(value(operand[0]))];
    return [op, kind === 'number' ? Number(value(operand)) : value(operand)];
  };
  const group = (node: Group | Leaf): object => 'conditions' in node
    ? { type: node.type, conditions: node.conditions.map(group) }
    : { column: node.column, operator: condition(node.condition)[0], value: condition(node.condition)[1] };
  const node = ({ where, logical, include, limit, ...rest }: Include): object => ({
    ...(where && { where: mapped(where, conditions => conditions.map(condition)) }),
    ...(logical && { logical: group(logical) }),
    ...(include && { include: mapped(include, child => node(child)) }),
    ...rest,
    ...(limit !== undefined && { limit: Number(value(limit)) }),
  });
  const { op, path, limit, offset, after, count, ...rest } = shape;
  return {
    op,
    path: path.map(part => typeof part === 'number' ? value(part) : part),
    ...node(rest),
    ...(limit && { limit: Number(value(limit.param)) }),
    ...(offset !== undefined && { offset: Number(value(offset)) }),
    ...(after && { after: value(after.param) }),
    ...(count && { count }),
  };
}

/** The items of PostgreSQL array text whose items are all quoted. */
function listItems(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, item = '']) => item.replace(/\\(.)/gs, '$1'));
}

function mapped<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
