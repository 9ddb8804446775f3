import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { ServiceClient } from '../authoring/client.ts';
import type { Identity } from '../authoring/identity.ts';
import type { Ask } from '../authoring/request.ts';
import type { ProjectFile } from '../discover.ts';

type Handler = (...given: unknown[]) => unknown;
/** Calls the handler of a file: its argument and its result are JSON. */
export type Handling = (argument: string, identity: Identity) => Promise<string>;
/** `says`: the members of the default export beside the handler. */
type Loaded = { handle: Handling; says: Record<string, unknown> };

/** Characters of a result as JSON. */
const LONGEST_RESULT = 1_048_576;
/** Lines of a run that are passed on, and characters of one; how many more there were is told at the end. */
const MOST_LINES = 500;
const LONGEST_LINE = 2_000;

/** Another attempt would do the work again, and its result could not be kept either. The gateway knows it by its name. */
class LastAttempt extends Error {
  override readonly name = 'LastAttempt';
}

/** Loads a file of jobs/ or crons/. @throws Error that says why the file cannot be used. */
export async function loadHandler({ folder, path }: ProjectFile, rowgate: ServiceClient, ask: Ask): Promise<Loaded> {
  const { default: given } = await import(pathToFileURL(path).href) as { default?: unknown };
  const { handler, ...says } = partsOf(given, folder);
  const handle: Handling = folder === 'jobs'
    ? async (job, { signal }) => resultOf(await handler(JSON.parse(job), { rowgate, signal }))
    : async (run, { call, signal }) => shortResultOf(await withLog(ask, call, log =>
      handler({ ...JSON.parse(run) as object, log, signal, rowgate })));
  return { handle, says };
}

function partsOf(given: unknown, folder: ProjectFile['folder']): { handler: Handler } & Record<string, unknown> {
  if (given === undefined) throw new Error('it has no default export');
  if (folder === 'jobs' && typeof given === 'function') return { handler: given as Handler };
  const { handler, ...more } = typeof given === 'object' && given !== null ? given as { handler?: unknown } : {};
  if (typeof handler === 'function') {
    return { handler: (handler as Handler).bind(given), ...JSON.parse(JSON.stringify(more, spelled)) as Record<string, unknown> };
  }
  const found = folder === 'jobs' ? 'neither a function nor an object with a handler' : 'not defineCron({…})';
  throw new Error(`its default export is ${found}`);
}

/** A number that JSON does not have, as a text. */
function spelled(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

function resultOf(value: unknown): string {
  const text = jsonOf(value);
  if (text.length > LONGEST_RESULT) throw new LastAttempt(`Its result is longer than ${LONGEST_RESULT} characters.`);
  return text;
}

/** A scheduled run without its result has succeeded all the same. */
function shortResultOf(value: unknown): string {
  const text = jsonOf(value);
  return text.length > LONGEST_RESULT ? JSON.stringify({ omitted: `a result of ${text.length} characters` }) : text;
}

function jsonOf(value: unknown): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text ?? 'null';
  } catch (error) {
    throw new LastAttempt(`Its result is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function withLog(ask: Ask, call: number, run: (log: (...given: unknown[]) => void) => unknown): Promise<unknown> {
  let lines = 0;
  const send = (line: string, times: number) => { ask('log', call, { line, times }).catch(() => undefined); };
  try {
    return await run((...given) => {
      lines += 1;
      if (lines <= MOST_LINES) send(given.map(textOf).join(' ').slice(0, LONGEST_LINE), 1);
    });
  } finally {
    if (lines > MOST_LINES) send('', lines - MOST_LINES);
  }
}

function textOf(given: unknown): string {
  if (typeof given === 'string' || given instanceof Error) return String(given);
  try {
    const text = JSON.stringify(given) as string | undefined;
    return text ?? String(given);
  } catch {
    return inspect(given);
  }
}
