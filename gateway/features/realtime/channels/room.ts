import type { Session } from '../session.ts';
import type { Delivery } from './delivery.ts';
import { afterDiff, rosterFrame, type Roster } from './frames.ts';
import type { Member } from './member.ts';

/** The members of a channel at this process. */
export class Room {
  readonly channel: string;
  readonly members = new Map<Session, Member>();
  /** For a channel that keeps its messages. */
  delivery: Delivery | undefined;
  /** The members whose presence elsewhere changed since each reading of the roster began. */
  readonly #readings = new Set<string[]>();

  constructor(channel: string) {
    this.channel = channel;
  }

  /** The text is encoded once for all members. */
  tell(frame: string, except?: string | null): void {
    const bytes = Buffer.from(frame);
    for (const member of this.members.values()) if (member.session.id !== except) member.send(bytes);
  }

  /** Presence of a member elsewhere. */
  tellPresence(diff: string): void {
    for (const diffs of this.#readings) diffs.push(diff);
    this.tell(diff);
  }

  /** The members present, here and elsewhere. A change that was announced during the read may be newer than the read. */
  async roster(elsewhere: (channel: string) => Promise<[id: string, state: string][]>): Promise<string> {
    const diffs: string[] = [];
    this.#readings.add(diffs);
    try {
      const read: Roster = new Map(await elsewhere(this.channel));
      return rosterFrame(this.channel, new Map([...diffs.reduce(afterDiff, read), ...this.#present()]));
    } finally {
      this.#readings.delete(diffs);
    }
  }

  #present(): [string, string][] {
    return [...this.members.values()].flatMap(({ session, state }): [string, string][] => state === undefined ? [] : [[session.id, state]]);
  }
}
