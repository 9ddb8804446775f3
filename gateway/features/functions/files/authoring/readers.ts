import type { Context } from 'hono';
import type { DataClient } from './client.ts';
import { ApiError } from './errors.ts';
import { current, identityOf, type Identity } from './identity.ts';

export type User = { uid: string; roles: string[]; [claim: string]: unknown };

/** The caller with the claims of its token; undefined for a visitor. */
export function getUser(c: Context): User | undefined {
  const caller = identityOf(c)?.caller;
  return caller === undefined || caller.kind === 'anonymous' ? undefined : { ...caller.claims, uid: caller.uid, roles: caller.roles };
}

export function getUserId(c: Context): string | undefined {
  return getUser(c)?.uid;
}

export function getRoles(c: Context): string[] {
  return getUser(c)?.roles ?? [];
}

/** Those that the caller holds: a key its own, a person those of its roles and every one that the project declares. */
export function getScopes(c: Context): string[] {
  return identityOf(c)?.caller.scopes ?? [];
}

/** Whether the caller is an admin. A key never is: it has the rights of its scopes. */
export function isAdmin(c: Context): boolean {
  return identityOf(c)?.caller.isAdmin ?? false;
}

/** A scope without a target covers every target. */
export function hasScope(c: Context, scope: string, target?: string): boolean {
  const scopes = getScopes(c);
  return scopes.includes(scope) || (target !== undefined && scopes.includes(`${scope}:${target}`));
}

/** The id in the log, and in X-Request-ID of the answer. */
export function getRequestId(c: Context): string | undefined {
  return identityOf(c)?.requestId;
}

/** Aborted when the client leaves, or the function has taken too long. */
export function getSignal(c: Context): AbortSignal {
  return identityOf(c)?.signal ?? c.req.raw.signal;
}

/** Rows as the caller sees and may change them; undefined in an app that its author fed a fresh Request. */
export function getDriver(c: Context): DataClient | undefined {
  return identityOf(c)?.data;
}

/** @throws ApiError 500 AUTH_MIDDLEWARE_MISSING in an app that its author fed a fresh Request. */
export function requireDriver(c: Context): DataClient {
  const driver = getDriver(c);
  if (driver === undefined) throw authMissing();
  return driver;
}

/** A variable without surrounding blanks; undefined where it is not set, or blank. */
export function env(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}

/** Every variable that is set. Settings of the service that are secrets are not among them. */
export function getEnv(): Record<string, string> {
  return Object.fromEntries(Object.keys(process.env).flatMap(name => env(name) === undefined ? [] : [[name, env(name) as string]]));
}

/** @throws Error naming the variable. */
export function requireEnv(name: string): string {
  const value = env(name);
  if (value === undefined) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

/** Makes something once, when it is first asked for; again after a failure. */
export function lazyResource<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= (async () => make())().catch((error: unknown) => {
    made = undefined;
    throw error;
  });
}

/** Goes on with work after the answer: a shutdown waits for it, and a failure is logged. */
export function waitUntil(promise: Promise<unknown>): void {
  const call: Identity | undefined = current.getStore();
  if (call === undefined) throw new Error('waitUntil() belongs in the handling of a request.');
  call.waitUntil(promise);
}

export function authMissing(): ApiError {
  const message = 'This app was given a request that Rowgate did not pass to it, so its caller is unknown.';
  return new ApiError(500, 'AUTH_MIDDLEWARE_MISSING', message);
}
