import type postgres from 'postgres';
import { arrival, type Turn } from './turns.ts';

/** A connection of a lane. */
export type Connection = {
  sql: postgres.Sql;
  underWay: number;
  prepared: Set<string>;
  /** Total length of the texts of prepared statements. */
  preparedLength: number;
  /** When each call under way began, the oldest first. */
  since: number[];
  /** When the last one that ended did. */
  ended: number;
  /** When its answer arrived, before this process looked at it. */
  arrived: number;
  /** It finishes those under way and gets no more. */
  retired: boolean;
  /** It has been told what its login may not have stored. */
  begun: boolean;
};

/**
 * Sets the settings that only a superuser may store with a login (login-roles.ts), and those of this lane, ahead of the first statement,
 * where they cost no round trip. If this fails, the first statement fails too.
 */
export function begin(connection: Connection, lockTimeout: number | undefined): void {
  connection.begun = true;
  const settings = { 'request.jwt.claims': '{}', ...(lockTimeout !== undefined && { lock_timeout: lockTimeout }) };
  const assignments = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  connection.sql.unsafe(`select ${assignments.join(', ')}`).catch(() => undefined);
}

export function newConnection(connect: () => postgres.Sql): Connection {
  const prepared = new Set<string>();
  return { sql: connect(), underWay: 0, prepared, preparedLength: 0, since: [], ended: 0, arrived: 0, retired: false, begun: false };
}

/**
 * Milliseconds that the server was at a statement that ends now, at least: without the time in which this process was busy with other
 * things, before it sent what it was told to in that turn, and before it looked at the answer.
 */
export function served(connection: Connection, toldIn: Turn): number {
  const begun = Math.max(toldIn.ended, connection.arrived);
  connection.arrived = arrival();
  return Math.max(0, connection.arrived - begun);
}
