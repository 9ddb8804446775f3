/** What a parent tells a worker, over the channel between the two, where no list of processes shows its secrets. */
export type ToWorker<Task> = { serve: Task } | News | Asked | Known | Answer;
/** What all workers are told: what was heard of a channel, how the last audit went. */
export type News = Heard | { audit: object };
/** `heard` is a payload; `hears`: whether the channel is heard from now on. */
export type Heard = { channel: string } & ({ heard: string } | { hears: boolean });
/** What a worker says when it knows. */
export type Asked = { tell: Heard; number: number };
/** All know what the worker has asked to pass on. */
export type Known = { allKnow: number };
export type FromWorker = { listening: true } | { failed: string } | { knows: number } | { passOn: Heard; number: number } | Question;
/** What the parent keeps for all workers, and one of them wants to know or to change. */
export type Question = { ask: number; of: string; given: unknown };
export type Answer = { answered: number; result: unknown } | { answered: number; failed: string };
/** What workers may ask of their parent, by name. */
export type Answers = Readonly<Record<string, (given: unknown) => unknown>>;
