import { topic } from '../process/bus/topic.ts';

/** The tokens of an account (or of ALL_ACCOUNTS) have changed in value. */
export const REVOKED = topic<string>('accounts.revoked');
