import type { Row, Statement } from '../../database/lane.ts';
import { isDatabaseError, type DatabaseError } from '../../database/sqlstate.ts';
import { UNPLANNED_WRITE, type CompiledWrite } from '../../catalog/statements.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { requireCollections } from './path.ts';
import type { DataOptions } from './routes.ts';
import { parseWrite, requestText, shapeOf, type Write } from './write-request.ts';
import { writeRefusal } from './write-refusal.ts';

/** A write, once through: caller, body, checks and SQL in the database, the row as this caller reads it. */
export async function write(call: Call, options: DataOptions): Promise<Reply> {
  requireCollections(options.database);
  const caller = await options.caller(call);
  const request = parseWrite(call);
  const text = requestText(call.body, request);
  try {
    return reply(call, request, await run(request, text, caller, options));
  } catch (error) {
    throw await writeRefusal(error, request, text, options);
  }
}

/** Errors of the fast path that service.write may avoid or explain better: a plan that no longer fits (0A), values (22), collisions (40), rights and names (42). */
const JUDGED_AGAIN = /^(0A|22|40|42)/;

/**
 * A plain write takes the fast path, or leaves nothing there and goes to service.write, which does it or says what is wrong. A write
 * that the database gave up for another's sake is tried once more.
 */
async function run(request: Write, text: string, caller: Caller, { database }: DataOptions): Promise<Row> {
  const found = await find(request, caller, database);
  const prepare = found !== undefined && found.uses > 1; // from the second use on
  const parameters = [caller.claims, text];
  const { write: lane } = database.lanes;
  let isSecond = false;
  if (found?.fastPath) {
    try {
      const done = await lane.run({ text: found.fastPath, prepare, enterFirst: false }, [...parameters, ...request.path.slice(1)]);
      if (done.length > 0) return done;
    } catch (error) {
      if (!isDatabaseError(error) || !JUDGED_AGAIN.test(error.code)) throw error;
      isSecond = collided(error);
    }
  }
  const statement = found === undefined ? UNPLANNED : { text: prepare ? found.kept : found.once, prepare, enterFirst: false };
  try {
    return await lane.run(statement, parameters);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    if (collided(error) && !isSecond) return lane.run(statement, parameters);
    // Somebody took from the session what it kept (deallocate all): the service's own search for a plan needs nothing kept.
    if (error.code === '26000') return lane.run(UNPLANNED, parameters);
    throw error;
  }
}

const UNPLANNED: Statement = { text: UNPLANNED_WRITE, prepare: true, enterFirst: false };

function collided({ code }: DatabaseError): boolean {
  return /^40(001|P01)$/.test(code);
}

/** A shape that is refused has no plan: service.write says why, in the order in which it looks. */
async function find(request: Write, caller: Caller, { catalog }: DataOptions['database']): Promise<CompiledWrite | undefined> {
  try {
    return await catalog.current.statements.findWrite(shapeOf(request), caller.roles);
  } catch (error) {
    if (!isDatabaseError(error) || !error.code.startsWith('GW')) throw error;
    return undefined;
  }
}

function reply(call: Call, { operation, minimal }: Write, [body]: Row): Reply {
  const headers = { ...(call.method === 'PUT' && { Deprecation: 'true' }), ...(minimal && { 'Preference-Applied': 'return=minimal' }) };
  if (operation === 'delete' || minimal || !body) return { status: 204, headers };
  return { status: operation === 'create' ? 201 : 200, headers, body };
}

