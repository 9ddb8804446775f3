import type { Compiled } from '../../catalog/statements.ts';
import type { Client, Lane } from '../../database/lane.ts';

/**
 * The statement of a read and its plan, run for real: by the caller, in the read-only session and through the gate of any
 * other read. Not prepared, so the plan is the one for these values.
 * @returns JSON: {statement, lane, parameters, plan}. The parameters are the request's own, $1 to $5 the caller's claims.
 */
export async function explanation(
  { text, lane, enterFirst }: Compiled, parameters: string[], client: Client, scan: Lane,
): Promise<string> {
  const explain = { text: `explain (analyze, buffers, settings, format json) ${text}`, prepare: false, enterFirst };
  const [plan] = await scan.run(explain, parameters, client);
  const head = JSON.stringify({ statement: text, lane, parameters });
  return `${head.slice(0, -1)},"plan":${Buffer.from(plan ?? []).toString()}}`;
}
