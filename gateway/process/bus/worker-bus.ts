import { createAsk, type Answer } from '../ask.ts';
import { named, Subscribers, type Bus } from './bus.ts';
import { ANNOUNCE, type FromWorker, type Published } from './messages.ts';

export type WorkerBus = {
  /** The bus of the worker of this number. */
  as: (number: number) => Bus;
  /** Takes a message of the parent. */
  hear: (message: Published | Answer) => void;
};

/** The bus of a worker. `send` reaches its parent. */
export function workerBus(send: (message: FromWorker) => void): WorkerBus {
  const subscribers = new Subscribers();
  const parent = createAsk(send);

  return {
    as: number => ({
      number,
      publish: (topic, message) => { send({ toAll: named(topic, message) }); },
      announce: async (topic, message) => { await parent.ask(ANNOUNCE, named(topic, message)); },
      subscribe: (topic, handle) => subscribers.add(topic, handle),
      ask: <Reply>({ name }: { name: string }, message: unknown) => parent.ask(name, message) as Promise<Reply>,
    }),
    hear,
  };

  function hear(message: Published | Answer): void {
    if ('answered' in message) return parent.hear(message);
    subscribers.deliver(message);
    if (message.number !== undefined) send({ handled: message.number });
  }
}
