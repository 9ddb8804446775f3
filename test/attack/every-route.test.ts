// Each row of the table that requests are routed by: a new route is attacked by being added to it.
import { test } from 'tap';
import type { Route } from '../../gateway/http/route.ts';
import { documented, isAbout } from '../docs/codes.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { SQL, STACK } from './inside.ts';
import { oddRequest, type OddRequest } from './odd-requests.ts';
import { BASE, callers, MODES, send, serveWhole, type RawAnswer, type Whole } from './whole-service.ts';

/** Answered without the envelope (docs/errors.md): by status alone, to scrapers, and by the HTTP parser. */
const HEALTH = /^(?:\/api)?\/health(?:\?|$)/;
const METRICS = /^\/metrics(?:\/history)?(?:\?|$)/;
/** Pages for people, errors of RFC 6749 and of JSON-RPC, but for what the HTTP layer refuses. */
const OAUTH = /^\/(?:api\/oauth\/|mcp(?:\?|$))/;
const PARSER = '<h1>Bad Request</h1>';
const CODES = documented();

/** The fault of an answer; undefined for none. */
function faultOf({ method, path }: OddRequest, { status, headers, text }: RawAnswer): string | undefined {
  if (status === 500 || status < 200) return `is ${status}`;
  const isRead = method !== 'HEAD' && headers['content-encoding'] === undefined && !HEALTH.test(path);
  if (status < 400) return isRead && isBroken(path, headers, text) ? 'is no JSON' : undefined;
  if (STACK.test(text)) return 'has a stack';
  if (SQL.test(text)) return 'has SQL';
  if (METRICS.test(path) && status === 401) return isRead && text !== 'Unauthorized' ? 'is not plain' : undefined;
  if (OAUTH.test(path) && isOAuthAnswer(headers, text)) return undefined;
  return isRead && text !== PARSER ? envelopeFault(status, headers, text) : undefined;
}

function isBroken(path: string, headers: RawAnswer['headers'], text: string): boolean {
  const isJson = headers['content-type']?.includes('json') === true && !path.includes('/storage/file');
  return isJson && parsed(text) === undefined;
}

function envelopeFault(status: number, headers: RawAnswer['headers'], text: string): string | undefined {
  const { code, message, requestId } = (parsed(text) as { error?: Record<string, unknown> } | undefined)?.error ?? {};
  if (typeof code !== 'string' || typeof message !== 'string' || requestId !== headers['x-request-id']) return 'has no envelope';
  return CODES.some(entry => isAbout(entry, code) && entry.statuses.includes(status)) ? undefined : 'has an undocumented code';
}

function isOAuthAnswer(headers: RawAnswer['headers'], text: string): boolean {
  if (String(headers['content-type']).startsWith('text/html')) return text.startsWith('<!doctype html>');
  const { error, error_description: description, jsonrpc } = (parsed(text) ?? {}) as Record<string, unknown>;
  if (jsonrpc === '2.0') return Number.isInteger((error as { code?: unknown } | undefined)?.code);
  return typeof error === 'string' && typeof description === 'string';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function shown({ method, path, headers, body }: OddRequest, answer: RawAnswer | Error): string {
  const sent = `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 400)} ${body?.toString('latin1').slice(0, 400) ?? ''}`;
  return `${sent} → ${answer instanceof Error ? answer.message : `${answer.status} ${answer.text.slice(0, 400)}`}`;
}

/** The required names of each route, from the answer to an empty body: a body without them is rejected for that alone. */
async function requiredNames({ address, routes }: Whole): Promise<Map<Route, string[]>> {
  const headers = { 'authorization': `Bearer ${SERVICE_KEY}`, 'content-type': 'application/json' };
  const found = new Map<Route, string[]>();
  for (const [n, route] of routes.entries()) {
    if (route.method === 'GET' || route.method === 'ANY') continue;
    const sent = { method: route.method, path: BASE + route.path, body: Buffer.from('{}') };
    const answer = await send(address, { ...sent, headers: { ...headers, 'x-forwarded-for': `10.1.${n >> 8}.${n & 255}` } });
    found.set(route, [...answer.text.matchAll(/(\w+): is required/g)].map(([, name = '']) => name));
  }
  return found;
}

const MCP = ['jsonrpc', 'id', 'method', 'params'];

const AT_ONCE = 6;
/** A run ends with so many. */
const MOST_FAULTS = 10;

for (const mode of Object.keys(MODES) as (keyof typeof MODES)[]) {
  test(`no request to any route is a 500, shows SQL or a stack, or lacks the envelope: ${mode}`, async t => {
    console.log(`# RANDOM_SEED=${seed}`);
    const service = await serveWhole(t, mode);
    const asking = { basePath: BASE, ...await callers(service) };
    const required = await requiredNames(service);
    const keys = asking.credentials.filter(credential => credential.startsWith('Bearer rk_live_'));
    const ofRoute = (route: Route) => route.path === '/mcp'
      ? { ...asking, credentials: [...asking.credentials.slice(-8), ...keys, ...keys], required: MCP }
      : { ...asking, required: required.get(route) ?? [] };
    t.ok(service.routes.length > 60, `${service.routes.length} routes`);
    const cases = service.routes.flatMap((route, row) =>
      Array.from({ length: runs(300) }, (_, n) => ({ route, start: seed + row * 10_007 + n })));
    const faults: string[] = [];
    let next = 0;
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      for (let own = cases[next++]; own !== undefined && faults.length < MOST_FAULTS; own = cases[next++]) {
        const request = oddRequest(generator(own.start), own.route, ofRoute(own.route));
        const answer = await send(service.address, request).catch((error: unknown) => error as Error);
        const fault = answer instanceof Error ? 'has no answer' : faultOf(request, answer);
        if (fault !== undefined) faults.push(`${own.route.method} ${own.route.path} ${fault}: ${shown(request, answer)}`);
      }
    }));
    t.same(faults, []);
    t.same(service.failures, [], 'the log has no error');
    t.equal((await send(service.address, { method: 'GET', path: '/health', headers: {}, body: undefined })).status, 200);
  });
}
