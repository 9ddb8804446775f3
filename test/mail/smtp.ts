import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Test } from 'tap';
import { openMail, type Mail, type MailOptions } from '../../gateway/mail/mail.ts';
import type { Smtp } from '../../gateway/mail/smtp.ts';

/** A received mail: the envelope, and the raw message. */
export type Received = { from: string; to: string[]; secure: boolean; user: string | undefined; greeting: string; raw: string };

/** A real SMTP server that keeps received mails. No authentication, unless the options say so. Closed after the test. */
export async function startSmtp(
  t: Pick<Test, 'teardown'>, options: SMTPServerOptions = {},
): Promise<{ port: number; received: Received[] }> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: options.onAuth === undefined,
    disabledCommands: ['STARTTLS'],
    logger: false,
    ...options,
    onData(stream, { envelope, secure, user, hostNameAppearsAs }, done) {
      text(stream).then(raw => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), secure, user, greeting: hostNameAppearsAs, raw });
        done();
      }, done);
    },
  });
  server.on('error', () => undefined); // a client that refuses our certificate
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => new Promise<void>(resolve => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, received };
}

export const FROM = { name: 'The Shop', address: 'shop@example.com' };
const SILENT = pino({ level: 'silent' });

/** Mail through a server on this machine, closed after the test. */
export function mailThrough(
  t: Pick<Test, 'teardown'>, smtp: Partial<Smtp> & { port: number } | undefined, options: Partial<MailOptions> = {},
): Mail {
  const mail = openMail({
    smtp: smtp && { host: '127.0.0.1', secure: false, auth: undefined, name: 'app.example.com', from: FROM, ...smtp },
    mailbox: undefined, bases: () => ({ app: 'https://app.example.com' }), branding: { appName: 'The Shop', logoUrl: undefined },
    templates: {}, log: SILENT, ...options,
  });
  t.teardown(() => mail.close(5_000));
  return mail;
}
