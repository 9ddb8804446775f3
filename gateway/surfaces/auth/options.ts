import type { Identity } from '../../identity/identity.ts';

export type AuthOptions = { identity: Identity };
