import type { NodemailerError, SMTPTransportOptions } from 'nodemailer';
import { MailError } from './error.ts';
import { recipientsOf, type Message, type Sent, type Transport } from './message.ts';

export type Smtp = {
  host: string;
  port: number;
  /** TLS from the first byte; else STARTTLS where the server offers it. */
  secure: boolean;
  auth: { user: string; pass: string } | undefined;
  /** The name of the client in its greeting. */
  name: string | undefined;
  from: Sender;
};
export type Sender = { name: string; address: string };

/** Milliseconds. Nodemailer would wait two minutes for a connection. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

export function smtpTransport({ host, port, secure, auth, name, from }: Smtp): Transport & { close: () => void } {
  const options: SMTPTransportOptions = {
    host, port, secure, ...TIMEOUTS,
    ...(auth !== undefined && { auth }),
    ...(name !== undefined && { name }),
    // A password is sent encrypted or not at all: an attacker that removes STARTTLS from a greeting could read it.
    requireTLS: auth !== undefined && !isLoopback(host),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const opening = import('nodemailer').then(({ createTransport }) => createTransport(options)); // loaded where mail is configured


  async function deliver({ to, ...message }: Message): Promise<Sent> {
    try {
      // Objects, not text: in text a comma would begin another recipient.
      const recipients = recipientsOf(to).map(address => ({ name: '', address }));
      const { messageId, accepted, rejected } = await (await opening).sendMail({ ...message, from, to: recipients });
      return { ...idOf(messageId), accepted: accepted.map(addressOf), rejected: rejected.map(addressOf) };
    } catch (cause) {
      throw new MailError(`The mail could not be sent: ${reason(cause)}.`, { cause });
    }
  }

  async function verify(): Promise<void> {
    try {
      await (await opening).verify();
    } catch (cause) {
      throw new MailError(reason(cause), { cause });
    }
  }

  return { deliver, verify, close: () => void opening.then(transporter => transporter.close()) };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host);
}

function idOf(messageId: string | undefined): { messageId?: string } {
  return messageId === undefined ? {} : { messageId: messageId.replace(/^<|>$/g, '') };
}

function addressOf(given: string | { address: string }): string {
  return typeof given === 'string' ? given : given.address;
}

/** The kind of failure and the server's status code. Its words may quote the recipient. */
function reason(cause: unknown): string {
  const { code = 'unknown', responseCode } = cause as NodemailerError;
  return responseCode === undefined ? code : `${code}, the server answered ${responseCode}`;
}
