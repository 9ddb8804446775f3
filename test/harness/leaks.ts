// Requests of tests carry credentials, query strings, and longer texts in bodies of data and accounts. No log may have them: each line that
// a service under test logs is searched for those that were sent before it.
import { pino, type Logger } from 'pino';
import { errorSerializer } from '../../gateway/logs/logged-error.ts';

/** Shorter texts are words that lines have by chance. */
const SHORTEST = 16;
/** The last ones: to look for each of a long test's in every line would take minutes. */
const MOST = 300;
/** Development has no other way to follow a link. */
const SHOWS_LINKS = 'A mail is in the development mailbox.';
/** Paths of requests; callers, whom a body may name too; the SQL of administrators, who answer for it, without its literals. */
const SHOWN = new Set(['path', 'uid', 'statement']);
const BODIES = /\/api\/(?:data|auth)\//;

const sent = new Set<string>();
let isListening = false;

/** A logger that prints nothing, and the lines in which it found what was sent, or one of these secrets. */
export function watchedLog(secrets: readonly string[]): { log: Logger; leaks: string[] } {
  listen();
  const leaks: string[] = [];
  const write = (line: string) => {
    if (line.includes(SHOWS_LINKS)) return;
    const entry = JSON.parse(line) as { path?: string; id?: string };
    const ofPath = entry.path?.includes(encodeURIComponent(entry.id ?? '')) === true ? ['id'] : [];
    const kept = Object.entries(entry).filter(([name]) => !SHOWN.has(name) && !ofPath.includes(name));
    const text = JSON.stringify(kept).replaceAll('\\"', '"');
    const found = [...secrets, ...sent].find(one => text.includes(one));
    if (found !== undefined) leaks.push(`${JSON.stringify(found)} in ${line}`);
  };
  return { log: pino({ level: 'debug', serializers: { err: errorSerializer(false) } }, { write }), leaks };
}

function listen(): void {
  if (isListening) return;
  isListening = true;
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    if (typeof input === 'string') remember(input, init);
    return fetch(input, init);
  };
}

function remember(address: string, { headers, body }: RequestInit = {}): void {
  const credential = new Headers(headers).get('authorization')?.split(' ')[1];
  const query = address.split('?')[1];
  const texts = BODIES.test(address) && typeof body === 'string' ? textsOf(body) : [];
  for (const text of [credential, query, ...texts]) if (text !== undefined && text.length >= SHORTEST) keep(text);
}

function keep(text: string): void {
  sent.delete(text);
  sent.add(text);
  const [oldest] = sent;
  if (sent.size > MOST && oldest !== undefined) sent.delete(oldest);
}

/** The values of a body, at any depth. */
function textsOf(body: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(body, (_, value: unknown) => { if (typeof value === 'string') texts.push(value); });
  } catch {
    texts.push(body);
  }
  return texts;
}
