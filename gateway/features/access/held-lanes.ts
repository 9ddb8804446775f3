import type postgres from 'postgres';
import type { Lane, Row, Statement } from '../../database/lane.ts';
import type { LaneCounts } from '../../database/lane-counts.ts';
import type { Lanes } from '../../database/lanes.ts';
import { ENTER, single, withoutHoles, withRun } from '../../database/statement.ts';
import { inSavepoint } from '../../database/transaction.ts';

/** A statement that was run. */
export type Ran = { text: string; parameters: readonly string[] };

/** The lane that lends the connection counts for it. */
const NONE: LaneCounts = { statements: 0, waited: 0, waiting: 0, connections: 0, limit: 0 };

/**
 * Lanes whose statements run in one transaction. Each is undone by itself when it fails, as it is in a transaction of its own, whose commit
 * would also check the constraints that wait for it: they are checked where a write has done its work.
 */
export function heldLanes(transaction: postgres.TransactionSql, ran: Ran[]): Lanes {
  const [reads, write] = [laneOf(false), laneOf(true)];
  return { point: reads, scan: reads, write };

  function laneOf(writes: boolean): Lane {
    return { ...withRun(rows), counts: () => NONE, close: () => Promise.resolve() };

    function rows(statement: Statement, parameters: readonly string[]): Promise<readonly Row[]> {
      ran.push({ text: statement.text, parameters });
      return inSavepoint(transaction, async part => {
        if (statement.enterFirst) await part.unsafe(ENTER, parameters.slice(0, 5));
        const found = withoutHoles(await single(part, { ...statement, prepare: false }, parameters));
        if (writes && found.length > 0) await part.unsafe('set constraints all immediate');
        return found;
      });
    }
  }
}
