/** A subject of messages between the processes of one start. Every process knows it by its name. */
export type Topic<Message, Answer = void> = {
  readonly name: string;
  /** The last message is delivered to subscribers that come later too. */
  readonly isKept: boolean;
  /** Never set: it carries the types. */
  readonly types?: [Message, Answer];
};

/** Declares a topic, once, as a constant that publisher and subscribers import. */
export function topic<Message, Answer = void>(name: string, { isKept = false } = {}): Topic<Message, Answer> {
  return { name, isKept };
}
