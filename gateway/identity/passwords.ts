import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { ApiError } from '../error.ts';
import { createAsk, type Ask } from '../process/workers/ask.ts';
import { type Answer } from '../process/workers/messages.ts';

const CORES = availableParallelism();
/** Those that wait are as many as are done in about two seconds. */
const WAITING = CORES * 32;
/** Milliseconds until a process that nobody asks anything ends. */
const IDLE = 60_000;

/** What a hash took goes back to the system: 20 MiB less. */
const FRUGAL = { NODE_OPTIONS: '--max-semi-space-size=1', MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '262144' };

/** KiB, passes, lanes. */
export type Cost = { memoryCost: number; timeCost: number; parallelism: number };

/** OWASP's second choice for argon2id. */
const COST: Cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export type Passwords = {
  hash: (password: string) => Promise<string>;
  /** Whether it is the password of this hash. Without a hash, or with one that cannot be read, it takes as long and it is not. */
  verify: (password: string, hash: string | null) => Promise<boolean>;
};

/** As many at once as there are cores. @throws ApiError 503 SERVICE_UNAVAILABLE when too many wait. */
export function createPasswords({ atOnce = CORES, waiting: most = WAITING, cost = COST } = {}): Passwords {
  const waiting: (() => void)[] = [];
  let atWork = 0;
  let nobodys: Promise<string> | undefined;

  return {
    hash: password => inTurn(() => hash(password, cost)),
    verify: (password, known) => inTurn(async () => {
      nobodys ??= hash(randomBytes(32).toString('hex'), cost);
      const readable = known?.startsWith('$argon2') === true ? known : undefined;
      const isRight = await asked('verify', { known: readable ?? await nobodys, password }) as boolean;
      return isRight && readable !== undefined;
    }),
  };

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (atWork >= atOnce) await turn();
    else atWork += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) atWork -= 1;
      else next();
    }
  }

  function turn(): Promise<void> {
    if (waiting.length >= most) {
      throw new ApiError(503, 'SERVICE_UNAVAILABLE', 'Too many sign-ins are under way; try again.');
    }
    return new Promise(resolve => waiting.push(resolve));
  }
}

async function hash(password: string, cost: Cost): Promise<string> {
  return await asked('hash', { password, cost }) as string;
}

/** One a process, while somebody asks something. */
let hasher: { ask: Ask; end: NodeJS.Timeout } | undefined;

async function asked(of: 'hash' | 'verify', given: unknown): Promise<unknown> {
  hasher ??= startHasher();
  hasher.end.refresh();
  return hasher.ask(of, given).catch((error: unknown) => {
    throw new ApiError(503, 'SERVICE_UNAVAILABLE', 'Passwords cannot be checked now; try again.', undefined, { cause: error });
  });
}

/** It keeps no process from ending. */
function startHasher(): NonNullable<typeof hasher> {
  const child = fork(join(import.meta.dirname, `password-process${extname(import.meta.filename)}`), {
    env: { ...FRUGAL, PATH: process.env['PATH'], UV_THREADPOOL_SIZE: String(CORES) }, serialization: 'advanced',
  });
  const { ask, hear, fail } = createAsk(question => child.send(question));
  const leave = () => { if (hasher === started) hasher = undefined; };
  const end = setTimeout(() => { leave(); child.disconnect(); }, IDLE).unref();
  const started = { ask, end };
  child.on('message', (answer: Answer) => { hear(answer); });
  child.on('error', fail);
  child.on('exit', () => {
    clearTimeout(end);
    leave();
    fail(new Error('The process that hashes passwords has ended.'));
  });
  child.unref();
  child.channel?.unref();
  return started;
}
