import { isAddress } from '../addresses/address.ts';
import { MailError } from './error.ts';

export type Message = {
  to: string | readonly string[];
  subject: string;
  html: string;
  text?: string;
  replyTo?: string;
  headers?: Readonly<Record<string, string>>;
};

/** Without angle brackets around the id. */
export type Sent = { messageId?: string; accepted: string[]; rejected: string[] };

/** Where a message goes to: an SMTP server, or the development mailbox. */
export type Transport = { deliver: (message: Message, requestId?: string) => Promise<Sent>; verify: () => Promise<void> };

/** RFC 5322 section 2.2: visible ASCII without the colon. */
const HEADER_NAME = /^[\x21-\x39\x3b-\x7e]+$/;
const CONTROL = /\p{Cc}/u;
/** Set by the message itself. Given a second time they would add recipients, or another body. */
const OWN = /^(?:to|cc|bcc|from|sender|reply-to|subject|date|message-id|return-path|mime-version|content-.*|resent-.*)$/i;

/** @throws MailError for what would write another header, or go to another recipient, than it says. */
export function checkMessage({ to, subject, replyTo, headers = {} }: Message): void {
  const recipients = recipientsOf(to);
  if (recipients.length === 0) throw new MailError('A mail needs a recipient.');
  for (const address of replyTo === undefined ? recipients : [...recipients, replyTo]) {
    if (!isAddress(address)) throw new MailError('A recipient of a mail is not one plain address.');
  }
  if (CONTROL.test(subject)) throw new MailError('The subject of a mail holds a control character.');
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) throw new MailError(`A mail may not have a header ${JSON.stringify(name)}.`);
    if (OWN.test(name)) throw new MailError(`The header ${name} of a mail is its own.`);
    if (CONTROL.test(value)) throw new MailError(`The header ${name} of a mail holds a control character.`);
  }
}

export function recipientsOf(to: Message['to']): readonly string[] {
  return typeof to === 'string' ? [to] : to;
}
