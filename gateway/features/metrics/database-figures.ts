import type { Lane } from '../../database/lane.ts';
import type { Figure } from '../../metrics/families.ts';
import type { ServedDatabase } from '../context.ts';

/** Lanes and the statement cache of this process. */
export function databaseFigures({ lanes, live, reads, catalog }: ServedDatabase): Figure[] {
  const { cacheCounts, current } = catalog;
  const all: Record<string, Lane> = {
    ...lanes,
    ...(live.lanes.scan !== lanes.scan && { live: live.lanes.scan }),
    ...(reads !== lanes && { replica_point: reads.point, replica_scan: reads.scan }),
  };
  return [
    ...Object.entries(all).flatMap(([name, lane]) => laneFigures(name, lane)),
    { name: 'service_statement_cache_hits_total', value: cacheCounts.hits },
    { name: 'service_statement_cache_misses_total', value: cacheCounts.misses },
    { name: 'service_statement_cache_entries', value: current.statements.size },
  ];
}

function laneFigures(lane: string, { counts }: Lane): Figure[] {
  const { statements, waited, waiting, connections, limit } = counts();
  const labels = { lane };
  return [
    { name: 'service_statements_total', labels, value: statements },
    { name: 'service_statement_wait_seconds_total', labels, value: waited / 1000 },
    { name: 'service_statements_waiting', labels, value: waiting },
    { name: 'service_lane_connections', labels, value: connections },
    { name: 'service_lane_connections_limit', labels, value: limit },
  ];
}
