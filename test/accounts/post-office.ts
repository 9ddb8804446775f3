/** A real mail server for people: what arrives there, by the recipient of the envelope. */
import { setTimeout } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import type { Test } from 'tap';
import { startSmtp } from '../mail/smtp.ts';

type Letter = { to: string; subject: string; links: string[]; text: string };
export type PostOffice = {
  /** Settings of a service that sends there, whose requests come from any client address. */
  env: Record<string, string>;
  letters: () => Letter[];
  /** The token of a link that arrives there, each once. */
  linked: (address: string, subject: RegExp) => Promise<string>;
  code: (address: string) => Promise<string>;
};

export async function openPostOffice(t: Pick<Test, 'teardown'>): Promise<PostOffice> {
  const { port, received } = await startSmtp(t);
  const letters = () => received.flatMap(({ to, raw }) => to.map(address => letterOf(withALabels(address), raw))).reverse();
  const taken = new Set<string>();
  return {
    env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port), SMTP_FROM: 'shop@example.com', TRUSTED_PROXY_HOPS: '1' },
    letters,
    linked: async (address, subject) => new URL((await newest(address, subject)).links[0] ?? '').searchParams.get('token') ?? '',
    code: async address => /\b\d{6}\b/.exec((await newest(address, /code/)).text)?.[0] ?? '',
  };

  /** Mails go beside the answer. */
  async function newest(address: string, subject: RegExp): Promise<Letter> {
    for (let tries = 0; tries < 1_000; tries++) {
      const letter = letters().find(({ to, subject: of, text }) => to === address && subject.test(of) && !taken.has(text));
      if (letter !== undefined) {
        taken.add(letter.text);
        return letter;
      }
      await setTimeout(10);
    }
    throw new Error(`Nothing was mailed to ${address}: ${JSON.stringify(letters().map(({ to, subject: of }) => [to, of]))}`);
  }
}

let clients = 0;

/** The header of a request from a client of its own, which no other request of the test counts against. */
export function fromAfar(): Record<string, string> {
  clients++;
  return { 'x-forwarded-for': `10.${clients >> 16 & 255}.${clients >> 8 & 255}.${clients & 255}` };
}

/** The server shows domains as U-labels. */
function withALabels(address: string): string {
  const [local = '', domain = ''] = address.split('@');
  return `${local}@${domainToASCII(domain)}`;
}

function letterOf(to: string, raw: string): Letter {
  const text = raw.replaceAll('=\r\n', '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const plain = /Content-Type: text\/plain[^]*?\r\n\r\n([^]*?)\r\n--/.exec(text)?.[1] ?? '';
  return { to, subject: /^Subject: (.*)\r$/m.exec(raw)?.[1] ?? '', text: plain, links: plain.match(/https?:\/\/\S+/g) ?? [] };
}
