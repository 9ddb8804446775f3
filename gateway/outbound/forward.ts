import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

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
  // A server that is told to close the connection does so behind its answer: what still comes then would take the answer away.
  const options = { method, agent: false, signal, headers: [...headers.flat(), 'connection', 'keep-alive'] };
  const sent = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, options);
  sent.on('response', message => {
    message.on('close', () => { sent.destroy(); }); // it may have come before all of the body was sent
    resolve(message);
  });
  sent.on('error', reject);
  if (body === undefined) sent.end();
  else write(body, sent).catch((error: unknown) => { sent.destroy(error as Error); });
  return promise;
}

/**
 * Not by a pipeline: that would throw away an answer that came before all of the body was sent, and was not read yet.
 * @throws what `pieces` throws
 */
async function write(pieces: AsyncIterable<Uint8Array>, sent: ClientRequest): Promise<void> {
  for await (const piece of pieces) {
    if (sent.destroyed) return;
    if (!sent.write(Buffer.from(piece))) await roomIn(sent);
  }
  sent.end();
}

function roomIn(sent: ClientRequest): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  for (const event of ['drain', 'close']) sent.once(event, resolve);
  return promise.finally(() => { for (const event of ['drain', 'close']) sent.off(event, resolve); });
}
