import { writeSync } from 'node:fs';
import { current, IDENTITY, type Identity } from '../authoring/identity.ts';
import { dataClient } from '../authoring/client.ts';
import type { Ask } from '../authoring/request.ts';
import { sentError, type SentError, type SentHead, type SentRequest } from '../call.ts';
import { KIND, readJson, type Send } from '../frames.ts';
import { grant, halt, newFlow, piecesOf, room, type Flow } from '../window.ts';
import { uncaught, type App } from './load.ts';
import type { Handling } from './load-handler.ts';

/** The answer of a router of Hono's that has no route for a request. */
const NO_ROUTE = '404 Not Found';

/** Aborted, its answer is stopped. */
type Call = Flow & { abort?: AbortController };

export type Answering = {
  begin: (id: number, payload: Buffer) => void;
  abort: (id: number) => void;
  credit: (id: number, bytes: number) => void;
  /** Resolves when no call, and nothing that was to be waited for, is under way. */
  idle: () => Promise<void>;
};

/** A file for the number of the call whose function begins, which tells the gateway where a worker has come to stand still. */
const BEGUN = 4;

/** By name: apps answer requests, handlers answer calls of which both sides are JSON. */
export type Code = { apps: ReadonlyMap<string, App>; handlers: ReadonlyMap<string, Handling> };

/** Answers calls by the code of the project. `over` is told of each call that has ended, with what it wanted to be waited for. */
export function answering({ apps, handlers }: Code, ask: Ask, send: Send, over: (call: number) => void): Answering {
  const calls = new Map<number, Call>();
  let underWay = 0;
  let whenIdle: (() => void) | undefined;
  const number = Buffer.alloc(4);

  return {
    begin: (id, payload) => void answer(id, payload),
    abort(id) {
      const call = calls.get(id);
      halt(call);
      call?.abort?.abort();
    },
    credit: (id, bytes) => { grant(calls.get(id), bytes); },
    idle: () => underWay === 0 ? Promise.resolve() : new Promise(resolve => { whenIdle = resolve; }),
  };

  async function answer(id: number, payload: Buffer): Promise<void> {
    const { head, body } = readJson(payload) as { head: SentRequest; body: Buffer };
    const call: Call = newFlow();
    const waiting: Promise<unknown>[] = [];
    const { function: name, requestId, caller } = head;
    const identity: Identity = {
      function: name, requestId, caller, call: id, get signal() { return signalOf(call); }, data: dataClient(ask, id),
      waitUntil(promise) {
        waiting.push(Promise.resolve(promise).catch((error: unknown) => {
          console.error('A promise that waitUntil() was given was rejected:', error);
        }));
      },
    };
    calls.set(id, call);
    underWay += 1;
    number.writeUInt32LE(id);
    writeSync(BEGUN, number, 0, 4, 0);
    await current.run(identity, async () => {
      try {
        const handle = handlers.get(name);
        if (handle === undefined) await respond(id, call, requestOf(head, body, call), identity);
        else await passText(id, call, await handle(body.toString(), identity));
      } catch (error) {
        send(KIND.failed, id, JSON.stringify(failureOf(error)));
      }
      calls.delete(id);
      for (let promise = waiting.shift(); promise !== undefined; promise = waiting.shift()) await promise;
    });
    over(id);
    send(KIND.over, id);
    underWay -= 1;
    if (underWay === 0) whenIdle?.();
  }

  async function respond(id: number, call: Call, request: Request, identity: Identity): Promise<void> {
    const context = { waitUntil: identity.waitUntil, passThroughOnException: () => undefined, props: {} };
    const response = await apps.get(identity.function)?.fetch(request, { [IDENTITY]: identity }, context);
    if (uncaught.has(response as Response)) throw uncaught.get(response as Response);
    const head = headOf(response);
    if (head.status === 404 && response?.headers.get('content-type')?.startsWith('text/plain')) {
      const text = await response.text();
      if (text === NO_ROUTE) return send(KIND.missing, id);
      return passBody(id, call, head, new Response(text).body);
    }
    await passBody(id, call, head, response?.body ?? null);
  }

  /** A call that was aborted is answered all the same: its job ends by that. */
  async function passText(id: number, call: Call, text: string): Promise<void> {
    send(KIND.head, id, JSON.stringify({ status: 200, headers: [] } satisfies SentHead));
    for (const piece of piecesOf(Buffer.from(text))) {
      await room(call);
      pass(id, call, piece);
    }
    send(KIND.end, id);
  }

  /** Sends an answer, as fast as its client takes it. */
  async function passBody(id: number, call: Call, head: SentHead, body: ReadableStream<Uint8Array> | null): Promise<void> {
    send(KIND.head, id, JSON.stringify(head));
    const reader = body?.getReader();
    for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
      if (!(read.value instanceof Uint8Array)) throw new TypeError('The body of an answer holds something that is no bytes.');
      for (const piece of piecesOf(read.value)) {
        await room(call);
        if (call.isStopped) return void reader?.cancel(signalOf(call).reason).catch(() => undefined);
        pass(id, call, piece);
      }
      if (call.isStopped) return void reader?.cancel(signalOf(call).reason).catch(() => undefined);
    }
    send(KIND.end, id);
  }

  function pass(id: number, call: Call, piece: Uint8Array): void {
    call.credit -= piece.length;
    send(KIND.data, id, piece);
  }
}

/** Its signal is made when it is asked for: given to the Request, it would be a third of the time of a small call. */
function requestOf({ method, url, headers }: SentRequest, body: Buffer, call: Call): Request {
  const request = new Request(url, { method, headers, ...(body.length > 0 && { body: Buffer.from(body) }) });
  return Object.defineProperty(request, 'signal', { get: () => signalOf(call) });
}

function signalOf(call: Call): AbortSignal {
  call.abort ??= new AbortController();
  if (call.isStopped) call.abort.abort();
  return call.abort.signal;
}

/** @throws Error for what is no answer. */
function headOf(response: Response | undefined): SentHead {
  const status = response?.status;
  if (response === undefined || !Number.isInteger(status) || Number(status) < 200 || Number(status) > 599) {
    throw new Error(`The function returned no answer that can be sent (status ${String(status)}).`);
  }
  return { status: response.status, headers: [...response.headers] };
}

function failureOf(error: unknown): SentError {
  const sent = sentError(error);
  const { status, code, details } = (error ?? {}) as { status?: unknown; code?: unknown; details?: Record<string, unknown> };
  const isApiError = sent.name === 'ApiError' && typeof code === 'string' && Number.isInteger(status) && Number(status) >= 400
    && Number(status) <= 599;
  return isApiError ? { ...sent, status: Number(status), code, details } : sent;
}
