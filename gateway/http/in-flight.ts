/** Counts the requests that are not answered yet, so that a shutdown can wait for them. */
export function createInFlight() {
  let count = 0;
  let whenIdle: (() => void) | undefined;

  function begin(): void {
    count++;
  }

  function end(): void {
    count--;
    if (count === 0) whenIdle?.();
  }

  /** Resolves when nothing is in flight, or after the deadline. */
  async function idle(deadlineMs: number): Promise<void> {
    if (count === 0) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    whenIdle = () => resolve(undefined);
    const deadline = setTimeout(whenIdle, deadlineMs);
    await promise;
    clearTimeout(deadline);
  }

  return { begin, end, idle };
}
