/** What people find in their mailboxes. */
import { type Accounts } from './people.ts';

/** What was mailed to an address, the newest first. */
export async function mailsTo({ mailbox }: Pick<Accounts, 'mailbox'>, address: string, subject = /./): Promise<{ subject: string; links: string[]; text?: string | undefined }[]> {
  return (await mailbox?.list() ?? []).filter(mail => mail.to === address && subject.test(mail.subject));
}

/** The token of the newest link that was mailed there; mails go beside the answer. */
export async function linked(people: Pick<Accounts, 'mailbox'>, address: string, subject: RegExp): Promise<string> {
  for (let tries = 0; tries < 500; tries++) {
    const link = (await mailsTo(people, address, subject))[0]?.links[0];
    if (link !== undefined) return new URL(link).searchParams.get('token') ?? '';
    await new Promise(resolve => setImmediate(resolve));
  }
  throw new Error(`Nothing was mailed to ${address}.`);
}

export async function code(people: Pick<Accounts, 'mailbox'>, address: string): Promise<string> {
  for (let tries = 0; tries < 500; tries++) {
    const text = (await mailsTo(people, address, /code/))[0]?.text;
    if (text !== undefined) return /\b\d{6}\b/.exec(text)?.[0] ?? '';
    await new Promise(resolve => setImmediate(resolve));
  }
  throw new Error(`No code was mailed to ${address}.`);
}
