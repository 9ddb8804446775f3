import { once } from 'node:events';
import type { Test } from 'tap';
import WebSocket, { type ClientOptions, type RawData } from 'ws';
import { recordSocketError } from './answers.ts';
import type { TestService } from './service.ts';
import { scaled } from './until.ts';

/** A frame of the server. */
export type Heard = { type: string; requestId?: string; payload?: any } & Record<string, any>;
export type Closed = { code: number; reason: string };
export type SocketOptions = { token?: string; origin?: string; path?: string; headers?: Record<string, string> };
export type TestSocket = {
  raw: WebSocket;
  /** A frame, or what is none. */
  send: (frame: object | string | Buffer) => void;
  /** The first frame, of those not yet taken and those to come, that has these members; an answer of `type` without more. */
  next: (match: Record<string, unknown> | ((frame: Heard) => boolean)) => Promise<Heard>;
  /** Sends a request and waits for its answer, whatever that is. */
  request: (type: string, payload?: object) => Promise<Heard>;
  /** The code of the error that this request is answered with. */
  refusal: (type: string, payload?: object) => Promise<string>;
  /** Frames that no test has taken yet. */
  readonly untaken: Heard[];
  closed: Promise<Closed>;
};

/** How an upgrade is answered that is refused. */
export async function refusedUpgrade(
  t: Pick<Test, 'teardown'>, url: string, options: ClientOptions = {},
): Promise<[status: number | undefined, error: { code: string; message: string; details?: object }]> {
  const client = new WebSocket(url.replace('http', 'ws'), options).on('error', () => undefined);
  t.teardown(() => client.terminate());
  const [, response] = await once(client, 'unexpected-response') as [unknown, NodeJS.ReadableStream & { statusCode?: number }];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return [response.statusCode, (JSON.parse(text) as { error: { code: string; message: string } }).error];
}

/** Milliseconds on the usual machine. Longer than anything that is waited for takes; a frame that does not come fails its test in words. */
const PATIENCE = 10_000;

/** An open socket, signed in when there is a token. Closed at the test's end. */
export async function connect(
  t: Pick<Test, 'teardown'>, service: Pick<TestService, 'address' | 'account'>, options: SocketOptions = {},
): Promise<TestSocket> {
  const { token, origin, path = '/', headers = {} } = options;
  const raw = new WebSocket(service.address.replace('http', 'ws') + path, { headers, ...(origin !== undefined && { origin }) });
  t.teardown(() => raw.terminate());
  const untaken: Heard[] = [];
  const waiting = new Set<() => void>();
  raw.on('message', (data: RawData) => {
    const frame = JSON.parse((data as Buffer).toString()) as Heard;
    if (typeof frame.payload?.error?.code === 'string') recordSocketError(frame.payload.error);
    untaken.push(frame);
    for (const look of [...waiting]) look();
  });
  const closed = new Promise<Closed>(resolve => raw.once('close', (code, reason) => { resolve({ code, reason: reason.toString() }); }));
  await once(raw, 'open');
  let requests = 0;
  const socket: TestSocket = { raw, send, next, request, refusal, untaken, closed };
  if (token !== undefined) {
    await service.account(token);
    const answer = await request('AUTHENTICATE', { token });
    if (answer.type !== 'AUTH_SUCCESS') throw new Error(`The token was refused: ${JSON.stringify(answer)}`);
  }
  return socket;

  function send(frame: object | string | Buffer): void {
    raw.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  function next(match: Record<string, unknown> | ((frame: Heard) => boolean)): Promise<Heard> {
    const fits = typeof match === 'function'
      ? match
      : (frame: Heard) => Object.entries(match).every(([key, value]) => frame[key] === value);
    const { promise, resolve, reject } = Promise.withResolvers<Heard>();
    const late = setTimeout(() => {
      give();
      reject(new Error(`No frame ${JSON.stringify(match)} came; there are ${JSON.stringify(untaken)}`));
    }, scaled(PATIENCE));
    const ended = () => { give(); reject(new Error(`The socket was closed before a frame ${JSON.stringify(match)} came.`)); };
    raw.once('close', ended);
    waiting.add(look);
    look();
    return promise;

    function look(): void {
      const place = untaken.findIndex(fits);
      if (place === -1) return;
      give();
      resolve(untaken.splice(place, 1)[0] as Heard);
    }

    function give(): void {
      clearTimeout(late);
      raw.off('close', ended);
      waiting.delete(look);
    }
  }

  function request(type: string, payload?: object): Promise<Heard> {
    const requestId = `test_${requests += 1}`;
    send({ type, requestId, ...(payload && { payload }) });
    return next({ requestId });
  }

  async function refusal(type: string, payload?: object): Promise<string> {
    const answer = await request(type, payload);
    return answer.payload.error?.code ?? `no refusal: ${answer.type}`;
  }
}
