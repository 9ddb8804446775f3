/** Channels: messages between clients, who is present, and what a channel keeps. */
import { refuse, type RowgateError } from '../error.ts';
import { writeJson } from '../json.ts';
import { backoff, errorOf, run, type Frame, type Link, type Part } from './socket.ts';
import type { State } from './subscriptions.ts';

export interface Message {
  readonly event: string;
  readonly payload: unknown;
  /** Where the channel keeps messages: its number, from 1 on without a gap. */
  readonly seq?: number;
}

export interface ChannelHandlers {
  /** Where the channel keeps messages: each once, in order, this client's own too. Else what others say while this client listens. */
  onMessage?: (message: Message) => unknown;
  /** All who are present, by the ids of their sockets, whenever that changes. */
  onPresence?: (presences: Presences) => unknown;
  onState?: (state: State) => unknown;
  onError?: (error: RowgateError) => unknown;
  /** The number of the last message that is known: later ones that the channel keeps are told first. 0: all of them. */
  since?: number;
}
export type Presences = Readonly<Record<string, unknown>>;

export interface Channel {
  readonly state: State;
  /** Resolves when the message was sent, once the channel is live. @throws RowgateError INVALID_INPUT when the channel was left before */
  send(event: string, payload?: unknown): Promise<void>;
  /** Is present with this state from now on, after a lost connection too. */
  track(state?: object): void;
  untrack(): void;
  leave(): void;
}

interface Room {
  readonly name: string;
  readonly handlers: ChannelHandlers;
  state: State;
  /** The number of the last message that was told. Unknown at first, and where nothing is kept. */
  seen: number | undefined;
  /** The highest number that was heard of. */
  known: number;
  /** The number after which the history has been asked for; it brings what is heard meanwhile. */
  asked: number | undefined;
  isKept: boolean;
  presence: object | undefined;
  presences: Presences;
  /** What waits until it is live: true where it is, false where it has been left. */
  waiting: ((isLive: boolean) => void)[];
  attempt: number;
  retry?: ReturnType<typeof setTimeout>;
}
type Kept = { messages: (Message & { seq: number })[]; retained: boolean; latestSeq: number };

/** Milliseconds. The service forgets a presence after 30,000. */
const PRESENCE = 20_000;
const PAGE = 1_000;

