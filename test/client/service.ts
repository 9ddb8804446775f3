import type { Test } from 'tap';
import { createClient, RowgateError, type Client } from '../../client/src/index.ts';
import { lendService } from '../harness/lend.ts';
import { SERVICE_KEY, type TestService } from '../harness/service.ts';
import { schema, type Schema } from './store.types.ts';

/** A client of the example store, as the service unless options say otherwise. */
export async function storeClient(
  t: Test, options: Partial<Parameters<typeof createClient<Schema>>[0]> = {},
): Promise<{ db: Client<Schema>; service: TestService }> {
  const service = await lendService(t, {});
  return { service, db: createClient<Schema>({ url: service.address, schema, token: SERVICE_KEY, warn: () => undefined, ...options }) };
}

/** The code of a failure, and its status. */
export async function refusal(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    return ['answered', await promise];
  } catch (error) {
    return error instanceof RowgateError ? [error.code, error.status] : (error as Error).name;
  }
}
