import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type Forwarded = {
  url: string;
  method: string;
  /** Where the body has no length here, it goes out in chunks. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Undefined where there is none. Its pieces are not read any more once the next one is asked for. */
  body: AsyncIterable<Uint8Array> | undefined;
  /** Aborted, the request is given up. */
  signal: AbortSignal;
};

/**
 * Passes a request on to another server as it comes, on a connection of its own.
 * @returns the answer, which its consumer reads or destroys. Rejects where the connection fails before it, or with what `body` throws.
 */
export async function forward({ url, method, headers, body, signal }: Forwarded): Promise<IncomingMessage> {
  const target = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { method, agent: false, signal, headers: headers.flat() };
  const sent = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, options);
  sent.on('response', message => {
    message.on('close', () => { sent.destroy(); }); // it may have come before all of the body was sent
    resolve(message);
  });
  sent.on('error', reject);
  if (body === undefined) sent.end();
  else pipeline(Readable.from(copied(body), { highWaterMark: 1 }), sent).catch(reject);
  return promise;
}

async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
