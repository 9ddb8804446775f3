import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { argon2id, hash, verify } from 'argon2';
import { ApiError } from '../error.ts';

/** OWASP's second choice for argon2id: 19 MiB, two passes, one lane. */
const COST = { type: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Threads that Node has for this and for compression. */
const THREADS = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
/** As many at once as there are cores, but one thread less than there are: compression goes on. */
const AT_ONCE = Math.max(1, Math.min(availableParallelism(), THREADS - 1));
/** Those that wait are as many as are done in about two seconds. */
const WAITING = AT_ONCE * 32;

export type Passwords = {
  hash: (password: string) => Promise<string>;
  /** Whether it is the password of this hash. Without a hash, or with one that cannot be read, it takes as long and it is not. */
  verify: (password: string, hash: string | null) => Promise<boolean>;
};

/** @throws ApiError 503 SERVICE_UNAVAILABLE when too many wait. */
export function createPasswords({ atOnce = AT_ONCE, waiting: most = WAITING } = {}): Passwords {
  const waiting: (() => void)[] = [];
  let atWork = 0;
  let nobodys: Promise<string> | undefined;

  return {
    hash: password => inTurn(() => hash(password, COST)),
    verify: (password, known) => inTurn(async () => {
      nobodys ??= hash(randomBytes(32), COST);
      const readable = known?.startsWith('$argon2') === true ? known : undefined;
      const isRight = await verify(readable ?? await nobodys, password).catch(() => false);
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
