import type { Compiled } from './compiled.ts';
import { createCoalescer, type Claims, type Coalescer, type Coalescable } from './coalescer.ts';
import type { Client, Row } from '../database/lane.ts';
import { DEADLINE, type ReadLanes } from '../database/lanes.ts';
import { retryOnConflict } from '../database/retry-on-conflict.ts';
import type { Figure } from '../metrics/families.ts';

/** How many of the reads that may be coalesced were, in all these places. */
export function coalescingFigures(places: readonly Reads[]): Figure[] {
  const counts = [...new Set(places)].flatMap(({ coalescer }) => coalescer?.counts ?? []);
  const sum = (of: 'alone' | 'coalesced' | 'statements') => counts.reduce((all, one) => all + one[of], 0);
  return [
    { name: 'service_reads_total', labels: { sent: 'alone' }, value: sum('alone') },
    { name: 'service_reads_total', labels: { sent: 'together' }, value: sum('coalesced') },
    { name: 'service_coalesced_statements_total', value: sum('statements') },
  ];
}

/** Where reads run: lanes, and what coalesces them, unless that is switched off. */
export type Reads = ReadLanes & { coalescer?: Coalescer };

/** Where reads go that ask for the primary, and by themselves. */
export type ReadsOfBoth = Record<'primary' | 'usual', Reads>;

/** SERVICE_COALESCE; `always` for tests. */
export type Coalesce = 'on' | 'off' | 'always';

export function readsIn({ point, scan }: ReadLanes, coalesce: Coalesce): Reads {
  if (coalesce === 'off') return { point, scan };
  return { point, scan, coalescer: createCoalescer({ point, scan }, { deadline: DEADLINE, always: coalesce === 'always' }) };
}

/** `reads`: those lanes, or a replica's. */
export function readsInBoth({ lanes, reads }: { lanes: ReadLanes; reads: ReadLanes }, coalesce: Coalesce): ReadsOfBoth {
  const primary = readsIn(lanes, coalesce);
  return { primary, usual: reads === lanes ? primary : readsIn(reads, coalesce) };
}

/**
 * Runs a read for a caller: prepared from the second use on, since a shape that is seen once would only fill the server's memory.
 * Given up for the sake of DDL that locks the same tables in another order, it is tried once more.
 */
export function runRead(compiled: Compiled, claims: Claims, values: readonly string[], reads: Reads, client: Client): Promise<Row> {
  const { text, lane, enterFirst, uses } = compiled;
  return retryOnConflict(() => reads.coalescer !== undefined && isCoalescable(compiled)
    ? reads.coalescer.run(compiled, claims, values, client)
    : reads[lane].run({ text, prepare: uses > 1, enterFirst }, [...claims, ...values], client));
}

function isCoalescable(compiled: Compiled): compiled is Coalescable {
  return compiled.coalescing !== undefined;
}
