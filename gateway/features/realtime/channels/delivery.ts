import { setTimeout } from 'node:timers/promises';
import type { Notice } from './bus/bus.ts';
import type { KeptMessages } from './kept-messages.ts';

type Message = Notice & { kind: 'message' };
type Tell = (frame: string, sender: string | null) => void;

export type Delivery = {
  /** Resolves when every later message is announced. @throws ApiError 503 CHANNEL_HISTORY_READ_FAILED */
  begun: Promise<void>;
  heard: (message: Message) => void;
  /** Some may not have been heard. */
  again: () => void;
  end: () => void;
};

/** Milliseconds until what could not be read is tried again. */
const LATER = 1_000;

/**
 * Tells each message that a channel keeps, in the order of their numbers and without a gap: as they are heard, and when one is missing
 * or is too large to be heard as they are read.
 */
export function createDelivery(
  channel: string, { since, latest }: Pick<KeptMessages, 'since' | 'latest'>, tell: Tell, rest = later,
): Delivery {
  /** The number of the last one told. */
  let told = 0;
  /** The highest one that was heard of; Infinity: there may be any. */
  let known = 0;
  let isReading = false;
  let hasEnded = false;
  const heardMeanwhile: Message[] = [];
  const begun = begin();
  begun.catch(() => undefined);
  return { begun, heard, again, end };

  async function begin(): Promise<void> {
    isReading = true;
    told = await latest(channel);
    settle();
  }

  function heard(message: Message): void {
    if (isReading) return void heardMeanwhile.push(message);
    if (message.seq <= told) return;
    if (message.seq === told + 1 && message.frame !== undefined) {
      told = message.seq;
      return tell(message.frame, message.sender);
    }
    known = Math.max(known, message.seq);
    void read();
  }

  function again(): void {
    known = Infinity;
    if (!isReading) void read();
  }

  async function read(): Promise<void> {
    isReading = true;
    while (told < known && !hasEnded) await readOn().catch(rest);
    settle();
  }

  async function readOn(): Promise<void> {
    const sought = known;
    const messages = await since(channel, told);
    for (const { seq, sender, frame } of messages) {
      told = seq;
      tell(frame, sender);
    }
    if (messages.length > 0 || known !== sought) return;
    if (known !== Infinity) told = known; // what is missing has been pruned
    known = told;
  }

  /** Whatever was heard meanwhile comes after what was read. */
  function settle(): void {
    isReading = false;
    for (const message of heardMeanwhile.splice(0)) heard(message);
    if (told < known && !isReading) void read(); // eslint-disable-line @typescript-eslint/no-unnecessary-condition -- heard() may read
  }

  function end(): void {
    hasEnded = true;
  }
}

function later(): Promise<void> {
  return setTimeout(LATER, undefined, { ref: false });
}
