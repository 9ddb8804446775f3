import type { Bus, MainBus } from '../process/bus/bus.ts';
import { topic } from '../process/bus/topic.ts';
import type { Captured, Mailbox } from './mailbox.ts';

const ADD = topic<Omit<Captured, 'id'>>('mailbox.add');
const LIST = topic<undefined, Captured[]>('mailbox.list');
const CLEAR = topic<undefined>('mailbox.clear');

/** Keeps one mailbox for all processes of a start. */
export function shareMailbox(mailbox: Mailbox | undefined, bus: MainBus): void {
  if (mailbox === undefined) return;
  bus.answer(ADD, mail => mailbox.add(mail));
  bus.answer(LIST, () => mailbox.list());
  bus.answer(CLEAR, () => mailbox.clear());
}

/** The mailbox of the start, as a process that serves sees it. */
export function mailboxThrough(bus: Bus): Mailbox {
  return {
    add: async mail => { await bus.ask(ADD, mail); },
    list: () => bus.ask(LIST, undefined),
    clear: async () => { await bus.ask(CLEAR, undefined); },
  };
}
