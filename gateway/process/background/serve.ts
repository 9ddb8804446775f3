import { setPriority } from 'node:os';
import { answerTo, type Answers, type Question } from '../ask.ts';

/** A tenth of the processor while other processes need it, else all of it. */
const NICE = 10;

/** The descriptor of the bytes that are too much for a message. */
export const BYTES = 4;

/** Makes this process answer questions in the background, as long as its parent lives. */
export function serveBackground(answers: Answers): void {
  setPriority(NICE);
  // Ctrl-C and a closed terminal signal the whole process group; this process ends with its parent.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  // Not by exit(), which waits for threads that are still at work.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', (question: Question) => void answerTo(question, answers).then(answer => process.send?.(answer)));
}
