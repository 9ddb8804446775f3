import type { CatalogKeeper } from '../../catalog/catalog.ts';
import type { AdminScope } from '../../config/scopes.ts';
import type { ReadsOfBoth } from '../../catalog/run-read.ts';
import type { Lanes } from '../../database/lanes.ts';
import type { Limits } from '../../grammar/write/request.ts';
import type { Call } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import type { AskWhy } from './why.ts';

export type DataOptions = {
  catalog: CatalogKeeper;
  /** Lanes of the primary. */
  lanes: Lanes;
  reads: ReadsOfBoth;
  caller: (call: Call) => Caller | Promise<Caller>;
  /** Counts the request against its caller. @throws ApiError 429 RATE_LIMITED. */
  counted: (call: Call, caller: Caller) => Promise<void> | undefined;
  /** @throws ApiError for a caller without it. */
  requireScope: (caller: Caller, scope: AdminScope) => Caller;
  /** Announces that the tokens of an account (or ALL_ACCOUNTS) have changed in value. Resolves when every process of this start knows. */
  revoked: (uid: string) => Promise<void>;
  defaultLimit: number;
  maxLimit: number;
  /** For each parent of an include. */
  maxIncludeLimit: number;
  limits: Limits;
  /** Whether refusals may carry the database's own words. */
  verbose: boolean;
  /** Says why a caller is refused, if the caller may hear it. */
  why: AskWhy | undefined;
};
