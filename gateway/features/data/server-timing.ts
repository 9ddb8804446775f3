/** The time that a request spent, by step, for the browser's own tools (W3C Server Timing). */
export type Timing = {
  /** Ends a phase, which began where the one before ended. */
  end: (phase: string) => void;
  header: () => { 'Server-Timing': string };
};

export function startTiming(): Timing {
  const phases: string[] = [];
  let since = performance.now();

  return {
    end(phase) {
      const now = performance.now();
      phases.push(`${phase};dur=${Math.round((now - since) * 1000) / 1000}`);
      since = now;
    },
    header: () => ({ 'Server-Timing': phases.join(', ') }),
  };
}
