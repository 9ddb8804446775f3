import type { Named } from './messages.ts';
import type { Topic } from './topic.ts';

/**
 * Connects the processes of one start: a lone process, or a parent and its workers. Features use it the same way in both cases.
 * Messages of one publisher arrive in the order in which they were published.
 */
export type Bus = {
  /** Number of this process: 0 for the lone process and for the parent, 1 and up for workers. */
  readonly number: number;
  /** Tells every process of the start, this one too. */
  publish: <Message>(topic: Topic<Message>, message: Message) => void;
  /** As `publish`; resolves once every process has handled the message or is gone. */
  announce: <Message>(topic: Topic<Message>, message: Message) => Promise<void>;
  /** Calls `handle` with each message of the topic. @returns what ends that. */
  subscribe: <Message>(topic: Topic<Message>, handle: (message: Message) => void) => () => void;
  /** Asks the process that answers the topic: the lone one, or the parent. @throws Error with the message of what it failed with. */
  ask: <Message, Reply>(topic: Topic<Message, Reply>, message: Message) => Promise<Reply>;
};

/** The bus of the lone process, or of the parent: the one that answers. */
export type MainBus = Bus & {
  /** Answers a topic. `from` is the number of the process that asks. */
  answer: <Message, Reply>(topic: Topic<Message, Reply>, handle: (message: Message, from: number) => Reply | Promise<Reply>) => void;
};

type Handle = (message: unknown) => void;

export function named<Message>({ name, isKept }: Topic<Message>, message: Message): Named {
  return { topic: name, message, isKept };
}

/** The subscribers of one process, with the last message of each topic that keeps it. */
export class Subscribers {
  readonly #handles = new Map<string, Set<Handle>>();
  readonly #kept = new Map<string, unknown>();

  deliver({ topic, message, isKept }: Named): void {
    if (isKept) this.#kept.set(topic, message);
    for (const handle of this.#handles.get(topic) ?? []) handle(message);
  }

  add<Message>({ name }: Topic<Message>, handle: (message: Message) => void): () => void {
    const handles = this.#handles.get(name) ?? new Set();
    this.#handles.set(name, handles);
    handles.add(handle as Handle);
    if (this.#kept.has(name)) handle(this.#kept.get(name) as Message);
    return () => { handles.delete(handle as Handle); };
  }

  /** Messages for processes that join later. */
  kept(): Named[] {
    return [...this.#kept].map(([topic, message]) => ({ topic, message, isKept: true }));
  }
}

/** The handlers of the process that answers. */
export class Handlers {
  readonly #handles = new Map<string, (message: unknown, from: number) => unknown>();

  add<Message, Reply>({ name }: Topic<Message, Reply>, handle: (message: Message, from: number) => Reply | Promise<Reply>): void {
    this.#handles.set(name, handle as (message: unknown, from: number) => unknown);
  }

  /** @throws Error for a topic without a handler, and what the handler throws. */
  async ask<Message, Reply>({ name }: Pick<Topic<Message, Reply>, 'name'>, message: Message, from: number): Promise<Reply> {
    const handle = this.#handles.get(name);
    if (handle === undefined) throw new Error(`No process answers ${name}.`);
    return await handle(message, from) as Reply;
  }
}

/** The bus of a start with one process. */
export function localBus(): MainBus {
  const subscribers = new Subscribers();
  const handlers = new Handlers();
  return {
    number: 0,
    publish: (topic, message) => { subscribers.deliver(named(topic, message)); },
    announce: (topic, message) => Promise.resolve(subscribers.deliver(named(topic, message))),
    subscribe: (topic, handle) => subscribers.add(topic, handle),
    ask: (topic, message) => handlers.ask(topic, message, 0),
    answer: (topic, handle) => { handlers.add(topic, handle); },
  };
}
