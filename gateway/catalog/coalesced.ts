/**
 * Returns a function that runs the work. All callers that arrive while it runs share one further run, because they may be too late for what
 * the current one reads.
 */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let further: Promise<void> | undefined;

  return () => running === undefined ? run() : further ??= running.then(run, run);

  function run(): Promise<void> {
    further = undefined;
    return running = work().finally(() => { if (further === undefined) running = undefined; });
  }
}
