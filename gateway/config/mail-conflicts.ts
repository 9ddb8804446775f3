import { isAddress } from '../addresses/address.ts';

export type MailSettings = {
  nodeEnv: string;
  smtpHost: string | undefined;
  smtpUser: string | undefined;
  smtpPass: string | undefined;
  smtpFrom: object | undefined;
  frontendUrl: string | undefined;
  resetPasswordUrl: string | undefined;
  authRequireEmailVerification: boolean;
};

/** Settings that a service which sends mail, or has to, lacks. Outside production it links to itself, and has a mailbox. */
export function mailConflicts(settings: MailSettings): string[] {
  const { nodeEnv, smtpHost, smtpUser, smtpPass, smtpFrom, frontendUrl, resetPasswordUrl } = settings;
  if (smtpHost === undefined) {
    const mustSend = nodeEnv === 'production' && settings.authRequireEmailVerification;
    return mustSend ? ['AUTH_REQUIRE_EMAIL_VERIFICATION needs mail to be sent: set SMTP_HOST.'] : [];
  }
  const found: string[] = [];
  if ((smtpUser === undefined) !== (smtpPass === undefined)) found.push('SMTP_USER and SMTP_PASS are set together or not at all.');
  if (smtpFrom === undefined && !isAddress(smtpUser ?? '')) found.push('SMTP_FROM is required where mail is sent (SMTP_HOST).');
  if (nodeEnv === 'production' && frontendUrl === undefined && resetPasswordUrl === undefined) {
    found.push('FRONTEND_URL (or auth.email.resetPasswordUrl of the settings file) is required where mail is sent.');
  }
  return found;
}
