import { format } from 'node:util';
import { current } from '../authoring/identity.ts';
import type { SentLine } from '../call.ts';

type Level = SentLine['level'];

/** Most lines, and characters, in a second; what is more is left out and counted. */
const MOST = { lines: 500, characters: 256 * 1024 };
/** Characters of one line. */
const LONGEST = 8 * 1024;
const LEVELS = { log: 'info', info: 'info', debug: 'debug', trace: 'debug', warn: 'warn', error: 'error' } as const;

/** Sends what is written to the console and to the standard streams as lines of the log, at their level, with function and request. */
export function takeOutput(send: (line: SentLine) => void): (level: Level, text: string) => void {
  let [lines, characters, leftOut, since] = [0, 0, 0, 0];
  for (const [method, level] of Object.entries(LEVELS)) {
    console[method as 'log'] = (...given: unknown[]) => { say(level, format(...given)); };
  }
  process.stdout.write = writing('info');
  process.stderr.write = writing('error');
  return say;

  function writing(level: Level): typeof process.stdout.write {
    return (text: string | Uint8Array, ...more: unknown[]) => {
      say(level, (typeof text === 'string' ? text : Buffer.from(text).toString()).replace(/\n$/, ''));
      const done = more.at(-1);
      if (typeof done === 'function') process.nextTick(done);
      return true;
    };
  }

  function say(level: Level, text: string): void {
    const now = performance.now();
    if (now - since >= 1000) next(now);
    const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
    lines += 1;
    characters += shown.length;
    if (lines > MOST.lines || characters > MOST.characters) return leaveOut();
    const call = current.getStore();
    send({ level, function: call?.function, requestId: call?.requestId, text: shown });
  }

  function leaveOut(): void {
    if (leftOut === 0) setTimeout(() => next(performance.now()), 1000).unref();
    leftOut += 1;
  }

  function next(now: number): void {
    const count = leftOut;
    [lines, characters, leftOut, since] = [0, 0, 0, now];
    const text = `${count} lines of output were left out: more than ${MOST.lines} in a second, or too long.`;
    if (count > 0) send({ level: 'warn', text });
  }
}
