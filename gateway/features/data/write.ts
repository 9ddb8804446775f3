import { requireCollections } from '../../catalog/require-collections.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { reachedBy } from '../../catalog/document.ts';
import { UNPLANNED_WRITE, type CompiledWrite, type Statements } from '../../catalog/statements.ts';
import { retryOnStaleCatalog } from '../../catalog/retry-on-stale-catalog.ts';
import type { Client, Lane, Row, Statement } from '../../database/lane.ts';
import { backOff, retryOnConflict } from '../../database/retry-on-conflict.ts';
import { isCollision, isRetriedBySteps, isOfOneRow, raisedStatus } from '../../database/sqlstate.ts';
import { readBody } from '../../grammar/write/body.ts';
import { parseWrite } from '../../grammar/write/request.ts';
import type { ParsedWrite } from '../../grammar/write/shape.ts';
import { parseTarget } from '../../grammar/write/target.ts';
import type { Call, Reply } from '../../http/route.ts';
import { newWork } from '../../http/work.ts';
import type { Caller } from '../../identity/caller.ts';
import { announceAccounts } from './announce-accounts.ts';
import { rateLimitKey } from '../../limits/rate-limit-key.ts';
import { requireWriting } from '../../catalog/key-scopes.ts';
import { explained } from './explained.ts';
import type { DataOptions } from './options.ts';
import { segments } from './path.ts';
import { withSuggestion } from '../../catalog/unknown-name.ts';
import { writeRefusal } from './write-refusal.ts';

/** A write, once through: caller, request, checks and SQL in the database, the row as this caller reads it. */
export async function write(call: Call, options: DataOptions): Promise<Reply> {
  requireCollections(options.catalog.current.document);
  const caller = await options.caller(call);
  await options.counted(call, caller);
  const request = await requestOf(call, options);
  const work = call.work = newWork();
  work.shape = request.shape;
  const client = { key: rateLimitKey(call, caller), spent: work };
  try {
    requireWriting(caller, request, options.catalog.current.document);
    const row = await retryOnStaleCatalog(options.catalog, async current => {
      await refuseManyNames(request, caller, client, current);
      return run(request, caller, client, current, options.lanes.write);
    });
    work.found = row[0];
    await announceAccounts(request, options);
    return reply(call, request, row);
  } catch (error) {
    const asked = { slug: request.shape.collection, roles: caller.roles, document: options.catalog.current.document };
    throw await explained(withSuggestion(await writeRefusal(error, request, options), asked), request, call, caller, options);
  }
}

async function requestOf(call: Call, { limits, catalog }: DataOptions): Promise<ParsedWrite> {
  const target = parseTarget(call.method, segments(call));
  const isBodiless = target.op === 'delete' && target.of === 'row';
  const body = isBodiless ? undefined : await readBody(call.jsonBytes(), target.of);
  const headers = { prefer: call.header('prefer'), idempotencyKey: call.header('idempotency-key'), ifMatch: call.header('if-match') };
  const request = parseWrite(target, call.query, headers, body, limits);
  const { shape } = request;
  if (shape.path === undefined) return request;
  return { ...request, shape: { ...shape, collection: reachedBy(catalog.current.document, shape.path) } };
}

/** How many unknown names are checked, and named in the error. */
const TOLD_NAMES = 20;

/**
 * A body with more names than the collection has fields is checked by a few unknown ones: to refuse them all takes the database seconds.
 */
async function refuseManyNames(
  { shape }: ParsedWrite, { roles }: Caller, { key }: Client, { document, statements }: Catalog,
): Promise<void> {
  const collection = document.collections.find(({ slug }) => slug === shape.collection);
  if (shape.body === undefined || shape.body.length <= (collection?.bodyNames ?? 0)) return;
  const known = new Set([...collection?.properties ?? [], ...collection?.relations ?? []].map(({ name }) => name));
  const unknown = shape.body.filter(name => !known.has(name));
  await statements.findWrite({ ...shape, body: unknown.slice(0, TOLD_NAMES) }, roles, key);
}

