import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'hono';
import type { SentCaller } from '../call.ts';
import type { DataClient } from './client.ts';

/** A call of a function, as readers and guards find it. */
export type Identity = {
  function: string;
  requestId: string;
  caller: SentCaller;
  /** The number of the call. */
  call: number;
  signal: AbortSignal;
  data: DataClient;
  waitUntil: (promise: Promise<unknown>) => void;
};

/** Its key in the environment that a router gets with a request, `c.env`. An app that is fed a request of its own has none. */
export const IDENTITY = Symbol.for('rowgate.identity');

/** The call that code runs for. */
export const current = new AsyncLocalStorage<Identity>();

/** Undefined in an app that its author fed a fresh Request. */
export function identityOf(c: Context): Identity | undefined {
  return (c.env as { [IDENTITY]?: Identity } | undefined)?.[IDENTITY];
}
