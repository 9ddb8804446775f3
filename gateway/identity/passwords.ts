import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { ApiError } from '../error.ts';
import { startBackground, type Background } from '../process/background/start.ts';
import { createInTurn } from '../process/in-turn.ts';

const CORES = availableParallelism();
/** Those that wait are as many as are done in about two seconds. */
const WAITING = CORES * 32;

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
export function createPasswords({ atOnce = CORES, waiting = WAITING, cost = COST } = {}): Passwords {
  const full = () => new ApiError(503, 'SERVICE_UNAVAILABLE', 'Too many sign-ins are under way; try again.');
  const inTurn = createInTurn({ atOnce, waiting, full });
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
}

async function hash(password: string, cost: Cost): Promise<string> {
  return await asked('hash', { password, cost }) as string;
}

/** One a process, while there are requests for it. */
let hasher: Background | undefined;

async function asked(of: 'hash' | 'verify', given: unknown): Promise<unknown> {
  if (hasher === undefined || hasher.ended.aborted) hasher = startHasher();
  return hasher.ask(of, given).catch((error: unknown) => {
    throw new ApiError(503, 'SERVICE_UNAVAILABLE', 'Passwords cannot be checked now; try again.', undefined, { cause: error });
  });
}

function startHasher(): Background {
  return startBackground(join(import.meta.dirname, `password-process${extname(import.meta.filename)}`), CORES);
}
