// Hashes passwords at a low priority: clients that try passwords delay no reader.
import { argon2id, hash, verify } from 'argon2';
import { serveBackground } from '../process/background/serve.ts';
import type { Cost } from './passwords.ts';

serveBackground({
  hash(given) {
    const { password, cost } = given as { password: string; cost: Cost };
    return hash(password, { type: argon2id, ...cost });
  },
  verify(given) {
    const { known, password } = given as { known: string; password: string };
    return verify(known, password).catch(() => false);
  },
});
