// A worker: it runs the code of the project, which may do anything to it. The gateway starts and ends it.
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { serviceClient } from '../authoring/client.ts';
import { current } from '../authoring/identity.ts';
import type { WithBytes } from '../authoring/request.ts';
import { ApiError } from '../authoring/errors.ts';
import { sentError, type SentAnswer, type SentLine, type SentQuestion } from '../call.ts';
import type { ProjectFile } from '../discover.ts';
import { byteStreams } from '../byte-streams.ts';
import { KIND, receiver, sender, type Kind } from '../frames.ts';
import { answering } from './answering.ts';
import { loadApp, type App } from './load.ts';
import { loadHandler, type Handling } from './load-handler.ts';
import { openModules } from './modules.ts';
import { takeOutput } from './output.ts';

/** The descriptor of the pipe to the gateway. */
const PIPE = 3;
/** Milliseconds that the last lines have to reach the gateway. */
const LAST_WORDS = 50;

const exit = process.exit.bind(process);
const pipe = new Socket({ fd: PIPE });
const { send } = sender(pipe);
const say = takeOutput((line: SentLine) => send(KIND.log, 0, JSON.stringify(line)));
const apps = new Map<string, App>();
const handlers = new Map<string, Handling>();
const streams = byteStreams(send);
/** `of`: the number of the call that asks. */
const questions = new Map<number, PromiseWithResolvers<unknown> & { of: number }>();
const requests = answering({ apps, handlers }, ask, send, streams.stopOf);
const rowgate = serviceClient(ask);
let asked = 0;

receiver(pipe, hear);
pipe.on('close', () => exit(0)).on('error', () => exit(0));
// Ctrl-C and a closed terminal reach the whole group; it is the gateway that ends its workers then.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('uncaughtException', (error: unknown) => { fail('uncaught exception', error); });
process.on('unhandledRejection', (error: unknown) => {
  if (process.env['SERVICE_EXIT_ON_UNHANDLED_REJECTION'] === '1') return fail('unhandled rejection', error);
  say('error', `unhandled rejection: ${sentError(error).stack ?? sentError(error).message}`);
});
openModules();

function hear(kind: Kind, id: number, payload: Buffer): void {
  if (streams.hear(kind, id, payload)) return;
  if (kind === KIND.request) requests.begin(id, payload);
  else if (kind === KIND.abort) requests.abort(id);
  else if (kind === KIND.credit) requests.credit(id, payload.readUInt32LE(0));
  else if (kind === KIND.ping) send(KIND.pong, 0);
  else if (kind === KIND.answered) hearAnswer(id, deserialize(payload) as SentAnswer);
  else if (kind === KIND.load) void load(JSON.parse(payload.toString()) as ProjectFile[]);
  else if (kind === KIND.retire) void retire();
}

async function retire(): Promise<void> {
  await requests.idle();
  await setImmediate(); // what the last call had to say goes out in this turn
  pipe.end(() => exit(0));
}

/** One after the other, so that the gateway knows which file it is that never ends, or ends the process. */
async function load(files: readonly ProjectFile[]): Promise<void> {
  for (const file of files) {
    const { folder, name, path } = file;
    send(KIND.loading, 0, name);
    await setImmediate();
    try {
      if (folder === 'functions') {
        apps.set(name, await loadApp(path, rowgate));
        continue;
      }
      const { handle, says } = await loadHandler(file, rowgate, ask);
      handlers.set(name, handle);
      send(KIND.loaded, 0, JSON.stringify({ name, says }));
    } catch (error) {
      send(KIND.refused, 0, JSON.stringify({ name, reason: reasonOf(error) }));
    }
  }
  send(KIND.ready, 0);
}

/** With the place of a syntax error, which is the first line of its stack. */
function reasonOf(error: unknown): string {
  const { name, message, stack } = sentError(error);
  const place = /^(?:file:\/\/)?(\/.*:\d+)$/m.exec(stack?.split('\n', 1)[0] ?? '')?.[1];
  const text = name === 'Error' ? message : `${name}: ${message}`;
  return place === undefined ? text : `${text} (${place})`;
}

function ask(of: string, call: number, given: unknown, bytes?: AsyncIterable<Uint8Array>): Promise<unknown> {
  const resolvers = Promise.withResolvers<unknown>();
  asked = asked % 0xffffffff + 1;
  const id = asked;
  questions.set(id, { ...resolvers, of: current.getStore()?.call ?? 0 });
  send(KIND.ask, id, serialize({ of, call, given, hasBytes: bytes !== undefined } satisfies SentQuestion));
  streams.give(id, bytes).catch((error: unknown) => { // of the author's own stream
    questions.delete(id);
    resolvers.reject(error);
  });
  return resolvers.promise;
}

function hearAnswer(id: number, answer: SentAnswer): void {
  const asking = questions.get(id);
  questions.delete(id);
  if ('result' in answer) {
    const { result, hasBytes } = answer;
    const bytes = hasBytes && asking ? streams.take(id, asking.of) : null;
    return asking?.resolve(hasBytes === undefined ? result : { result, bytes } satisfies WithBytes);
  }
  const { status = 500, code = 'INTERNAL_ERROR', message, details } = answer.failed;
  asking?.reject(new ApiError(status, code, message, details));
}

function fail(event: string, error: unknown): void {
  say('error', `${event}: ${sentError(error).stack ?? sentError(error).message}`);
  setTimeout(() => exit(1), LAST_WORDS);
}
