import type { MailedTokens } from '../../identity/mailed-tokens.ts';
import type { AuthOptions } from './options.ts';

/** Mails what an account gets whose address is yet to be confirmed: the link, and unless that comes first a welcome. */
export type Welcome = (uid: string, requestId: string) => Promise<void>;

export function createWelcome({ mail, config }: Pick<AuthOptions, 'mail' | 'config'>, tokens: MailedTokens): Welcome {
  return async (uid, requestId) => {
    if (!mail.configured) return;
    const { token, to } = await tokens.issue(uid, 'verification');
    mail.sendLater('emailVerification', to, { token }, requestId);
    if (!config.authRequireEmailVerification) mail.sendLater('welcomeEmail', to, {}, requestId);
  };
}
