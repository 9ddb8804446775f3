/** Statements that have come, the milliseconds that they have waited for a connection, and how many wait; connections, and their limit. */
export type LaneCounts = { statements: number; waited: number; waiting: number; connections: number; limit: number };

export function sumOf(a: LaneCounts, b: LaneCounts): LaneCounts {
  return {
    statements: a.statements + b.statements,
    waited: a.waited + b.waited,
    waiting: a.waiting + b.waiting,
    connections: a.connections + b.connections,
    limit: a.limit + b.limit,
  };
}
