import type { AccountQuery } from '../../../identity/accounts.ts';
import { ApiError } from '../../../error.ts';
import { arrayText } from '../../../grammar/array-text.ts';

/** `sender`: the session. */
export type Message = { channel: string; event: string; content: string; sender: string };
export type KeptMessage = { seq: number; sender: string | null; frame: string };

export type KeptMessages = {
  /** Resolves when it is stored, and will be heard. @throws ApiError 503 CHANNEL_HISTORY_WRITE_FAILED */
  keep: (message: Message) => Promise<void>;
  /** A frame with at most so many messages after that number. @throws ApiError 503 CHANNEL_HISTORY_READ_FAILED, as for later ones. */
  history: (channel: string, page: { since: number; most: number }, who: string) => Promise<string>;
  /** The next ones. */
  since: (channel: string, seq: number) => Promise<KeptMessage[]>;
  /** The number of the last one. */
  latest: (channel: string) => Promise<number>;
};

/** The key that statements for all callers count against. */
const EVERYBODYS = 'channels';
/** Characters, and messages, that one statement stores. */
const [MOST_AT_ONCE, MOST_MESSAGES] = [4 * 1024 * 1024, 500];

export function keptMessages(ask: AccountQuery): KeptMessages {
  let waiting: { message: Message; stored: PromiseWithResolvers<undefined> }[] = [];
  let isAtWork = false;

  return { keep, history, since, latest };

  /** Messages that arrive while others are stored are stored together, in their order. */
  function keep(message: Message): Promise<void> {
    const stored = Promise.withResolvers<undefined>();
    waiting.push({ message, stored });
    if (!isAtWork) void work();
    return stored.promise;
  }

  async function work(): Promise<void> {
    isAtWork = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, fitting());
      waiting = waiting.slice(batch.length);
      try {
        await store(batch.map(({ message }) => message));
        for (const { stored } of batch) stored.resolve(undefined);
      } catch (error) {
        const failed = failure('CHANNEL_HISTORY_WRITE_FAILED', 'The message could not be kept, so it was not delivered.', error);
        for (const { stored } of batch) stored.reject(failed);
      }
    }
    isAtWork = false;
  }

  function fitting(): number {
    let size = 0;
    const end = waiting.findIndex(({ message }, i) => i === MOST_MESSAGES || (size += message.content.length) > MOST_AT_ONCE && i > 0);
    return end === -1 ? waiting.length : end;
  }

  async function store(messages: Message[]): Promise<void> {
    const column = (name: keyof Message) => arrayText(messages.map(message => message[name]));
    await ask(EVERYBODYS, sql => sql`
      select service_private.keep_messages(
        ${column('channel')}::text::text[], ${column('event')}::text::text[], ${column('content')}::text::text[],
        ${column('sender')}::text::uuid[])`);
  }

  async function history(channel: string, { since, most }: { since: number; most: number }, who: string): Promise<string> {
    const [row] = await ask(who, sql => sql<{ frame: string }[]>`
      select service_private.channel_history(${channel}, ${since}, ${most}) as frame`)
      .catch(unread);
    return row?.frame ?? '';
  }

  async function since(channel: string, seq: number): Promise<KeptMessage[]> {
    return ask(EVERYBODYS, sql => sql<KeptMessage[]>`
      select seq::float8 as seq, sender, frame from service_private.messages_since(${channel}, ${seq})`).catch(unread);
  }

  async function latest(channel: string): Promise<number> {
    const [row] = await ask(EVERYBODYS, sql => sql<{ seq: number }[]>`
      select service_private.channel_seq(${channel})::float8 as seq`).catch(unread);
    return row?.seq ?? 0;
  }
}

function unread(error: unknown): never {
  throw failure('CHANNEL_HISTORY_READ_FAILED', 'What this channel keeps could not be read; try again.', error);
}

function failure(code: 'CHANNEL_HISTORY_WRITE_FAILED' | 'CHANNEL_HISTORY_READ_FAILED', message: string, cause: unknown): ApiError {
  return new ApiError(503, code, message, undefined, { cause });
}
