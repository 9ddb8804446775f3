/** Reads mailboxes. */
import { until } from '../harness/until.ts';
import type { Accounts } from './people.ts';

/** The mails to an address, the newest first. */
export async function mailsTo({ mailbox }: Pick<Accounts, 'mailbox'>, address: string, subject = /./): Promise<{
  subject: string; links: string[]; text?: string | undefined;
}[]> {
  return (await mailbox?.list() ?? []).filter(mail => mail.to === address && subject.test(mail.subject));
}

/** The token of the newest link that was mailed there; mails go beside the answer. */
export async function linked(people: Pick<Accounts, 'mailbox'>, address: string, subject: RegExp): Promise<string> {
  const link = await until(`a mail to ${address}`, async () => (await mailsTo(people, address, subject))[0]?.links[0]);
  return new URL(link).searchParams.get('token') ?? '';
}

export async function code(people: Pick<Accounts, 'mailbox'>, address: string): Promise<string> {
  const text = await until(`a code for ${address}`, async () => (await mailsTo(people, address, /code/))[0]?.text);
  return /\b\d{6}\b/.exec(text)?.[0] ?? '';
}
