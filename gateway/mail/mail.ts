import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MailKind } from '../config/mail-templates.ts';
import { isDeliverable } from './address.ts';
import { MailError } from './error.ts';
import { mailboxTransport, type Mailbox } from './mailbox.ts';
import { checkMessage, type Message, type Sent } from './message.ts';
import { render, type Recipient, type RenderOptions } from './render.ts';
import { smtpTransport, type Smtp } from './smtp.ts';
import type { MailData } from './templates.ts';

export type MailOptions = Omit<RenderOptions, 'bases'> & {
  smtp: Smtp | undefined;
  /** Where there is no SMTP server; undefined in production. */
  mailbox: Mailbox | undefined;
  /** Asked with every mail: a development service knows its own address only when it listens. */
  bases: () => RenderOptions['bases'];
  log: Logger;
};

export type Mail = {
  /** Whether a mail goes anywhere. */
  configured: boolean;
  /**
   * Sends one of the service's own mails. To an undeliverable address (a guest's) nothing is sent, and no recipient accepts.
   * @param requestId of the request that it is sent for, for the log
   * @throws MailError when no recipient is accepted, or no mail is configured.
   */
  send: <Kind extends MailKind>(kind: Kind, to: Recipient, data: MailData[Kind], requestId?: string) => Promise<Sent>;
  /** The same beside the answer to a request, which must not tell how it went: a failure is logged. */
  sendLater: <Kind extends MailKind>(kind: Kind, to: Recipient, data: MailData[Kind], requestId: string) => void;
  /** Sends a message of the project. @throws MailError also for a header or an address with several values. */
  sendMessage: (message: Message, requestId?: string) => Promise<Sent>;
  /** Whether the server lets us in. @throws MailError saying why not. */
  verify: () => Promise<void>;
  /** Resolves when what is under way is sent, at the latest after so many milliseconds. */
  close: (deadline: number) => Promise<void>;
};

/** The one way out for mail. */
export function openMail({ smtp, mailbox, bases, branding, templates, log }: MailOptions): Mail {
  const server = smtp && smtpTransport(smtp);
  const transport = server ?? (mailbox && mailboxTransport(mailbox, log));
  const underWay = new Set<Promise<unknown>>();

  async function sendMessage(message: Message, requestId?: string): Promise<Sent> {
    if (transport === undefined) throw new MailError('No mail is configured (SMTP_HOST).');
    checkMessage(message);
    const sending = transport.deliver(message, requestId);
    underWay.add(sending);
    try {
      return await sending;
    } finally {
      underWay.delete(sending);
    }
  }

  async function send<Kind extends MailKind>(kind: Kind, to: Recipient, data: MailData[Kind], requestId?: string): Promise<Sent> {
    if (!isDeliverable(to.email)) return { accepted: [], rejected: [] };
    return sendMessage(render(kind, to, data, { branding, templates, bases: bases() }), requestId);
  }

  function sendLater<Kind extends MailKind>(kind: Kind, to: Recipient, data: MailData[Kind], requestId: string): void {
    send(kind, to, data, requestId).catch((error: unknown) => {
      if (error instanceof MailError) log.warn({ requestId, mail: kind }, error.message); // its cause may name the recipient
      else log.error({ requestId, mail: kind, err: error }, 'A mail was not sent.');
    });
  }

  async function verify(): Promise<void> {
    await transport?.verify();
  }

  async function close(deadline: number): Promise<void> {
    await Promise.race([Promise.allSettled(underWay), setTimeout(deadline, undefined, { ref: false })]);
    server?.close();
  }

  return { configured: transport !== undefined, send, sendLater, sendMessage, verify, close };
}
