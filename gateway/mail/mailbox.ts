import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { printable } from '../process/printable.ts';
import { recipientsOf, type Message, type Transport } from './message.ts';

/** A mail that went nowhere, as an admin of a development service reads it. `to` is joined by commas. */
export type Captured = {
  id: number;
  messageId: string;
  /** ISO. */
  at: string;
  to: string;
  subject: string;
  html?: string;
  text?: string;
  links: string[];
};

/** Where a development service without an SMTP server keeps its mail. With workers the parent has it for all of them. */
export type Mailbox = {
  add: (mail: Omit<Captured, 'id'>) => Promise<void>;
  /** The newest first. */
  list: () => Promise<Captured[]>;
  clear: () => Promise<void>;
};

const MOST = 50;

export function createMailbox(): Mailbox {
  let mails: Captured[] = [];
  let count = 0;
  return {
    add: mail => Promise.resolve(void (mails = [{ id: ++count, ...mail }, ...mails].slice(0, MOST))),
    list: () => Promise.resolve(mails),
    clear: () => Promise.resolve(void (mails = [])),
  };
}

/** Delivers to a mailbox, and says in the log what can be followed. */
export function mailboxTransport(mailbox: Mailbox, log: Logger): Transport {
  return {
    verify: () => Promise.resolve(),
    async deliver(message, requestId) {
      const messageId = `${randomUUID()}@mailbox`;
      const accepted = [...recipientsOf(message.to)];
      const links = linksIn(message);
      await mailbox.add({ messageId, at: new Date().toISOString(), to: accepted.join(', '), ...shown(message), links });
      // In fields, which the ring of logs does not keep: a link may be as good as a password.
      const [to, subject, ...shownLinks] = [accepted.join(', '), message.subject, ...links].map(printable);
      log.info({ to, subject, links: shownLinks, requestId }, 'A mail is in the development mailbox.');
      return { messageId, accepted, rejected: [] };
    },
  };
}

function shown({ subject, html, text }: Message): Pick<Captured, 'subject' | 'html' | 'text'> {
  return { subject, html, ...(text !== undefined && { text }) };
}

/** Each once: those of the HTML first, then those of the text. */
export function linksIn({ html, text = '' }: Pick<Message, 'html' | 'text'>): string[] {
  const hrefs = [...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(([, double, single = '']) => unescaped(double ?? single));
  const bare = [...text.matchAll(/https?:\/\/[^\s<>"']+/g)].map(([url]) => url.replace(/[.,;:!?)\]]+$/, ''));
  return [...new Set([...hrefs.filter(href => /^https?:\/\//i.test(href)), ...bare])];
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', '\'').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
