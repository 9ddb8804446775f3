import type { Auth } from './session/auth.ts';
import { sendBatch, type Batch, type Outcome } from './batch.ts';
import { createRows } from './collection.ts';
import type { Live } from './realtime/live.ts';
import type { Realtime } from './realtime/realtime.ts';
import type { Connection, WriteOptions } from './request.ts';
import { connectionOf, type RowsClient, type RowsOptions } from './rows.ts';
import type { AnySchema } from './schema.ts';

export { RowgateError, type Code, type MfaRequired } from './error.ts';
export type { ErrorCode } from './codes.ts';
// Declarations of a project name what its types are made of.
export type { Batch, ExactText, Operation, Ref, Removal, Written } from './batch.ts';
export type { Collection, Counting, IdOf, Listed, MetaOf, RelatedRows, Rows } from './collection.ts';
export type { Aggregated, AggregateQuery, Filter, GetQuery, Grouping, Include, ListQuery, Where } from './query.ts';
export type { Aggregates, Change, Linked, Meta, Page, Result } from './result.ts';
export { callFunction, fetchFunction, type FunctionInit } from './functions.ts';
export {
  createFolder, fetchFile, fileMetadata, fileUrl, listFiles, removeFile, uploadFile,
  type FileList, type FileMetadata, type FilePlace, type Picture, type StoredFile, type UploadOptions,
} from './files.ts';
export type { Options, WriteOptions } from './request.ts';
export type { RowsClient, RowsOptions } from './rows.ts';
export type { Channel, ChannelHandlers, Message, Presences } from './realtime/channels.ts';
export type { Live, LiveRows, RowSnapshot, Snapshot } from './realtime/live.ts';
export type { State } from './realtime/members.ts';
export type { Realtime } from './realtime/realtime.ts';
export type { SocketOptions } from './realtime/socket.ts';
export type { Subscription } from './realtime/subscriptions.ts';
export type {
  AnySchema, At, CollectionOf, Facts, FieldName, FieldOfKind, Kinds, Plain, RelationName, Relations, RowOf, Slug, Target,
} from './schema.ts';
export { createAuth, type Auth, type Credentials, type OpenSession } from './session/auth.ts';
export { enrollFactor, listFactors, removeFactor, verifyFactor, type EnrolledFactor, type Factor } from './session/factors.ts';
export { finishSignIn, linkWith, listIdentities, removeIdentity, signInWith, type Identity } from './session/providers.ts';
export type { SessionHolder, SessionOptions, TokenSource } from './session/session.ts';
export type { Session, User } from './session/state.ts';
export { cookie, local, memory, type SessionStorage } from './session/storage.ts';

export type ClientOptions<S extends AnySchema> = RowsOptions<S> & {
  /** Tells of a server with another schema than the types: the console, where the service is on this machine. */
  warn?: (message: string) => void;
};

export interface Client<S extends AnySchema> extends RowsClient<S> {
  /** `POST /data/_batch`: writes of several collections, all of them or none. Returns the rows in place of the operations. */
  batch<const T>(describe: (batch: Batch<S>) => T, options?: WriteOptions): Promise<Outcome<T>>;
}

type WithAuth = { readonly auth: Auth };
type WithRealtime = {
  /** Live queries and channels: `realtime` of `@rowgate/client/realtime`, or a function that gives it more, as another WebSocket. */
  realtime: (connection: Connection) => Realtime;
};

export function createClient<S extends AnySchema>(options: ClientOptions<S> & WithAuth & WithRealtime): Live<S> & Client<S> & WithAuth;
export function createClient<S extends AnySchema>(options: ClientOptions<S> & WithRealtime): Live<S> & Client<S>;
export function createClient<S extends AnySchema>(options: ClientOptions<S> & WithAuth): Client<S> & WithAuth;
export function createClient<S extends AnySchema>(options: ClientOptions<S>): Client<S>;
export function createClient<S extends AnySchema>(options: ClientOptions<S> & Partial<WithRealtime>): Client<S> {
  const connection = connectionOf(options);
  const live = options.realtime?.(connection);
  if (live) {
    connection.live = live.live;
    options.auth?.onChange?.(live.renew);
  }
  let warn = options.warn ?? (isHere(options.url) ? console.warn : undefined);
  const begin = (): Connection<S> => {
    if (warn) void compare(connection, warn);
    warn = undefined;
    return connection;
  };
  return {
    ...options.auth && { auth: options.auth },
    ...live && { channel: live.channel },
    get connection() { return begin(); },
    from: slug => createRows(begin(), [slug], slug) as never,
    batch: (describe, more) => sendBatch(begin(), describe, more) as never,
  };
}

function isHere(url: string): boolean {
  return /^\w+:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(url);
}

/** Asks the service once for the version of its schema. */
async function compare({ base, facts, fetch }: Connection, warn: (message: string) => void): Promise<void> {
  try {
    const { schemaVersion } = await (await fetch(`${base}/meta/schema-version`)).json() as { schemaVersion?: string };
    if (typeof schemaVersion === 'string' && schemaVersion !== facts.version) {
      warn(`The types are of schema ${facts.version}, the service has ${schemaVersion}: run rowgate types.`);
    }
  } catch {
    // Requests say that it does not answer.
  }
}
