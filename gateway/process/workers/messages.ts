/** What a parent tells a worker, over the channel between the two, where no list of processes shows its secrets. */
export type ToWorker<Task> = { serve: Task } | News;
/** What all workers are told: what was heard of the catalog, how the last audit went. */
export type News = { heard: string } | { audit: object };
export type FromWorker = { listening: true } | { failed: string };
