// `rowgate/functions`: what files of functions/, jobs/ and crons/ import.
import type { Hono } from 'hono';
import type { ServiceClient } from './client.ts';

export { defineCron, type CronJob, type CronRun, type Job, type JobHandler } from './background.ts';
export type { Collection, DataClient, EnqueueOptions, Message, ServiceClient } from './client.ts';
export type { FileBody, FileMetadata, StorageClient, StorageEntry, UploadOptions } from './storage.ts';
export type { Account, HandedOver, ListUsers, NewUser, UserChanges, UsersClient } from './users.ts';
export { ApiError } from './errors.ts';
export { requireAal2, requireAdmin, requireAuth, requireRole, requireScope } from './guards.ts';
export {
  env, getDriver, getEnv, getRequestId, getRoles, getScopes, getSignal, getUser, getUserId, hasScope, isAdmin, lazyResource, requireDriver,
  requireEnv, waitUntil, type User,
} from './readers.ts';

/** Adds routes to the app that it gets, or returns one of its own. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-invalid-void-type -- any app of Hono's, or none
export type Setup = (app: Hono, more: { rowgate: ServiceClient }) => Hono<any, any, any> | void | Promise<Hono<any, any, any> | void>;
export type FunctionDefinition = { readonly [DEFINED]: Setup };

export const DEFINED: unique symbol = Symbol.for('rowgate.function');

/** The default export of a function file. */
export function defineFunction(setup: Setup): FunctionDefinition {
  return { [DEFINED]: setup };
}
