import { existsSync } from 'node:fs';
import { BootError } from '../error.ts';

const FILE = '.env';

/**
 * Adds what `.env` in the working directory says to the environment of this process; what the environment has already stays.
 * Tests (NODE_ENV=test) are not to depend on it.
 * @throws BootError for a file that cannot be read.
 */
export function readEnvFile(): void {
  if (process.env['NODE_ENV'] === 'test' || !existsSync(FILE)) return;
  try {
    process.loadEnvFile(FILE);
  } catch (error) {
    throw new BootError(`${FILE} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`, { cause: error });
  }
}
