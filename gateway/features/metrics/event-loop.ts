import type { Figure } from '../../metrics/families.ts';

/** Milliseconds between two measurements. */
const EVERY = 100;

/**
 * Measures how late a timer of this process fires. Not by monitorEventLoopDelay: less the intervals, the sum that it tells falls now and
 * then, as no counter may.
 */
export function watchEventLoop(): { figures: () => Figure[]; stop: () => void } {
  let late = 0;
  let count = 0;
  let due = performance.now() + EVERY;
  const timer = setInterval(() => {
    const now = performance.now();
    late += Math.max(0, now - due);
    count += 1;
    due = now + EVERY;
  }, EVERY).unref();
  return {
    figures: () => [
      { name: 'service_event_loop_delay_seconds_total', value: late / 1000 },
      { name: 'service_event_loop_measurements_total', value: count },
    ],
    stop: () => { clearInterval(timer); },
  };
}
