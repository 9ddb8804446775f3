import type { Logger } from 'pino';
import type { Lane } from '../../../database/lane.ts';
import { ApiError } from '../../../error.ts';
import type { Caller } from '../../../identity/caller.ts';

/** The action in a channel that the project's function authorizes. */
export type ChannelRequest = { action: 'join' | 'broadcast' | 'presence' | 'history'; channel: string; event?: string };
export type Authorizer = (caller: Caller, request: ChannelRequest) => Promise<void> | void;

/** @throws ApiError 403 CHANNEL_FORBIDDEN for every action that is not explicitly allowed. */
export function createAuthorizer(statement: string | undefined, lane: Lane, log: Logger): Authorizer {
  if (statement === undefined) return () => undefined;
  const asked = { text: statement, prepare: true, enterFirst: false };

  return async (caller, request) => {
    const client = { key: () => `${caller.kind} ${caller.uid}` };
    const [allowed] = await lane.run(asked, [...caller.claims, JSON.stringify(request)], client).catch((error: unknown) => {
      log.error({ err: error, ...request }, 'the function that allows channels failed');
      return [];
    });
    if (allowed?.toString() !== 't') throw forbidden('This is not allowed to you in this channel.');
  };
}

export function forbidden(message: string): ApiError {
  return new ApiError(403, 'CHANNEL_FORBIDDEN', message);
}
