import { type Answer, type Answers, type Question } from './messages.ts';

/** Asks the parent of this process. @throws Error when it cannot answer. */
export type Ask = (of: string, given?: unknown) => Promise<unknown>;

/** `send` tells the parent. What the parent tells goes to `hear`. */
export function createAsk(send: (question: Question) => void): { ask: Ask; hear: (answer: Answer) => void } {
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

  return { ask, hear };
}

/** The parent's part. */
export async function answerTo({ ask, of, given }: Question, answers: Answers): Promise<Answer> {
  try {
    const answer = answers[of];
    if (answer === undefined) throw new Error(`Nobody answers ${of}.`);
    return { answered: ask, result: await answer(given) };
  } catch (error) {
    return { answered: ask, failed: (error as Error).message };
  }
}
