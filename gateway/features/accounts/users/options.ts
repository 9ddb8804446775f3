import type { AccountQuery } from '../../../identity/accounts.ts';
import type { Permissions } from '../../../identity/permissions.ts';
import type { Passwords } from '../../../identity/passwords.ts';
import type { Mail } from '../../../mail/mail.ts';

export type UsersOptions = {
  ask: AccountQuery;
  passwords: Passwords;
  /** Resolves when nobody of this start takes the account's tokens for what they were. */
  revoked: (uid: string) => Promise<void>;
  permissions: Permissions;
  mail: Mail;
  production: boolean;
};
