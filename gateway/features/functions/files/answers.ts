import postgres from 'postgres';
import { anonymousCaller, serviceCaller } from '../../../identity/caller.ts';
import { unauthorized } from '../../../identity/unauthorized.ts';
import { innerCall } from '../../../http/inner-call.ts';
import { ApiError } from '../../../error.ts';
import { databaseOf } from '../../../database/connection.ts';
import { toApiError } from '../../../database/refusal.ts';
import { MailError } from '../../../mail/error.ts';
import type { Message } from '../../../mail/message.ts';
import type { Method } from '../../../http/route.ts';
import type { Context } from '../../context.ts';
import { dataAnswers } from '../../data-answers.ts';
import { sentError, type SentAnswer, type SentError, type SentQuestion } from './call.ts';
import type { Asked } from './worker.ts';

/** Connections of `rowgate.sql` and `rowgate.jobs`, opened when they are used. */
const CONNECTIONS = 2;

type Asking = { method: Method; path: string[]; query: string; body: string };
type Given = {
  log: { line: string; times: number }; data: Asking; sql: { text: string; params: unknown[] };
  enqueue: { task: string; payload: string; options: string }; email: Message;
};
type Handlers = { [Of in keyof Given]: (given: Given[Of], asked: Asked | undefined, isCaller: boolean) => Promise<unknown> };

export type ServiceAnswers = {
  /** Answers a question of a worker. Never rejects. */
  answer: (question: SentQuestion, asked: Asked | undefined) => Promise<SentAnswer>;
  close: () => Promise<void>;
};

/** Answers code of the project that asks for data, SQL, jobs and mail. */
export function openAnswers({ config, database, lent, mail }: Pick<Context, 'config' | 'database' | 'lent' | 'mail'>): ServiceAnswers {
  const answerData = dataAnswers(lent);
  let own: postgres.Sql | undefined;
  const { ownerUrl } = database;
  const connections = () => own ??= postgres(ownerUrl, {
    ...databaseOf(ownerUrl), max: CONNECTIONS, idle_timeout: 30, onnotice: () => undefined,
  });
  const handlers: Handlers = { log, data, sql, enqueue, email };

  return {
    async answer({ of, call, given }, asked) {
      try {
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
    const { body = '' } = await answerData(innerCall(given, { ip: asked?.ip ?? '', signal: new AbortController().signal }), caller);
    return typeof body === 'string' ? body : Buffer.from(body as Uint8Array).toString();
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
    if (!mail.configured) throw new ApiError(503, 'NOT_CONFIGURED', 'No mail is configured (SMTP_HOST).', { setting: 'SMTP_HOST' });
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
