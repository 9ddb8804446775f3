import type { Logger } from 'pino';
import type { Config } from '../features/config.ts';
import type { LinkBases } from '../mail/links.ts';
import { createMailbox, type Mailbox } from '../mail/mailbox.ts';
import { openMail, type Mail } from '../mail/mail.ts';
import type { Smtp } from '../mail/smtp.ts';

/** A development service without SMTP has a mailbox; in production mail would be lost in it. */
export function mailboxOf({ smtpHost, production }: Config, make = createMailbox): Mailbox | undefined {
  return smtpHost === undefined && !production ? make() : undefined;
}

export type ServiceMailOptions = {
  config: Config;
  mailbox: Mailbox | undefined;
  /** Where the service is reached from its own machine, once it listens. */
  ownAddress: () => string;
  log: Logger;
};

/** Mail as the settings have it. */
export function openServiceMail({ config, mailbox, ownAddress, log }: ServiceMailOptions): Mail {
  const { appName, emailLogoUrl: logoUrl, settingsFile: { email } } = config;
  const bases = () => basesOf(config, ownAddress());
  return openMail({ smtp: smtpOf(config), mailbox, branding: { appName, logoUrl }, templates: email?.templates ?? {}, bases, log });
}

/** Outside production the service itself takes the place of a missing frontend. */
function basesOf({ frontendUrl, production, settingsFile: { auth } }: Config, ownAddress: string): LinkBases {
  const { resetPasswordUrl: reset, verifyEmailUrl: verify, magicLinkUrl: magic } = auth?.email ?? {};
  return { app: frontendUrl ?? (production ? undefined : ownAddress), reset, verify, magic };
}

function smtpOf(config: Config): Smtp | undefined {
  const { smtpHost: host, smtpPort: port, smtpSecure, smtpUser: user, smtpPass: pass, smtpFrom } = config;
  if (host === undefined) return undefined;
  const { name = config.appName, address = user ?? '' } = smtpFrom ?? {};
  return {
    host, port,
    secure: smtpSecure ?? port === 465,
    auth: user === undefined || pass === undefined ? undefined : { user, pass },
    name: config.smtpName ?? (config.frontendUrl === undefined ? undefined : new URL(config.frontendUrl).hostname),
    from: { name, address },
  };
}

/** Says at boot what would else be noticed with the first mail. It does not hold up the start: the server may come later. */
export async function warnOfMail(mail: Mail, { smtpHost = '', smtpPort }: Config, log: Logger): Promise<void> {
  try {
    await mail.verify();
  } catch (error) {
    log.warn(`Mail cannot be sent through ${smtpHost}:${smtpPort} (SMTP_HOST) at the moment: ${(error as Error).message}.`);
  }
}
