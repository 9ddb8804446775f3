import type { Answer, Question } from '../ask.ts';

/** A message of a topic, between processes. */
export type Named = { topic: string; message: unknown; isKept: boolean };

/** The name of the question by which a worker has its parent announce a message. */
export const ANNOUNCE = 'bus.announce';

/** A message from the parent to a worker. A message with a number is answered with `handled`. */
export type ToWorker<Task> = { serve: Task } | Published | Answer;
export type Published = Named & { number?: number };

/** A message from a worker to its parent. `toAll`: for every process of the start. */
export type FromWorker = { listening: true } | { failed: string } | { handled: number } | { toAll: Named } | Question;