/**
 * Plain writes take the fast path, or leave nothing there and go to service_private.write, which does them or says what is wrong. A write
 * that the database gave up for another's sake is tried once more.
 */
async function run(
  request: ParsedWrite, caller: Caller, client: Client, { statements }: Catalog, lane: Lane,
): Promise<Row> {
  const { shape, path, text } = request;
  const found = await planOf(request, caller, client, statements);
  const prepare = found !== undefined && found.uses > 1; // from the second use on
  const parameters = [...caller.claims, text];
  const id = path.slice(shape.path?.length ?? 1); // none of a create
  let isSecond = false;
  if (found?.fastPath) {
    try {
      const done = await lane.run({ text: found.fastPath, prepare, enterFirst: false }, [...parameters, ...id], client);
      if (done.length > 0) return done;
    } catch (error) {
      if (!isRetriedBySteps(error) && !(request.of === 'rows' && isOfOneRow(error))) throw error;
      isSecond = isCollision(error);
      if (isSecond) await backOff();
    }
  }
  const isPlanned = found !== undefined && request.of === 'row'; // of many, row by row, each has a plan of its own
  const chosen = isPlanned ? { text: found.text, prepare, enterFirst: false } : UNPLANNED;
  const more = isPlanned ? (found.raw ? [text] : []) : [text, await plansOf(request, caller, client, statements)];
  const whole = [...parameters, ...more];
  const statement = request.shape.key ? { ...chosen, text: replayable(chosen.text) } : chosen;
  const attempt = () => lane.run(statement, whole, client);
  return isSecond ? attempt() : retryOnConflict(attempt);
}

/** Adds to the answer whether it is a repeated one. The expressions in FROM have run by then. */
function replayable(text: string): string {
  return `select w.body, current_setting('rowgate.replayed', true) from (${text} offset 0) w`;
}

const UNPLANNED: Statement = { text: UNPLANNED_WRITE, prepare: true, enterFirst: false };

/** A shape that is refused has no plan, nor has a batch: service_private.write says why, in the order in which it looks. */
async function planOf(
  { shape, of }: ParsedWrite, { roles }: Caller, { key }: Client, { findWrite }: Statements,
): Promise<CompiledWrite | undefined> {
  return of !== 'row' && shape.bulk === undefined ? undefined : planned(() => findWrite(shape, roles, key));
}

async function planned(find: () => CompiledWrite | Promise<CompiledWrite>): Promise<CompiledWrite | undefined> {
  try {
    return await find();
  } catch (error) {
    if (raisedStatus(error) === undefined) throw error;
    return undefined;
  }
}

/**
 * The plans of a batch's operations, for service_private.write_many, which makes those that are missing. They are made one after another,
 * so that a caller waits for its own; behind one that is refused none is needed.
 */
async function plansOf({ operations }: ParsedWrite, { roles }: Caller, { key }: Client, { findWrite }: Statements): Promise<string> {
  const plans: string[] = [];
  for (const shape of operations ?? []) {
    const found = await planned(() => findWrite(shape, roles, key));
    if (found === undefined) break;
    plans.push(`[${JSON.stringify(shape)},${found.plan}]`);
  }
  return plans.length === 0 ? '' : `[${plans.join()}]`;
}

function reply({ method }: Call, { shape, of }: ParsedWrite, [body, replayed]: Row): Reply {
  const isMinimal = shape.return === 'minimal';
  const headers = {
    ...(method === 'PUT' && { Deprecation: 'true' }),
    ...(isMinimal && { 'Preference-Applied': 'return=minimal' }),
    ...(replayed && replayed.length > 0 && { 'Idempotency-Replayed': 'true' }),
  };
  if (of !== 'row' && body) return { status: 200, headers, body };
  if (shape.op === 'delete' || isMinimal || !body) return { status: 204, headers };
  return { status: shape.op === 'create' ? 201 : 200, headers, body };
}
