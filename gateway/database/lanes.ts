import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { PoolShares } from './connections.ts';
import { laneConnection, type LaneLogin } from './lane-login.ts';
import { createLane, type Lane, type LaneOptions } from './lane.ts';
import { watchReplica } from './replica.ts';
import { createSharedLane, type Sharing } from './shared-lane.ts';

/** Rows by their id; lists, searches and aggregates; writes. */
export type Lanes = Record<'point' | 'scan' | 'write', Lane>;
export type ReadLanes = Pick<Lanes, 'point' | 'scan'>;
export type LanesOptions = { shares: PoolShares; connectTimeout: number; idleTimeout: number; onUse?: () => void };

const POINT_DEPTH = 100;
/** Depth for statements that are short by experience. A slow one delays at most these. */
const SHORT_DEPTH = { scan: 32, write: 16 };
/** Milliseconds that a write waits for a lock while others wait behind it. */
const LOCK_PATIENCE = 50;
const SCANS_AT_ONCE = 4;
/** Re-reads at once, and while there are requests: beside a thousand that all change, gets keep 0.8 of their rate so, beside 32 0.57. */
const LIVE = { alone: 32, beside: 4 };
/** Milliseconds since the last request in which there are requests. */
const RECENT = 50;
/** Above the roles' statement_timeout, so that it is the database which gives up first. */
export const DEADLINE = 35_000;
const PREPARED_LIMIT = 1000;

/** Where subscriptions are read again, and how many at once. */
export type LiveLanes = { lanes: ReadLanes; most: () => number };

export function openLanes({ reader, writer }: Record<'reader' | 'writer', LaneLogin>, options: LanesOptions): Lanes {
  return { ...openReadLanes(reader, options), write: openWriteLane(writer, options) };
}

/** On a shared connection a session setting would apply to every caller. */
function openWriteLane(writer: LaneLogin, options: LanesOptions): Lane {
  const impatient = writer.sessions === 'own' && { lockTimeout: LOCK_PATIENCE };
  return createSharedLane(laneOptions('write', writer, options), { ...sharing('write', options), ...impatient });
}

/** With few connections live reads have no lane: they run one at a time in the lane of other reads. */
export function openLiveLanes(
  { reader }: { reader: LaneLogin }, lanes: ReadLanes, options: LanesOptions, usedAt: () => number,
): LiveLanes {
  if (options.shares.live === 0) return { lanes, most: () => 1 };
  const lane = createSharedLane(laneOptions('live', reader, options), { size: 1, depth: LIVE.alone });
  return { lanes: { point: lane, scan: lane }, most: () => performance.now() - usedAt() < RECENT ? LIVE.beside : LIVE.alone };
}

function openReadLanes(reader: LaneLogin, options: LanesOptions): ReadLanes {
  return {
    point: createLane({ ...laneOptions('point', reader, options), depth: POINT_DEPTH }),
    scan: createSharedLane({ ...laneOptions('scan', reader, options), eager: SCANS_AT_ONCE }, sharing('scan', options)),
  };
}

export type ReplicaLanes = {
  lanes: ReadLanes;
  /** Why its lanes read on the primary, while they do. */
  trouble: () => string | undefined;
  close: (deadline: number) => Promise<void>;
};
export type ReplicaLanesOptions = LanesOptions & { owner: postgres.Sql; login: LaneLogin; maxLag: number; primary: ReadLanes };

/**
 * Lanes that read on a replica while it is fit. It has as many connections as reads have at the primary, which opens its own
 * only when they are needed, and one to watch.
 */
export async function openReplicaLanes(options: ReplicaLanesOptions, log: Logger): Promise<ReplicaLanes> {
  const { owner, login, primary } = options;
  const replica = await watchReplica(owner, options, log);
  const { point, scan } = openReadLanes(login, options);
  return {
    lanes: { point: replica.reading(point, primary.point), scan: replica.reading(scan, primary.scan) },
    trouble: () => replica.trouble,
    close: deadline => Promise.all([replica.close(), point.close(deadline), scan.close(deadline)]).then(() => undefined),
  };
}

function laneOptions(
  name: keyof Lanes | 'live', login: LaneLogin, { shares, connectTimeout, idleTimeout, onUse }: LanesOptions,
): LaneOptions {
  return {
    onUse,
    connect: () => laneConnection(login, { connectTimeout, applicationName: `rowgate ${name}` }),
    size: shares[name],
    depth: 1,
    deadline: DEADLINE,
    idleTimeout,
    preparedLimit: PREPARED_LIMIT,
  };
}

/** Two connections, since a slow statement may hold one up. */
function sharing(lane: 'scan' | 'write', { shares }: LanesOptions): Sharing {
  return { size: Math.min(2, Math.floor(shares[lane] / 2)), depth: SHORT_DEPTH[lane] };
}
