import { deserialize, serialize } from 'node:v8';
import type { Logger } from 'pino';
import type { Reply } from '../../../http/route.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { FileCall } from '../../project-files.ts';
import { createAnswer, type Answer } from './answer.ts';
import type { SentAnswer, SentError, SentHead, SentLine, SentQuestion, SentRequest } from './call.ts';
import { startChild } from './child.ts';
import type { ProjectFile } from './discover.ts';
import { byteStreams } from './byte-streams.ts';
import { creditOf, KIND, receiver, sender, withJson, type Kind } from './frames.ts';

export type WorkerOptions = {
  files: readonly ProjectFile[];
  env: NodeJS.ProcessEnv;
  /** Megabytes. */
  memory: number;
  /** Milliseconds that a function has; 0 is no limit. */
  timeout: number;
  answer: (question: Question, asked: Asked | undefined) => Promise<Answered>;
  /** The kind of work, for messages: "A worker of …". */
  of: string;
  /** The fields of a line in the log. */
  fieldsOf: (line: SentLine) => object;
  ready: (worker: Worker) => void;
  ended: (worker: Worker, reason: string) => void;
  log: Logger;
};
/** `bytes`: those that came with it. */
export type Question = Omit<SentQuestion, 'hasBytes'> & { bytes?: AsyncIterable<Buffer> };
/** `bytes`: those that go with it; null for none, where there may be some. */
export type Answered = SentAnswer & { bytes?: AsyncIterable<Uint8Array> | null };
/** A call, as questions of the worker are answered for it. */
export type Asked = { caller: Caller; ip: string; log?: FileCall['log'] };

export type Worker = {
  /** By name, why files are not served; complete when it is ready. */
  readonly refused: ReadonlyMap<string, string>;
  /** By name, what files that are served say of themselves; complete when it is ready. */
  readonly loaded: ReadonlyMap<string, Record<string, unknown>>;
  /** The file that it loads; undefined before the first and after the last. */
  readonly loading: string | undefined;
  /** Milliseconds for which it has not answered. */
  readonly silence: number;
  readonly calls: number;
  has: (name: string) => boolean;
  /**
   * @returns the answer, which is undefined where the function has no route for the request; what gives it up; and what aborts its signal
   * and lets it answer
   */
  call: (request: SentRequest, body: Uint8Array, asked: Asked) => {
    reply: Promise<Reply | undefined>; giveUp: () => void; abort: () => void;
  };
  /** Ends it once nothing is under way, at the latest after so many milliseconds. */
  retire: (deadline: number) => Promise<void>;
  kill: (reason: string) => void;
};

/** Milliseconds between two signs of life that a worker with calls is asked for. */
const BEAT = 100;
/** Milliseconds in which a sign of life has to come, when a call has taken too long. */
const GRACE = 400;
/** Milliseconds before the end of a call's time from which it counts as too long: those beside it hear then that they shared its worker. */
const EARLY = 150;
/** Milliseconds of silence that are too many where a function has no limit. */
const SILENT = 30_000;
const SILENCED = 'did not answer any more';
/** Milliseconds that a call waits to go together with others, while the worker has said nothing since the last ones. */
const PATIENCE = 1;

