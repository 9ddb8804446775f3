// Hashes passwords, behind whatever else the machine has to do: who tries passwords holds up nobody who reads.
import { setPriority } from 'node:os';
import { argon2id, hash, verify } from 'argon2';
import { answerTo } from '../process/workers/ask.ts';
import { type Answers, type Question } from '../process/workers/messages.ts';
import { type Cost } from './passwords.ts';

/** A tenth of the processor where others want it too, all of it where nobody does. */
const NICE = 10;

const answers: Answers = {
  hash(given) {
    const { password, cost } = given as { password: string; cost: Cost };
    return hash(password, { type: argon2id, ...cost });
  },
  verify(given) {
    const { known, password } = given as { known: string; password: string };
    return verify(known, password).catch(() => false);
  },
};

setPriority(NICE);
// Ctrl-C and a closed terminal reach the whole group; this ends with whoever started it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (question: Question) => void answerTo(question, answers).then(answer => process.send?.(answer)));
