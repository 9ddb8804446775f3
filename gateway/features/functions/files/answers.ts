import postgres from 'postgres';
import { anonymousCaller, serviceCaller } from '../../../identity/caller.ts';
import { unauthorized } from '../../../identity/unauthorized.ts';
import { innerCall } from '../../../http/inner-call.ts';
import type { Incoming } from '../../../http/incoming.ts';
import { ApiError } from '../../../error.ts';
import { databaseOf } from '../../../database/connection.ts';
import { toApiError } from '../../../database/refusal.ts';
import { MailError } from '../../../mail/error.ts';
import type { Message } from '../../../mail/message.ts';
import type { Call, Method, Reply } from '../../../http/route.ts';
import type { Context } from '../../context.ts';
import { dataAnswers } from '../../data-answers.ts';
import { routeAnswers, type RoutesFor } from '../../route-answers.ts';
import { settings } from '../../settings.ts';
import { bytesOf, headersOf } from './answer-bytes.ts';
import { sentError, type SentError, type SentHead } from './call.ts';
import type { Answered, Asked, Question } from './worker.ts';

/** Connections of `rowgate.sql` and `rowgate.jobs`, opened when they are used. */
const CONNECTIONS = 2;

type Asking = { method: Method; path: string[]; query: string; headers?: Record<string, string>; body: string };
type Given = {
  log: { line: string; times: number }; data: Asking; users: Asking; sql: { text: string; params: unknown[] };
  enqueue: { task: string; payload: string; options: string }; email: Message;
};
type Handlers = { [Of in keyof Given]: (given: Given[Of], asked: Asked | undefined, isCaller: boolean) => Promise<unknown> };

export type ServiceAnswers = {
  /** Answers a question of a worker. Never rejects. */
  answer: (question: Question, asked: Asked | undefined) => Promise<Answered>;
  close: () => Promise<void>;
};

/** Answers code of the project that asks for data, accounts, files, SQL, jobs and mail. */
export function openAnswers({ config, database, lent, mail }: Pick<Context, 'config' | 'database' | 'lent' | 'mail'>): ServiceAnswers {
  const answerData = dataAnswers(lent);
  const answerUsers = routeAnswers(lent.userRoutes ?? lacking('There are no accounts', settings.auth.name));
  const answerFiles = routeAnswers(lent.storageRoutes ?? lacking('There are no files', settings.role.name));
  let own: postgres.Sql | undefined;
  const { ownerUrl } = database;
  const connections = () => own ??= postgres(ownerUrl, {
    ...databaseOf(ownerUrl), max: CONNECTIONS, idle_timeout: 30, onnotice: () => undefined,
  });
  const handlers: Handlers = { log, data, users, sql, enqueue, email };

  return {
    async answer({ of, call, given, bytes }, asked) {
      try {
        if (of === 'storage') return await storage(given as Asking, bytes);
        if (!Object.hasOwn(handlers, of)) throw new Error(`Nothing answers ${of}.`);
        return { result: await handlers[of as 'data'](given as Asking, asked, call !== 0) };
      } catch (error) {
        return { failed: failure(error) };
      }
    },
    close: async () => { await own?.end({ timeout: 1 }); },
  };

  /** A line of the run of a scheduled job. */
  function log({ line, times }: Given['log'], asked: Asked | undefined): Promise<void> {
    return Promise.resolve(asked?.log?.(line, times));
  }

  /** A request of data, as the service or as the caller of the function. */
  async function data(given: Asking, asked: Asked | undefined, isCaller: boolean): Promise<string> {
    if (isCaller && asked === undefined) {
      throw new ApiError(400, 'BAD_REQUEST', 'The call is over. Give what goes on after it to waitUntil().');
    }
    const caller = isCaller ? asked?.caller ?? anonymousCaller : serviceCaller;
    if (caller.kind === 'anonymous' && config.authRequire) {
      throw unauthorized('Authentication is required: send Authorization: Bearer <token>.');
    }
    return textOf(await answerData(callOf('data', given, { ip: asked?.ip ?? '' }), caller));
  }

  async function users(given: Asking): Promise<string> {
    return textOf(await configured(answerUsers(callOf('admin/users', given), serviceCaller)));
  }

  async function storage(given: Asking, bytes: AsyncIterable<Buffer> | undefined): Promise<Answered> {
    const incoming = bytes && { length: undefined, cut: () => undefined, [Symbol.asyncIterator]: () => bytes[Symbol.asyncIterator]() };
    const reply = await configured(answerFiles(callOf('storage', given, { incoming }), serviceCaller));
    const head: SentHead = { status: reply.status ?? 200, headers: headersOf(reply) };
    return { result: head, bytes: bytesOf(reply) };
  }

  async function sql({ text, params }: Given['sql']): Promise<object[]> {
    return [...await connections().unsafe(text, params as never[])];
  }

  async function enqueue({ task, payload, options }: Given['enqueue']): Promise<unknown> {
    const [row] = await connections()<{ id: string | null }[]>`
      select service.enqueue(${task}, ${payload}::text::jsonb, ${options}::text::jsonb)::text as id`;
    return row?.id ?? null;
  }

  async function email(message: Message): Promise<unknown> {
    if (!mail.configured) throw notConfigured('No mail is configured (SMTP_HOST).', { setting: 'SMTP_HOST' });
    return mail.sendMessage(message);
  }

  /** The author sees the database's own words; a client does not, where nothing catches the error. */
  function failure(error: unknown): SentError {
    if (error instanceof MailError) return { ...sentError(error), status: 503, code: 'SERVICE_UNAVAILABLE' };
    if (!(error instanceof Error && 'code' in error)) return { ...sentError(error), status: 500, code: 'INTERNAL_ERROR' };
    const { status, code, message, details } = toApiError(error, !config.production);
    const words = status === 500 && error instanceof Error ? error.message : message;
    return { name: 'ApiError', message: words, status, code, details: details && { ...details } };
  }
}

/** Routes below a path, as the service itself asks for them. */
function callOf(
  below: string, { path, ...given }: Asking, { ip = '', incoming }: { ip?: string; incoming?: Incoming | undefined } = {},
): Call {
  const request = { ...given, path: [...below.split('/'), ...path], ...(incoming && { incoming }) };
  return innerCall(request, { ip, signal: new AbortController().signal });
}

function textOf({ body = '' }: Reply): string {
  return typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString();
}

function lacking(what: string, setting: string): RoutesFor {
  return () => { throw notConfigured(`${what} (${setting}).`, { setting }); };
}

/** Routes of what is not configured are 501 for a client, which would not be its fault in a function. */
async function configured(reply: Promise<Reply>): Promise<Reply> {
  return reply.catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 501 ? notConfigured(error.message, error.details) : error;
  });
}

function notConfigured(message: string, details: ApiError['details']): ApiError {
  return new ApiError(503, 'NOT_CONFIGURED', message, details);
}
