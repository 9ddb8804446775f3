/** A question to another process, and its answer, as messages. `of` names what is asked. */
export type Question = { ask: number; of: string; given: unknown };
export type Answer = { answered: number; result: unknown } | { answered: number; failed: string };

/** Handlers of questions, by their names. */
export type Answers = Readonly<Record<string, (given: unknown) => unknown>>;

/** Asks the other process. @throws Error with the message of what the handler failed with, or of `fail`. */
export type Ask = (of: string, given?: unknown) => Promise<unknown>;

type Asking = { ask: Ask; hear: (answer: Answer) => void; fail: (reason: Error) => void };

/** `send` sends a question. The caller passes each answer to `hear`, and calls `fail` once the other process is gone. */
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

/** Answers a question by its handler. Never rejects. */
export function answerTo({ ask, of, given }: Question, answers: Answers): Promise<Answer> {
  return answered(ask, () => {
    const answer = Object.hasOwn(answers, of) ? answers[of] : undefined;
    if (answer === undefined) throw new Error(`No process answers ${of}.`);
    return answer(given);
  });
}

/** The answer to the question of that number. Never rejects. */
export async function answered(ask: number, answer: () => unknown): Promise<Answer> {
  try {
    return { answered: ask, result: await answer() };
  } catch (error) {
    return { answered: ask, failed: (error as Error).message };
  }
}
