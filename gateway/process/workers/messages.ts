/** What a parent tells a worker, over the channel between the two, where no list of processes shows its secrets. */
export type ToWorker<Task> = { serve: Task } | News | Told | Answer;
/** What all workers are told: what was heard of a channel, how the last audit went. */
export type News = Heard | { audit: object };
/** `heard` is a payload; `hears`: whether the channel is heard from now on. */
export type Heard = { channel: string } & ({ heard: string } | { hears: boolean });
/** The same for a worker that is to say when it knows. */
export type Told = { tell: Heard; number: number };
export type FromWorker = { listening: true } | { failed: string } | { knows: number } | Question;
/** What the parent keeps or does for all workers, and one of them asks of it. */
export type Question = { ask: number; of: string; given: unknown };
export type Answer = { answered: number; result: unknown } | { answered: number; failed: string };
/** What workers may ask of their parent, by name. */
export type Answers = Readonly<Record<string, (given: unknown) => unknown>>;
/** Of these: tells all workers something heard, and answers when each of them knows. */
export const TELL_ALL = 'tellAll';
