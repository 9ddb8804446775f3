import type { Row, Statement } from '../database/lane.ts';
import { isDatabaseError } from '../database/sqlstate.ts';
import { UNPLANNED_WRITE } from '../database/statements.ts';
import type { Call, Reply } from '../http/route.ts';
import type { Caller } from '../identity/caller.ts';
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

async function run(request: Write, text: string, caller: Caller, { database }: DataOptions): Promise<Row> {
  const statement = await find(request, caller, database);
  const parameters = [caller.claims, text];
  try {
    return await database.lanes.write.run(statement, parameters);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    // The database gave this one up for another's sake and rolled it back: once more, then the caller decides.
    if (/^40(001|P01)$/.test(error.code)) return database.lanes.write.run(statement, parameters);
    // Somebody took from the session what it kept (deallocate all): the service's own search for a plan needs nothing kept.
    if (error.code === '26000') return database.lanes.write.run({ text: UNPLANNED_WRITE, prepare: true, enterFirst: false }, parameters);
    throw error;
  }
}

/** Prepared from the second use on. A shape that is refused has no plan: service.write says why, in the order in which it looks. */
async function find(request: Write, caller: Caller, { catalog }: DataOptions['database']): Promise<Statement> {
  try {
    const { once, kept, uses } = await catalog.current.statements.findWrite(shapeOf(request), caller.roles);
    return { text: uses > 1 ? kept : once, prepare: uses > 1, enterFirst: false };
  } catch (error) {
    if (!isDatabaseError(error) || !error.code.startsWith('GW')) throw error;
    return { text: UNPLANNED_WRITE, prepare: true, enterFirst: false };
  }
}

function reply(call: Call, { operation, minimal }: Write, [body]: Row): Reply {
  const headers = { ...(call.method === 'PUT' && { Deprecation: 'true' }), ...(minimal && { 'Preference-Applied': 'return=minimal' }) };
  if (operation === 'delete' || minimal || !body) return { status: 204, headers };
  return { status: operation === 'create' ? 201 : 200, headers, body };
}

