/** A job of service.jobs that was claimed. */
export type Job = { id: string; task: string; payload: unknown; attempts: number; maxAttempts: number; createdAt: Date };

/** Does a task, once at least; rejects when it has to be tried again. */
export type Handler = (job: Job) => Promise<void>;
/** By task. */
export type Handlers = Readonly<Record<string, Handler>>;