export function createChannels(link: () => Link) {
  const rooms = new Map<string, Room>();
  let repeating: ReturnType<typeof setInterval> | undefined;
  const part: Part = { isNeeded: () => rooms.size > 0, opened, lost, heard, failed };

  return { part, join };

  /** @throws RowgateError INVALID_INPUT for a channel that this client is in already */
  function join(name: string, handlers: ChannelHandlers): Channel {
    link().check();
    if (rooms.has(name)) refuse(`This client is in the channel "${name}" already.`);
    const room: Room = {
      name, handlers, state: 'offline', seen: handlers.since, known: 0, asked: undefined, isKept: false, presence: undefined, presences: {},
      waiting: [], attempt: 0,
    };
    rooms.set(name, room);
    link().look();
    if (link().isOpen) enter(room);
    return {
      get state() { return room.state; },
      send: (event, payload = null) => send(room, event, payload),
      track: (state = {}) => { track(room, state); },
      untrack: () => { track(room, undefined); },
      leave: () => { leave(room); },
    };
  }

  function isIn(room: Room): boolean {
    return rooms.get(room.name) === room;
  }

  function say(room: Room, type: string, payload: object = {}): void {
    link().say(type, { ...payload, channel: room.name });
  }

  /** Frames are not acknowledged; the history, which comes in their order, says that this client is a member. */
  function enter(room: Room): void {
    clearTimeout(room.retry);
    change(room, 'catching up');
    say(room, 'join_channel');
    if (room.presence !== undefined) say(room, 'presence_track', { state: room.presence });
    if (room.handlers.onPresence !== undefined) say(room, 'presence_state');
    askHistory(room);
  }

  /** Without a known number only the latest one is asked for. */
  function askHistory(room: Room): void {
    room.asked = room.seen ?? Number.MAX_SAFE_INTEGER;
    say(room, 'channel_history', { sinceSeq: room.asked, limit: PAGE });
  }

  async function send(room: Room, event: string, payload: unknown): Promise<void> {
    const isLive = room.state === 'live' || (isIn(room) && await new Promise<boolean>(resolve => { room.waiting.push(resolve); }));
    if (!isLive || !isIn(room)) refuse(`The channel "${room.name}" has been left.`);
    say(room, 'broadcast', { event, payload });
    // The sender is not told; what is kept has a number nevertheless.
    if (!room.isKept) return;
    if (room.asked === undefined) askHistory(room);
    else room.known = Infinity;
  }

  function track(room: Room, state: object | undefined): void {
    writeJson(state ?? null); // what cannot be sent is refused here, not at some later opening
    room.presence = state;
    if (room.state !== 'offline') say(room, state === undefined ? 'presence_untrack' : 'presence_track', { state });
    repeating ??= setInterval(repeat, PRESENCE);
  }

  function repeat(): void {
    const present = [...rooms.values()].filter(({ presence }) => presence !== undefined);
    for (const room of present) if (room.state !== 'offline') say(room, 'presence_track', { state: room.presence });
    if (present.length > 0) return;
    clearInterval(repeating);
    repeating = undefined;
  }

  function leave(room: Room): void {
    if (!isIn(room)) return;
    rooms.delete(room.name);
    clearTimeout(room.retry);
    say(room, 'leave_channel');
    for (const resolve of room.waiting.splice(0)) resolve(false);
    room.state = 'offline';
    repeat();
    link().look();
  }

  function opened(): void {
    for (const room of [...rooms.values()]) enter(room);
  }

  function lost(): void {
    for (const room of [...rooms.values()]) {
      clearTimeout(room.retry);
      change(room, 'offline');
    }
  }

  function heard(frame: Frame): void {
    const room = rooms.get(frame['channel'] as string);
    if (room === undefined) return;
    if (frame.type === 'broadcast') hear(room, frame as unknown as Message);
    else if (frame.type === 'channel_history') catchUp(room, frame as unknown as Kept);
    else if (frame.type === 'presence_state') showPresences(room, frame['presences'] as Presences);
    else if (frame.type === 'presence_diff') showDiff(room, frame as unknown as { joins: Presences; leaves: Presences });
    else if (frame.type === 'ERROR') refused(room, errorOf(frame));
  }

  function hear(room: Room, { event, payload, seq }: Message): void {
    if (seq === undefined) return void run(room.handlers.onMessage, { event, payload });
    room.seen ??= seq - 1;
    if (seq <= room.seen) return;
    room.known = Math.max(room.known, seq);
    if (room.asked !== undefined) return;
    if (seq > room.seen + 1) return askHistory(room);
    room.seen = seq;
    void run(room.handlers.onMessage, { event, payload, seq });
  }

  /** Tells what was missed, page after page, until nothing is missing. */
  function catchUp(room: Room, { messages, retained, latestSeq }: Kept): void {
    const { asked, known } = room;
    room.asked = undefined;
    room.isKept = retained;
    room.known = 0;
    if (retained) {
      // An empty page: whatever is missing is no longer kept.
      if (room.seen === undefined || (messages.length === 0 && asked === room.seen)) room.seen = latestSeq;
      for (const { event, payload, seq } of messages) {
        if (seq <= room.seen) continue;
        room.seen = seq;
        void run(room.handlers.onMessage, { event, payload, seq });
        if (!isIn(room)) return;
      }
      if (room.seen < latestSeq || room.seen < known) {
        // It may have begun before the last send.
        room.known = Number.isFinite(known) ? known : 0;
        return askHistory(room);
      }
    }
    room.attempt = 0;
    change(room, 'live');
    for (const resolve of room.waiting.splice(0)) resolve(true);
  }

  function showDiff(room: Room, { joins, leaves }: { joins: Presences; leaves: Presences }): void {
    const left = Object.entries(room.presences).filter(([id]) => !Object.hasOwn(leaves, id));
    showPresences(room, { ...Object.fromEntries(left), ...joins });
  }

  function showPresences(room: Room, presences: Presences): void {
    room.presences = presences;
    void run(room.handlers.onPresence, presences);
  }

  /** A refused frame does not say which one it was. Without membership, or without the history, it enters again, ever less often. */
  function refused(room: Room, error: RowgateError): void {
    if (room.asked !== undefined || error.code === 'CHANNEL_FORBIDDEN') {
      room.asked = undefined;
      change(room, 'catching up');
      clearTimeout(room.retry);
      room.retry = setTimeout(() => { if (link().isOpen) enter(room); }, backoff(room.attempt++));
    }
    void run(room.handlers.onError, error);
  }

  function failed(error: RowgateError): void {
    for (const { handlers } of [...rooms.values()]) void run(handlers.onError, error);
  }

  function change(room: Room, state: State): void {
    if (room.state === state) return;
    room.state = state;
    void run(room.handlers.onState, state);
  }
}
