import { LIFETIMES } from '../mail/lifetimes.ts';
import { type AskAccounts } from './accounts.ts';
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

/** What is mailed to the address of an account. */
export type MailedTokens = {
  make: () => { token: string; hash: Buffer };
  /** Makes one and keeps its hash. */
  issue: (uid: string, purpose: Purpose) => Promise<string>;
  keep: (uid: string, purpose: Purpose, hash: Buffer) => Promise<void>;
};

export function mailedTokens(ask: AskAccounts): MailedTokens {
  return {
    make,
    async issue(uid, purpose) {
      const { token, hash } = make();
      await keep(uid, purpose, hash);
      return token;
    },
    keep,
  };

  async function keep(uid: string, purpose: Purpose, hash: Buffer): Promise<void> {
    await ask(uid, sql => sql`select service.issue_token(${uid}, ${purpose}, ${hash}, ${`${SECONDS[purpose]} seconds`}::text::interval)`);
  }
}

function make(): { token: string; hash: Buffer } {
  const token = newToken();
  return { token, hash: hashOf(token) };
}
