import { ApiError } from '../error.ts';
import { LIFETIMES } from '../mail/lifetimes.ts';
import type { Recipient } from '../mail/render.ts';
import type { AccountQuery } from './accounts.ts';
import { hashOf, newToken } from './opaque-token.ts';

type Purpose = keyof typeof SECONDS;

/** Each mail says how long what it carries is good for. */
const SECONDS = {
  'password-reset': LIFETIMES.passwordReset,
  'invitation': LIFETIMES.userInvitation,
  'verification': LIFETIMES.emailVerification,
  'magic-link': LIFETIMES.magicLink,
  'otp': LIFETIMES.emailOtp,
};

/** Tokens that are mailed to the address of an account: the stored one, never one that a request spells. */
export type MailedTokens = {
  make: () => { token: string; hash: Buffer };
  /** Creates a token, keeps its hash, and returns its recipient. @throws ApiError 404 NOT_FOUND without an account. */
  issue: (uid: string, purpose: Purpose) => Promise<{ token: string; to: Recipient }>;
  /** @throws ApiError as issue. */
  keep: (uid: string, purpose: Purpose, hash: Buffer) => Promise<Recipient>;
};

export function mailedTokens(ask: AccountQuery): MailedTokens {
  return {
    make,
    async issue(uid, purpose) {
      const { token, hash } = make();
      return { token, to: await keep(uid, purpose, hash) };
    },
    keep,
  };

  async function keep(uid: string, purpose: Purpose, hash: Buffer): Promise<Recipient> {
    const [to] = await ask(uid, sql => sql<Recipient[]>`
      select email, display_name as "displayName"
      from service_private.issue_token(${uid}, ${purpose}, ${hash}, ${`${SECONDS[purpose]} seconds`}::text::interval)`);
    if (to === undefined) throw new ApiError(404, 'NOT_FOUND', 'The account is not there any more.');
    return to;
  }
}

function make(): { token: string; hash: Buffer } {
  const token = newToken();
  return { token, hash: hashOf(token) };
}
