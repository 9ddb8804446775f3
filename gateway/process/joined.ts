/** Returns a function that runs the work. Callers that arrive while it runs get its result too. */
export function joined<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => running ??= work().finally(() => { running = undefined; });
}
