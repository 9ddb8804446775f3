import type { Logger } from 'pino';
import type postgres from 'postgres';
import { withDeadline } from './with-deadline.ts';
import { laneConnection, type LaneLogin } from './lane-login.ts';
import type { Lane } from './lane.ts';
import { isDatabaseError, isOfReplica } from './sqlstate.ts';
import { withRun } from './statement.ts';

export type ReplicaOptions = {
  /** The readers' login, at the replica. */
  login: LaneLogin;
  connectTimeout: number;
  /** Milliseconds that it may be behind the primary. */
  maxLag: number;
};

export type Replica = {
  /** Why reads go to the primary at the moment; undefined while they go to the replica. */
  readonly trouble: string | undefined;
  /** Reads on the replica while it is fit; else, and when it fails one, on the primary. Closing it closes the replica's lane alone. */
  reading: (replica: Lane, primary: Lane) => Lane;
  close: () => Promise<void>;
};

/** How often it is looked at, and how long it may take to answer, in milliseconds. */
const INTERVAL = 1_000;
const PATIENCE = 5_000;
const NOT_LOOKED_AT = 'it has not been looked at yet';

/** A write position of the primary at a moment. A replica that has not replayed it now is behind. */
type Position = { at: number; lsn: bigint };
type Primary = { lsn: bigint; started: string };
type Standing = { recovers: boolean; replayed: string | null; started: string; role: string; readOnly: string };

/**
 * Watches a streaming replica and decides where reads go. The replica is fit while it answers, is restricted as the primary's logins are,
 * and has replayed what the primary had written so many milliseconds ago. While the primary cannot be asked, the lag is unknown and the
 * replica stays in use.
 */
export async function watchReplica(owner: postgres.Sql, { login, connectTimeout, maxLag }: ReplicaOptions, log: Logger): Promise<Replica> {
  const positions: Position[] = [];
  let trouble: string | undefined = NOT_LOOKED_AT;
  let sql = connect();
  let upToDateAt = Date.now();
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  await look();
  plan();

  return { get trouble() { return trouble; }, reading, close };

  function connect(): postgres.Sql {
    return laneConnection(login, { connectTimeout, applicationName: 'rowgate replica' });
  }

  function plan(): void {
    timer = setTimeout(() => void look().finally(() => { if (!isOver) plan(); }), INTERVAL).unref();
  }

  async function look(): Promise<void> {
    const at = Date.now();
    const [primary, standing] = await Promise.all([
      withDeadline(positionOf(owner), PATIENCE).catch(() => undefined),
      withDeadline(standingOf(sql), PATIENCE).catch((error: unknown) => error as Error),
    ]);
    if (standing instanceof Error) {
      void sql.end({ timeout: 0 });
      sql = connect();
      return decide(`it does not answer (${standing.message})`);
    }
    decide(unfit(standing, primary) ?? behind(standing, primary, at));
  }

  function behind({ replayed }: Standing, primary: Primary | undefined, at: number): string | undefined {
    if (replayed === null || primary === undefined) return undefined;
    positions.push({ at, lsn: primary.lsn });
    if (positions.length > 1_000) positions.shift();
    const reached = lsnOf(replayed);
    for (let first = positions[0]; first !== undefined && first.lsn <= reached; first = positions[0]) {
      upToDateAt = first.at;
      positions.shift();
    }
    return Date.now() - upToDateAt > maxLag + INTERVAL ? `it is ${Date.now() - upToDateAt} ms behind` : undefined;
  }

  function decide(found: string | undefined): void {
    if (isOver) return;
    if (found !== undefined && (trouble === undefined || trouble === NOT_LOOKED_AT)) {
      log.warn(`Reads go to the primary: the replica of DATABASE_READ_URL is not fit, ${found}.`);
    }
    if (found === undefined && trouble !== undefined) log.info('Reads go to the replica.');
    trouble = found;
  }

  function reading(replica: Lane, primary: Lane): Lane {
    return {
      ...withRun(async (statement, parameters, client) => {
        if (trouble !== undefined) return primary.rows(statement, parameters, client);
        try {
          return await replica.rows(statement, parameters, client);
        } catch (error) {
          if (!isOfReplica(error)) throw error;
          if (!isDatabaseError(error)) decide(`a connection to it failed (${(error as Error).message})`);
          return primary.rows(statement, parameters, client);
        }
      }),
      counts: replica.counts,
      close: deadline => replica.close(deadline),
    };
  }

  async function close(): Promise<void> {
    isOver = true;
    clearTimeout(timer);
    await sql.end({ timeout: 1 });
  }
}

/**
 * A server that is not in recovery is a promoted replica with a history of its own; unless it is the primary itself, as the readers'
 * address of a managed cluster may be.
 */
function unfit({ recovers, started, role, readOnly }: Standing, primary: Primary | undefined): string | undefined {
  const isRestricted = role === 'service_user' && readOnly === 'on';
  if (!isRestricted) return `its login runs as ${role} (read-only ${readOnly}), not as service_user, read-only`;
  if (!recovers && started !== primary?.started) return 'it is a server of its own, not a replica';
  return undefined;
}

async function positionOf(owner: postgres.Sql): Promise<Primary> {
  const [row] = await owner<{ lsn: string; started: string }[]>`
    select pg_current_wal_lsn()::text as lsn, extract(epoch from pg_postmaster_start_time())::text as started`;
  if (row === undefined) throw new Error('no answer');
  return { lsn: lsnOf(row.lsn), started: row.started };
}

async function standingOf(sql: postgres.Sql): Promise<Standing> {
  const [row] = await sql<(Omit<Standing, 'recovers'> & { recovers: string })[]>`
    select r.recovers::text, case when r.recovers then pg_last_wal_replay_lsn() end::text as replayed,
      extract(epoch from pg_postmaster_start_time())::text as started,
      current_user::text as role, current_setting('default_transaction_read_only') as "readOnly"
    from pg_is_in_recovery() r (recovers)`;
  if (row === undefined) throw new Error('no answer');
  return { ...row, recovers: row.recovers === 'true' };
}

/** A position in the log, as 16/B374D848. */
function lsnOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
