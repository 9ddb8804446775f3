import { BootError } from '../error.ts';

/** The consumers of a process's connections. */
export type Consumer = 'owner' | 'point' | 'write' | 'scan' | 'compiler' | 'accounts' | 'jobs' | 'live' | 'service';
export type PoolShares = Record<Consumer, number>;

/** `at`: a process that has so many connections gives the consumer `gets` of them. */
type Step = { at: number; gets: number };
export type Row = { consumer: Exclude<Consumer, 'service'>; use: string; steps: readonly Step[]; without?: string };

/**
 * Connections of a process, LISTEN apart. Lists and writes get what is left: two fifths for writes, at least one each. Two pipelined
 * connections carry 21,500 reads of rows by their id a second, eight 12,000, so that more of them would be wasted.
 */
export const CONNECTIONS: readonly Row[] = [
  { consumer: 'owner', use: 'the catalog, provisioning', steps: [{ at: 4, gets: 1 }] },
  { consumer: 'point', use: 'rows by their id, pipelined', steps: [{ at: 4, gets: 1 }, { at: 7, gets: 2 }] },
  {
    consumer: 'compiler', use: 'statements of new shapes', steps: [{ at: 5, gets: 1 }, { at: 7, gets: 2 }],
    without: 'takes turns on that of the owner',
  },
  { consumer: 'accounts', use: 'sign-ins, tokens, API keys', steps: [{ at: 10, gets: 1 }], without: 'takes turns on that of the owner' },
  { consumer: 'jobs', use: 'work after the commit', steps: [{ at: 12, gets: 1 }], without: 'takes turns on that of the owner' },
  {
    consumer: 'live', use: 'subscriptions that are read again', steps: [{ at: 14, gets: 2 }],
    without: 'reads one at a time among the others',
  },
];

/** Share of the remaining connections. */
const WRITES = 0.4;
/** One each for the owner, rows, lists and writes. */
const LEAST = 4;

/** Share of the connections beyond LEAST that SQL functions called as the service may have. */
const SERVICE = 0.5;

/**
 * @param calls how many SQL functions the service would call at once, each on a connection of its own
 * @throws BootError for fewer connections than LEAST and LISTEN need, and one of those
 */
export function poolShares(poolMax: number, listening: number, calls = 0): PoolShares {
  const service = Math.min(calls, Math.max(1, Math.floor((poolMax - listening - LEAST) * SERVICE)));
  const all = poolMax - listening - service;
  if (all < LEAST) {
    throw new BootError(`DB_POOL_MAX must be ${LEAST + 1 + service} or more: the owner, LISTEN, and the lanes for rows, lists and writes `
      + `need a connection each${service > 0 ? ', and so do functions of jobs and schedules' : ''}.`);
  }
  const shares = Object.fromEntries(CONNECTIONS.map(({ consumer, steps }) =>
    [consumer, steps.findLast(({ at }) => all >= at)?.gets ?? 0])) as Omit<PoolShares, 'write' | 'scan' | 'service'>;
  const rest = all - Object.values(shares).reduce((sum, n) => sum + n, 0);
  const write = Math.max(1, Math.floor(rest * WRITES));
  return { ...shares, write, scan: rest - write, service };
}
