/**
 * Runs some work for whoever asks. All who ask while it runs, perhaps too late for what it has seen, share one further run.
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
