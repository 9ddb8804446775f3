import { isDatabaseError, isUnreadableInput } from '../../../database/sqlstate.ts';
import type { ReadShape } from '../../../grammar/read/shape.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { Context } from '../../context.ts';
import type { Violation } from './refusal.ts';

type Reading = { field: string; message: string; statement: string };

/** Finds the arguments that the types of a function cannot read, after a call has failed: each is read by itself. */
export function createArgumentReader({ accounts, lanes }: Pick<Context['database'], 'accounts' | 'lanes'>) {
  return async ({ path, call }: ReadShape, { claims }: Caller, body: string, key: string): Promise<Violation[]> => {
    const readings = await accounts(key, sql => sql<Reading[]>`
      select * from service_private.argument_statements(${JSON.stringify({ path, call })}::text::jsonb)`);
    const violations: Violation[] = [];
    for (const { field, message, statement: text } of readings) {
      try {
        await lanes.scan.run({ text, prepare: false, enterFirst: false }, [...claims, body]);
      } catch (error) {
        if (!isDatabaseError(error) || !isUnreadableInput(error)) throw error;
        violations.push({ field, code: 'type', message });
      }
    }
    return violations;
  };
}
