import { jsonOf, jsonRequest, type Ask, type Values } from './request.ts';
import { storageClient, type StorageClient } from './storage.ts';
import { usersClient, type UsersClient } from './users.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the author knows the columns
type Row = Record<string, any>;

/** Rows of one collection, by the routes' own code: the same rows, codes and checks. A refusal is an ApiError. */
export type Collection = {
  /** The list route's parameters; a value that is no text goes as JSON. */
  find: (query?: Values) => Promise<{ data: Row[]; meta: Row }>;
  /** @throws ApiError 404 NOT_FOUND. */
  findById: (id: string | number, query?: Values) => Promise<Row>;
  create: (values: Values, query?: Values) => Promise<Row>;
  update: (id: string | number, values: Values, query?: Values) => Promise<Row>;
  delete: (id: string | number, query?: Values) => Promise<void>;
  count: (query?: Values) => Promise<number>;
};
export type DataClient = { collection: (slug: string) => Collection };

export type Message = {
  to: string | string[]; subject: string; html: string; text?: string; replyTo?: string; headers?: Record<string, string>;
};
export type EnqueueOptions = {
  delayMs?: number; runAt?: string | Date; maxAttempts?: number; idempotencyKey?: string; priority?: number; queue?: string;
};

/** The service as project code uses it. */
export type ServiceClient = {
  /** Rows as the service identity, under row security's admin arm. */
  dataAsAdmin: DataClient;
  /** @throws ApiError 503 NOT_CONFIGURED where there are no accounts (SERVICE_AUTH). */
  auth: { users: UsersClient };
  /** @throws ApiError 503 NOT_CONFIGURED where no storage is set up. */
  storage: StorageClient;
  /** Runs as the owner of the database, past row security. */
  sql: (text: string, options?: { params?: readonly unknown[] }) => Promise<Row[]>;
  jobs: {
    /** @returns the id; null where an unfinished job has the idempotency key. */
    enqueue: (task: string, payload?: unknown, options?: EnqueueOptions) => Promise<string | null>;
  };
  email: {
    /** @throws ApiError 503 NOT_CONFIGURED where no mail is sent. */
    send: (message: Message) => Promise<{ messageId?: string; accepted: string[]; rejected: string[] }>;
  };
};

export function serviceClient(ask: Ask): ServiceClient {
  return {
    dataAsAdmin: dataClient(ask, 0),
    auth: { users: usersClient(ask) },
    storage: storageClient(ask),
    sql: (text, { params = [] } = {}) => ask('sql', 0, { text, params }) as Promise<Row[]>,
    jobs: {
      enqueue: (task, payload, options = {}) =>
        ask('enqueue', 0, { task, payload: jsonOf(payload), options: jsonOf(options) }) as Promise<string | null>,
    },
    email: { send: message => ask('email', 0, message) as ReturnType<ServiceClient['email']['send']> },
  };
}

export function dataClient(ask: Ask, call: number): DataClient {
  const request = jsonRequest(ask, 'data', call);
  return {
    collection: slug => ({
      find: query => request('GET', [slug], query) as ReturnType<Collection['find']>,
      findById: (id, query) => request('GET', [slug, id], query) as Promise<Row>,
      create: (values, query) => request('POST', [slug], query, values) as Promise<Row>,
      update: (id, values, query) => request('PATCH', [slug, id], query, values) as Promise<Row>,
      delete: async (id, query) => { await request('DELETE', [slug, id], query); },
      count: async query => (await request('GET', [slug, 'count'], query) as { count: number }).count,
    }),
  };
}