/** A process that runs code of the project, as the gateway sees it. */
export function startWorker({ files, env, memory, timeout, answer, ready, ended, of: kind, fieldsOf, log }: WorkerOptions): Worker {
  const refused = new Map<string, string>();
  const loaded = new Map<string, Record<string, unknown>>();
  const names = new Set(files.map(({ name }) => name));
  const answers = new Map<number, Answer>();
  const sentAt = new WeakMap<Answer, number>();
  const asked = new Map<number, Asked>();
  const touched = new Set<Answer>();
  const over = Promise.withResolvers<undefined>();
  let loading: string | undefined;
  let count = 0;
  let pingedAt: number | undefined;
  let isOver = false;
  const child = startChild({ env, memory, line: text => { log.warn({ worker: kind }, text); }, ended: end });
  const { send, heard } = sender(child.pipe, PATIENCE);
  const streams = byteStreams(send);
  const beating = setInterval(beat, BEAT).unref();
  receiver(child.pipe, hear, () => {
    for (const answer of touched) answer.settle();
    touched.clear();
    heard();
  });
  send(KIND.load, 0, JSON.stringify(files));

  const worker: Worker = {
    refused, loaded,
    get loading() { return loading; },
    get silence() { return pingedAt === undefined ? 0 : performance.now() - pingedAt; },
    get calls() { return answers.size; },
    has: name => names.has(name) && !refused.has(name),
    call, retire, kill: child.kill,
  };
  return worker;

  function hear(kind: Kind, id: number, payload: Buffer): void {
    pingedAt = undefined;
    if (streams.hear(kind, id, payload)) return;
    const of = answers.get(id);
    if (of !== undefined) touched.add(of);
    if (kind === KIND.head) of?.head(JSON.parse(payload.toString()) as SentHead);
    else if (kind === KIND.data) of?.add(payload);
    else if (kind === KIND.end) of?.end();
    else if (kind === KIND.failed) of?.fail(JSON.parse(payload.toString()) as SentError);
    else if (kind === KIND.missing) of?.missing();
    else if (kind === KIND.over) asked.delete(id);
    else if (kind === KIND.ask) void reply(id, deserialize(payload) as SentQuestion);
    else if (kind === KIND.log) print(JSON.parse(payload.toString()) as SentLine);
    else if (kind === KIND.loading) loading = payload.toString();
    else if (kind === KIND.loaded) load(JSON.parse(payload.toString()) as { name: string; says: Record<string, unknown> });
    else if (kind === KIND.refused) refuse(JSON.parse(payload.toString()) as { name: string; reason: string });
    else if (kind === KIND.ready) {
      loading = undefined;
      ready(worker);
    }
  }

  function load({ name, says }: { name: string; says: Record<string, unknown> }): void {
    loaded.set(name, says);
  }

  function refuse({ name, reason }: { name: string; reason: string }): void {
    refused.set(name, reason);
  }

  function print(line: SentLine): void {
    log[line.level](fieldsOf(line), line.text);
  }

  async function reply(id: number, { hasBytes, ...question }: SentQuestion): Promise<void> {
    const given = hasBytes ? { ...question, bytes: streams.take(id) } : question;
    const { bytes, ...answered } = await answer(given, asked.get(question.call));
    streams.stop(id);
    send(KIND.answered, id, serialize({ ...answered, ...(bytes !== undefined && { hasBytes: bytes !== null }) } satisfies SentAnswer));
    await streams.give(id, bytes ?? undefined).catch(() => undefined); // the worker was told
  }

  function call(request: SentRequest, body: Uint8Array, of: Asked): ReturnType<Worker['call']> {
    count = count % 0xffffffff + 1;
    const id = count;
    const abort = () => send(KIND.abort, id);
    const answer = createAnswer({
      method: request.method, abort,
      credit: bytes => { send(KIND.credit, id, creditOf(bytes)); },
      over: () => { answers.delete(id); },
    });
    answers.set(id, answer);
    sentAt.set(answer, performance.now());
    asked.set(id, of);
    send(KIND.request, id, withJson(request, body));
    return { reply: answer.reply, giveUp: answer.giveUp, abort };
  }

  function beat(): void {
    if (answers.size > 0) ping();
    const late = timeout === 0 ? [] : [...answers.values()].filter(answer => ageOf(answer) > timeout - EARLY && !answer.isFlowing());
    if (worker.silence > GRACE && (late.length > 0 || worker.silence > (timeout || SILENT))) judge();
    for (const answer of late) if (ageOf(answer) > timeout) answer.giveUp();
  }

  function ageOf(answer: Answer): number {
    return performance.now() - (sentAt.get(answer) ?? 0);
  }

  function ping(): void {
    if (pingedAt !== undefined) return;
    pingedAt = performance.now();
    send(KIND.ping, 0);
  }

  /** After what has arrived was read: this process itself may have stood still. */
  function judge(): void {
    setImmediate(() => {
      if (worker.silence > GRACE) silenced();
    });
  }

  /**
   * The call in which it stands still has taken too long; the others have only shared the worker. They hear so at once, before their own
   * time is over; without a limit only once the process has ended, since what it does may be done again then.
   */
  function silenced(): void {
    if (isOver) return;
    isOver = true;
    const culprit = answers.get(child.lastBegun());
    if (timeout > 0) {
      culprit?.overrun(timeout - ageOf(culprit) < EARLY);
      lose(SILENCED);
    }
    child.kill(SILENCED);
  }

  function lose(reason: string): void {
    for (const answer of [...answers.values()]) answer.lose(new Error(`A worker of ${kind} ${reason}.`));
  }

  function end(reason: string): void {
    isOver = true;
    clearInterval(beating);
    streams.close();
    lose(reason);
    over.resolve(undefined);
    ended(worker, reason);
  }

  async function retire(deadline: number): Promise<void> {
    send(KIND.retire, 0);
    const late = setTimeout(() => child.kill('had to end'), deadline);
    await over.promise;
    clearTimeout(late);
  }
}
