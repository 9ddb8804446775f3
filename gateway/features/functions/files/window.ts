/** Bytes of one body that are on their way at most. */
const WINDOW = 256 * 1024;
/** Bytes of one message at most: other calls share the pipe. */
const PIECE = 64 * 1024;

/** How far the sender of a body may go on; the receiver grants more as it takes what came. */
export type Flow = { credit: number; isStopped: boolean; wake?: (() => void) | undefined };

export function newFlow(): Flow {
  return { credit: WINDOW, isStopped: false };
}

/** Resolves when there is room for a piece, or the other side wants no more. */
export async function room(flow: Flow): Promise<void> {
  while (flow.credit <= 0 && !flow.isStopped) await new Promise<void>(resolve => { flow.wake = resolve; });
}

export function grant(flow: Flow | undefined, bytes: number): void {
  if (flow === undefined) return;
  flow.credit += bytes;
  flow.wake?.();
}

export function halt(flow: Flow | undefined): void {
  if (flow === undefined) return;
  flow.isStopped = true;
  flow.wake?.();
}

export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
