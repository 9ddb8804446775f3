import type { ChildProcess } from 'node:child_process';
import { answered, type Answer } from '../ask.ts';
import { Handlers, named, Subscribers, type MainBus } from './bus.ts';
import { topic } from './topic.ts';
import { ANNOUNCE, type FromWorker, type Named, type Published } from './messages.ts';

export type ParentBus = MainBus & {
  /** Connects a worker process, under its number. */
  join: (worker: ChildProcess, number: number) => void;
};

/** The bus of a parent: what it publishes reaches each of its workers, and it answers what they ask. */
export function parentBus(): ParentBus {
  const subscribers = new Subscribers();
  const handlers = new Handlers();
  const workers = new Set<ChildProcess>();
  let count = 0;
  handlers.add(topic<Named>(ANNOUNCE), announce);

  return {
    number: 0,
    publish: (topic, message) => { publish(named(topic, message)); },
    announce: (topic, message) => announce(named(topic, message)),
    subscribe: (topic, handle) => subscribers.add(topic, handle),
    ask: (topic, message) => handlers.ask(topic, message, 0),
    answer: (topic, handle) => { handlers.add(topic, handle); },
    join,
  };

  function join(worker: ChildProcess, number: number): void {
    workers.add(worker);
    worker.once('disconnect', () => workers.delete(worker));
    for (const message of subscribers.kept()) send(worker, message);
    worker.on('message', (message: FromWorker) => {
      if ('toAll' in message) publish(message.toAll);
      if (!('ask' in message)) return;
      const { ask, of: name, given } = message;
      void answered(ask, () => handlers.ask({ name }, given, number)).then(answer => { send(worker, answer); });
    });
  }

  function publish(message: Named): void {
    subscribers.deliver(message);
    for (const worker of workers) send(worker, message);
  }

  async function announce(message: Named): Promise<void> {
    const number = ++count;
    subscribers.deliver(message);
    await Promise.all([...workers].filter(({ connected }) => connected).map(worker => {
      const done = handled(worker, number);
      send(worker, { ...message, number });
      return done;
    }));
  }
}

/** Resolves when the worker has handled the message, or is gone. */
function handled(worker: ChildProcess, number: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const done = () => { resolve(undefined); };
  const hear = (message: FromWorker) => { if ('handled' in message && message.handled === number) done(); };
  worker.on('message', hear);
  worker.once('disconnect', done);
  return promise.finally(() => { worker.off('message', hear).off('disconnect', done); });
}

/** A worker that has just ended gets no message: its successor gets the kept ones. */
function send(worker: ChildProcess, message: Published | Answer): void {
  if (worker.connected) worker.send(message, () => undefined);
}
