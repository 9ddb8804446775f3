/** The table of jobs as the simplest program has it. Times are ticks of a clock that the test sets. */
export type Row = {
  /** Stands for the id, which the database draws. */
  n: number;
  task: string; status: 'pending' | 'running' | 'succeeded' | 'failed'; priority: number; queue: string | null; key: string | null;
  attempts: number; maxAttempts: number | null; runAt: number; lockedAt: number | null; lockedBy: string | null; updatedAt: number;
  error: string | null; result: number | null;
};
export type Claim = { n: number; workerId: string; attempt: number };
export type Options = Partial<Pick<Row, 'priority' | 'queue' | 'key' | 'runAt' | 'maxAttempts'>>;
/** Spans (`delay`, `silence`, `age`) are ticks. */
export type Step =
  | { act: 'enqueue'; n: number; task: string; options: Options }
  | { act: 'claim'; workerId: string; most: number; tasks: string[] }
  | { act: 'complete'; claim: Claim }
  | { act: 'fail'; claim: Claim; retryAt: number | null }
  | { act: 'heartbeat'; claim: Claim }
  | { act: 'cancel' | 'retry'; n: number }
  | { act: 'reap'; silence: number }
  | { act: 'sweep'; succeeded: number; failed: number };
/** As the function of SQL answers; `claim`: the numbers of the jobs, sorted. An SQLSTATE where it refuses. */
export type Answer = boolean | number | number[] | string;

export type Model = {
  /** In the order of their places. */
  rows: Row[];
  now: number;
  /** The workers whose session lives. A worker whose name is no presence has none. */
  present: Set<string>;
};

const isPresence = (workerId: string): boolean => /^\d+-[0-9a-f]{8}$/.test(workerId);
const isUnfinished = ({ status }: Row): boolean => status === 'pending' || status === 'running';

/** A job that a worker may have now, whether or not others come first. */
export function isFree({ rows, now }: Model, row: Row, tasks: readonly string[]): boolean {
  const isHeld = row.queue !== null && rows.some(other => other !== row && other.queue === row.queue
    && (other.status === 'running' || (other.status === 'pending' && rows.indexOf(other) < rows.indexOf(row))));
  return row.status === 'pending' && row.runAt <= now && tasks.includes(row.task) && !isHeld;
}

export function take(model: Model, taken: readonly number[], workerId: string): void {
  for (const row of model.rows.filter(({ n }) => taken.includes(n))) {
    Object.assign(row, {
      status: 'running', attempts: row.attempts + 1, maxAttempts: row.maxAttempts ?? 3, lockedBy: workerId, lockedAt: model.now,
      updatedAt: model.now,
    });
  }
}

/** Changes the model as the function of SQL changes the table. */
export function apply(model: Model, step: Step): Answer {
  switch (step.act) {
    case 'enqueue': return enqueue(model, step);
    case 'claim': return claim(model, step);
    case 'complete': return end(model, step.claim, row => ({ status: 'succeeded', result: row.n }));
    case 'fail': return end(model, step.claim, row =>
      ({ status: step.retryAt === null ? 'failed' : 'pending', runAt: step.retryAt ?? row.runAt, error: 'it failed' }));
    case 'heartbeat': return heartbeat(model, step.claim);
    case 'cancel': return cancel(model, step.n);
    case 'retry': return retry(model, step.n);
    case 'reap': return reap(model, step.silence);
    case 'sweep': return sweep(model, step);
  }
}

function enqueue(model: Model, { n, task, options }: { n: number; task: string; options: Options }): boolean {
  const { priority = 0, queue = null, key = null, runAt = model.now, maxAttempts = null } = options;
  if (isKeyTaken(model, key)) return false;
  model.rows.push({
    n, task, status: 'pending', priority, queue, key, attempts: 0, maxAttempts, runAt, lockedAt: null, lockedBy: null,
    updatedAt: model.now, error: null, result: null,
  });
  return true;
}

function isKeyTaken({ rows }: Model, key: string | null): boolean {
  return key !== null && rows.some(row => row.key === key && isUnfinished(row));
}

function claim(model: Model, { workerId, most, tasks }: { workerId: string; most: number; tasks: string[] }): number[] {
  const { rows } = model;
  const taken = rows.filter(row => isFree(model, row, tasks))
    .sort((a, b) => b.priority - a.priority || a.runAt - b.runAt || rows.indexOf(a) - rows.indexOf(b))
    .slice(0, most).map(({ n }) => n).sort((a, b) => a - b);
  take(model, taken, workerId);
  return taken;
}

function held({ rows }: Model, { n, workerId, attempt }: Claim): Row | undefined {
  return rows.find(row => row.n === n && row.status === 'running' && row.lockedBy === workerId && row.attempts === attempt);
}

function end(model: Model, claim: Claim, change: (row: Row) => Partial<Row>): boolean {
  const row = held(model, claim);
  if (row) leave(model, row, change(row));
  return row !== undefined;
}

function leave({ now }: Model, row: Row, change: Partial<Row>): void {
  Object.assign(row, { lockedAt: null, lockedBy: null, updatedAt: now }, change);
}

function heartbeat(model: Model, claim: Claim): boolean {
  const row = held(model, claim);
  if (row) row.lockedAt = model.now;
  return row !== undefined;
}

function cancel(model: Model, n: number): boolean {
  const row = model.rows.find(row => row.n === n && isUnfinished(row));
  if (row) leave(model, row, { status: 'failed', error: 'It was cancelled.' });
  return row !== undefined;
}

/** In its place, which is the last. */
function retry(model: Model, n: number): boolean | string {
  const row = model.rows.find(row => row.n === n && row.status === 'failed');
  if (row === undefined) return false;
  if (isKeyTaken(model, row.key)) return '23505';
  leave(model, row, { status: 'pending', attempts: 0, runAt: model.now });
  model.rows = [...model.rows.filter(other => other !== row), row];
  return true;
}

function reap(model: Model, silence: number): number {
  const { rows, now, present } = model;
  const gone = rows.filter(({ status, lockedBy, lockedAt }) => status === 'running'
    && !(isPresence(lockedBy ?? '') ? present.has(lockedBy ?? '') : (lockedAt ?? 0) >= now - silence));
  for (const row of gone) {
    const why = isPresence(row.lockedBy ?? '') ? 'is gone' : 'was not heard of';
    leave(model, row, { status: row.attempts < (row.maxAttempts ?? 0) ? 'pending' : 'failed', runAt: now, error: why });
  }
  return gone.length;
}

function sweep(model: Model, { succeeded, failed }: { succeeded: number; failed: number }): number {
  const { rows, now } = model;
  const left = rows.filter(({ status, updatedAt }) => !((status === 'succeeded' && updatedAt < now - succeeded)
    || (status === 'failed' && updatedAt < now - failed)));
  model.rows = left;
  return rows.length - left.length;
}
