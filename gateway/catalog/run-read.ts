import type { Compiled } from './statements.ts';
import type { Client, Row } from '../database/lane.ts';
import type { ReadLanes } from '../database/lanes.ts';
import { retryOnConflict } from '../database/retry-on-conflict.ts';

/**
 * Runs a read for a caller: prepared from the second use on, since a shape that is seen once would only fill the server's memory.
 * Given up for the sake of DDL that locks the same tables in another order, it is tried once more.
 */
export function runRead(
  { text, lane, enterFirst, uses }: Compiled, parameters: readonly string[], lanes: ReadLanes, client: Client,
): Promise<Row> {
  return retryOnConflict(() => lanes[lane].run({ text, prepare: uses > 1, enterFirst }, parameters, client));
}
