import type { Socket } from 'node:net';

/** The next so many bytes, put where they stay as they come. @throws Error when the socket ends before. */
export function takeBytes(from: Socket, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let taken = 0;
  if (from.destroyed) cut();
  else from.on('data', take).on('close', cut).resume();
  return promise.finally(() => { from.pause().off('data', take).off('close', cut); });

  function take(piece: Buffer): void {
    taken += piece.copy(bytes, taken);
    if (taken === size) resolve(bytes);
  }

  function cut(): void {
    reject(new Error(`It ended after ${taken} of ${size} bytes.`));
  }
}
