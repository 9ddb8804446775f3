import type postgres from 'postgres';
import { hold } from '../../database/hold.ts';
import type { Lanes } from '../../database/lanes.ts';
import { orUnavailable } from '../../database/refusal.ts';
import { endsSession, isDatabaseError } from '../../database/sqlstate.ts';
import { ENTER, single } from '../../database/statement.ts';
import type { ApiError } from '../../error.ts';
import { nothingHere } from '../../http/dispatch.ts';
import { errorReply } from '../../http/envelope.ts';
import { innerCall } from '../../http/inner-call.ts';
import type { Call, Method, Reply } from '../../http/route.ts';
import { createRouter } from '../../http/router.ts';
import type { Caller } from '../../identity/caller.ts';
import { rateLimitKey } from '../../limits/rate-limit-key.ts';
import type { Lent } from '../context.ts';
import { heldLanes, type Ran } from './held-lanes.ts';
import type { TriedCaller } from './tried-callers.ts';
import { undone, undoneWithin } from './undone.ts';

/** `path`: below the base path, percent-encoded. `body`: JSON. */
export type TriedRequest = { method: Method; path: string; query: string; headers: Record<string, string>; body: string };
/** `text`: JSON, {status, headers, body, statement, plan, why, notes}. */
export type Tried = { status: number; text: string };
/** @throws ApiError 503 SERVICE_UNAVAILABLE. */
export type TryRequest = (request: TriedRequest, tried: TriedCaller, asking: { call: Call; asker: Caller }) => Promise<Tried>;

export type TryOptions = {
  dataRoutes: Lent['dataRoutes'];
  lanes: Lanes;
  basePath: string;
};
type Answer = { reply: Reply; why?: string | undefined };

/** Milliseconds for a plan: to make it runs functions that are said to be stable. */
const PLANNING = 2_000;
/** The part of a write that is done all the same, and the part that is not done by trying it. */
const NOTES = [
  'All of it was rolled back, but for the sequences that have moved. No notification was sent, no job was enqueued, no file was touched.',
];

/** Tries requests of data as another caller, as the API answers them, in a transaction that never commits. */
export function createTry({ dataRoutes, lanes, basePath }: TryOptions): TryRequest {
  return async (request, tried, { call, asker }) => {
    const isRead = request.method === 'GET';
    const [answer, { statement, plan }] = await hold(isRead ? lanes.scan : lanes.write, sql =>
      undone(sql, isRead ? 'read only' : 'read write', async transaction => {
        const ran: Ran[] = [];
        const answer = await undoneWithin(transaction, part => answered(request, tried, call, heldLanes(part, ran)));
        return [answer, await planned(transaction, ran)] as const;
      }), { key: rateLimitKey(call, asker) });
    const { reply: { status = 200, headers = {}, body }, why = null } = answer;
    const head = JSON.stringify({ status, headers, statement, why, notes: isRead ? [] : NOTES });
    return { status, text: `${head.slice(0, -1)},"plan":${plan ?? 'null'},"body":${textOf(body)}}` };
  };

  async function answered(request: TriedRequest, { caller, refusal }: TriedCaller, call: Call, lanes: Lanes): Promise<Answer> {
    const { method, path, query, headers, body } = request;
    const inner = Object.assign(innerCall({ method, path: [], headers, body }, call), { path, query });
    let why: string | undefined;
    try {
      const routes = dataRoutes(() => enter(caller, refusal), { lanes, tell: reason => { why = reason; } });
      const { route, params } = createRouter(routes, '').match(method, path) ?? {};
      if (route === undefined) throw nothingHere(basePath);
      Object.assign(inner.params, params);
      return { reply: await route.handle(inner) };
    } catch (error) {
      return { reply: errorReply(orUnavailable(error), call.requestId), why };
    }
  }
}

function enter(caller: Caller, refusal: ApiError | undefined): Caller {
  if (refusal !== undefined) throw refusal;
  return caller;
}

/** The first statement of a request is the whole of a plain one. */
async function planned(
  transaction: postgres.TransactionSql, [first]: readonly Ran[],
): Promise<{ statement: string | null; plan?: string | undefined }> {
  if (first === undefined) return { statement: null };
  const { text: statement, parameters } = first;
  try {
    const plan = await undoneWithin(transaction, async part => {
      await part.unsafe(`set local statement_timeout = ${PLANNING}`);
      await part.unsafe(ENTER, parameters.slice(0, 5));
      const explain = { text: `explain (settings, format json) ${statement}`, prepare: false, enterFirst: false };
      const [[text] = []] = await single(part, explain, parameters) as Buffer[][];
      return text?.toString();
    });
    return { statement, plan };
  } catch (error) {
    if (!isDatabaseError(error) || endsSession(error)) throw error;
    return { statement };
  }
}

function textOf(body: Reply['body']): string {
  if (body === undefined) return 'null';
  return typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString();
}
