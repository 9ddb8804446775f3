import { Readable } from 'node:stream';

/**
 * The bytes of a body, read on demand. The stream fails when a reader waits for so long and the store sends nothing; a reader that does not
 * wait has no limit. Destroying the stream ends the request.
 */
export function watched(body: Readable, patience: number, failed: (error: unknown) => Error): Readable {
  let timer: NodeJS.Timeout | undefined;
  const stream = new Readable({
    read() {
      timer ??= setTimeout(() => body.destroy(new Error(`nothing came for ${patience} ms`)), patience);
      body.resume();
    },
    destroy(error, done) {
      clearTimeout(timer);
      body.destroy();
      done(error);
    },
  });
  body.pause();
  body.on('data', (bytes: Buffer) => {
    if (stream.push(bytes)) return void timer?.refresh();
    clearTimeout(timer);
    timer = undefined;
    body.pause();
  });
  body.once('end', () => {
    clearTimeout(timer);
    stream.push(null);
  });
  body.once('error', error => stream.destroy(failed(error)));
  body.once('close', () => {
    if (!body.readableEnded) stream.destroy(failed(new Error('the connection was closed before the end')));
  });
  return stream;
}

export async function allOf(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
