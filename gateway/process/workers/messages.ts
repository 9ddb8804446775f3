/** What a parent tells a worker, over the channel between the two, where no list of processes shows its secrets. */
export type ToWorker<Task> = { serve: Task } | { heard: string };
export type FromWorker = { listening: true } | { failed: string };
