import { type Answer, type Answers, type Question } from './messages.ts';

/** Asks another process: its parent, or one that it started. @throws Error when it cannot answer. */
export type Ask = (of: string, given?: unknown) => Promise<unknown>;

type Asking = { ask: Ask; hear: (answer: Answer) => void; fail: (reason: Error) => void };

/** `send` tells the other one. What that tells goes to `hear`; when it is gone whoever waits is told by `fail`. */
export function createAsk(send: (question: Question) => void): Asking {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let count = 0;

  function ask(of: string, given?: unknown): Promise<unknown> {
    const resolvers = Promise.withResolvers<unknown>();
    waiting.set(++count, resolvers);
    send({ ask: count, of, given });
    return resolvers.promise;
  }

  function hear(answer: Answer): void {
    const resolvers = waiting.get(answer.answered);
    waiting.delete(answer.answered);
    if ('failed' in answer) resolvers?.reject(new Error(answer.failed));
    else resolvers?.resolve(answer.result);
  }

  function fail(reason: Error): void {
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  }

  return { ask, hear, fail };
}

/** The other one's part. */
export async function answerTo({ ask, of, given }: Question, answers: Answers): Promise<Answer> {
  try {
    const answer = answers[of];
    if (answer === undefined) throw new Error(`Nobody answers ${of}.`);
    return { answered: ask, result: await answer(given) };
  } catch (error) {
    return { answered: ask, failed: (error as Error).message };
  }
}
