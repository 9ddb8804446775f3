import type { Figure } from '../../metrics/families.ts';

export function processFigures(): Figure[] {
  const { heapUsed, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    { name: 'service_process_heap_bytes', value: heapUsed },
    { name: 'service_process_rss_bytes', value: rss },
    { name: 'service_process_cpu_seconds_total', value: (user + system) / 1e6 },
  ];
}
