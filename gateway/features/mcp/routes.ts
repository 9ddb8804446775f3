import type { Call, Reply, Route } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Bearers } from './bearers.ts';
import { eraOf, requireSound } from './eras.ts';
import { errorText, LacksScopes, readBody, readMessage, resultText, RpcError, type Asking, type Message } from './messages.ts';
import type { Methods } from './methods.ts';

export type McpOptions = {
  bearers: Bearers;
  /** Whether pages of an origin may call: a name that leads here by a trick of DNS is none of theirs. */
  mayCall: (origin: string) => boolean;
  methods: Methods;
};

type Answer = { status: number; body?: string; headers?: Record<string, string> };

const MOST_IN_A_BATCH = 20;
const headers = { 'Cache-Control': 'no-store' };

/** JSON answers over Streamable HTTP: no session, no stream, no state. */
export function mcpRoutes({ bearers, mayCall, methods }: McpOptions): Route[] {
  return [
    {
      method: 'POST', path: '/mcp', root: true, admit: () => undefined, changesNothing: true, // tools that write hold the connection
      handle: call => guarded(call, agent => post(call, agent)),
    },
    ...(['GET', 'DELETE'] as const).map((method): Route => ({ method, path: '/mcp', root: true, handle: call => guarded(call, notHere) })),
  ];

  /** The challenge comes before any judgement of the request. */
  async function guarded(call: Call, answer: (agent: Caller) => Reply | Promise<Reply>): Promise<Reply> {
    const agent = await bearers.agentOf(call);
    if (!('uid' in agent)) return agent;
    const origin = call.header('origin');
    if (origin === '' || mayCall(origin)) return answer(agent);
    return { status: 403, headers, body: JSON.stringify({ error: 'forbidden', error_description: 'Pages of this origin may not call.' }) };
  }

  async function post(call: Call, agent: Caller): Promise<Reply> {
    const { headers: more, ...answer } = await answered(call, agent);
    return { ...answer, headers: { ...headers, ...more } };
  }

  async function answered(call: Call, agent: Caller): Promise<Answer> {
    try {
      const body = readBody(call);
      return await (Array.isArray(body) ? batch(body, { call, agent }) : one(body, { call, agent }));
    } catch (error) {
      return failed(error, undefined);
    }
  }

  /** A request alone: in the stateless era what is wrong with it has a status. */
  async function one(body: unknown, asking: Asking): Promise<Answer> {
    let era = eraOf(asking.call);
    let id: Message['id'];
    try {
      const message = readMessage(body);
      era = eraOf(asking.call, message);
      id = message.id;
      if (era === 'stateless') requireSound(asking.call, message);
      return id === undefined ? { status: 202 } : { status: 200, body: resultText(id, await methods[era](message, asking)) };
    } catch (error) {
      return failed(error, id, era === 'handshake' ? 200 : undefined);
    }
  }

  /** Only the handshake's era has batches. They are answered in order; notifications have no answer. */
  async function batch(messages: unknown[], asking: Asking): Promise<Answer> {
    if (messages.length === 0 || messages.length > MOST_IN_A_BATCH) {
      throw new RpcError(-32600, `A batch has 1 to ${MOST_IN_A_BATCH} messages.`);
    }
    const bodies: string[] = [];
    for (const body of messages) {
      const text = await oneOfMany(body, asking);
      if (text !== undefined) bodies.push(text);
    }
    return bodies.length === 0 ? { status: 202 } : { status: 200, body: `[${bodies.join()}]` };
  }

  async function oneOfMany(body: unknown, asking: Asking): Promise<string | undefined> {
    let message: Message | undefined;
    try {
      message = readMessage(body);
      if (eraOf(asking.call, message) === 'stateless') throw new RpcError(-32600, 'Requests of this revision are sent one by one.');
      if (message.id !== undefined) return resultText(message.id, await methods.handshake(message, asking));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return errorText(error, message?.id);
    }
    return undefined;
  }

  function failed(error: unknown, id: Message['id'], status?: number): Answer {
    if (!(error instanceof RpcError)) throw error; // the HTTP layer's
    const body = errorText(error, id);
    if (error instanceof LacksScopes) return { status: 403, body, headers: bearers.stepUp(error.scopes) };
    return { status: status ?? error.status, body };
  }
}

function notHere(): Reply {
  const body = JSON.stringify({ error: 'method_not_allowed', error_description: 'There are no streams and no sessions here: POST.' });
  return { status: 405, headers: { ...headers, Allow: 'POST' }, body };
}
