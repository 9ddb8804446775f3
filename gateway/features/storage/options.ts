import type { Call } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import type { DownloadTokens } from '../../identity/download-tokens.ts';
import type { Renditions } from '../../images/renditions.ts';
import type { Gate } from './gate.ts';
import type { Sources } from './sources.ts';

export type StorageOptions = {
  sources: Sources;
  /** @throws ApiError 401 UNAUTHORIZED for an invalid credential, or for a missing one where one is required. */
  caller: (call: Call) => Caller | Promise<Caller>;
  /** Without a credential it is a stranger: whether one may, the rules say. @throws ApiError 401 for an invalid one. */
  anyCaller: (call: Call) => Caller | Promise<Caller>;
  /** Counts the request against its caller. @throws ApiError 429 RATE_LIMITED. */
  counted: (call: Call, caller: Caller) => Promise<void> | undefined;
  gate: Gate;
  tokens: DownloadTokens;
  publicRead: boolean;
  renditions: Renditions;
};
