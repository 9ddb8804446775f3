/** Channels: messages between clients, who is present, and what a channel keeps. */
import { run } from '../callback.ts';
import { refuse, type RowgateError } from '../error.ts';
import { writeJson } from '../json.ts';
import { mapped } from '../parameters.ts';
import { channelKey, errorOf, type Frame, type Member, type State } from './members.ts';
import type { Link } from './socket.ts';

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
  /** Without it errors are written to the console. */
  onError?: (error: RowgateError) => unknown;
  /** The number of the last message that is known: later ones that the channel keeps are told first. 0: all of them. */
  since?: number;
}
export type Presences = Readonly<Record<string, unknown>>;

export interface Channel {
  readonly state: State;
  /**
   * Resolves when the message was sent, once the channel is live.
   * @throws RowgateError INVALID_INPUT when the channel was left before, or another person signed in
   */
  send(event: string, payload?: unknown): Promise<void>;
  /** Is present with this state, after a lost connection too, until another person signs in. Nothing once the channel was left. */
  track(state?: object): void;
  untrack(): void;
  leave(): void;
}

type Heard = Frame & Message & Kept & { presences: Presences; joins: Presences; leaves: Presences };
type Kept = { messages: (Message & { seq: number })[]; retained: boolean; latestSeq: number };

export function createChannels(link: Link): (name: string, handlers?: ChannelHandlers) => Channel {
  const names = new Set<string>();

  /** @throws RowgateError INVALID_INPUT for a channel that this client is in already */
  return (channel, handlers = {}) => {
    if (names.has(channel)) refuse(`This client is in the channel "${channel}" already.`);
    const { since, onMessage, onPresence, onState, onError = console.error } = handlers;
    writeJson({ channel, since }); // what cannot be sent is refused here, not at some later opening
    /** The number of the last message that was told. Unknown at first, and where nothing is kept. */
    let seen = since;
    /** The highest number that was heard of. */
    let known = 0;
    /** The number after which the history has been asked for; it brings what is heard meanwhile. */
    let asked: number | undefined;
    let isIn = true;
    let isKept = false;
    let presences: Presences = {};
    let presence: object | undefined;
    let repeating: ReturnType<typeof setInterval> | undefined;
    /** Sends that wait until it is live. False: for another caller, or not at all. */
    let waiting: ((isLive: boolean) => void)[] = [];

    /** Frames are not acknowledged; the history, which comes in their order, says that this client is a member. */
    const member: Member = {
      state: 'offline',
      ask() {
        say('join_channel');
        present();
        if (onPresence) say('presence_state');
        askHistory();
      },
      heard(frame) {
        const heard = frame as Heard;
        if (heard.type === 'broadcast') hear(heard);
        else if (heard.type === 'channel_history') catchUp(heard);
        else if (heard.type === 'presence_state') showPresences(heard.presences);
        else if (heard.type === 'presence_diff') {
          const stayed = mapped(presences, (state, id) => Object.hasOwn(heard.leaves, id) ? undefined : state);
          showPresences({ ...stayed, ...heard.joins });
        }
        else if (heard.type === 'ERROR') refused(errorOf(heard));
      },
      changed: state => run(onState, state),
      failed: error => isIn && onError(error),
      forget() {
        seen = since;
        drop();
        showPresences({});
      },
    };
    link.add(channelKey(channel), member);
    link.late(member, member.failed);
    names.add(channel);
    return {
      get state() { return member.state; },
      async send(event, payload = null) {
        const isLive = member.state === 'live' || isIn && await new Promise<boolean>(resolve => { waiting.push(resolve); });
        if (!isLive) refuse(`This client is in the channel "${channel}" no more.`);
        say('broadcast', { event, payload });
        // The sender is not told; what is kept has a number nevertheless.
        if (!isKept) return;
        if (asked === undefined) askHistory();
        else known = Infinity;
      },
      track(state = {}) {
        if (!isIn) return;
        writeJson(state);
        presence = state;
        present();
        clearInterval(repeating);
        // Milliseconds. The service forgets a presence after 30,000.
        repeating = setInterval(present, 20_000);
      },
      untrack,
      leave() {
        if (!isIn) return;
        isIn = false;
        names.delete(channel);
        link.remove(channelKey(channel), member, 'leave_channel', { channel });
        member.state = 'offline';
        drop();
      },
    };

    /** It may have been changed to what cannot be sent, which breaks nothing else. */
    function present(): void {
      void run(state => { if (state) say('presence_track', { state }); }, presence);
    }

    function untrack(): void {
      presence = undefined;
      clearInterval(repeating);
      say('presence_untrack');
    }

    /** Nothing that was begun goes on. */
    function drop(): void {
      untrack();
      release(false);
    }

    function say(type: string, payload: object = {}): void {
      if (isIn) link.say(type, { ...payload, channel });
    }

    /** Without a known number only the latest one is asked for. */
    function askHistory(): void {
      asked = seen ?? Number.MAX_SAFE_INTEGER;
      link.expectAnswer(member);
      say('channel_history', { sinceSeq: asked, limit: 1_000 });
    }

    function tell({ event, payload, seq }: Message): void {
      seen = seq ?? seen;
      void run(onMessage, { event, payload, ...seq !== undefined && { seq } });
    }

    function hear(message: Message): void {
      const { seq } = message;
      if (seq !== undefined) {
        seen ??= seq - 1;
        if (seq <= seen) return;
        known = Math.max(known, seq);
        if (asked !== undefined) return;
        if (seq > seen + 1) return askHistory();
      }
      tell(message);
    }

    /** Tells what was missed, page after page, until nothing is missing. */
    function catchUp({ messages, retained, latestSeq }: Kept): void {
      const after = asked;
      const latest = Math.max(known, latestSeq);
      asked = undefined;
      isKept = retained;
      known = 0;
      if (retained) {
        // An empty page: whatever is missing is no longer kept.
        if (seen === undefined || (messages.length === 0 && after === seen)) seen = latestSeq;
        for (const message of messages) if (isIn && message.seq > seen) tell(message);
      }
      if (!isIn) return;
      // Infinity: the page may have begun before the last send.
      if (retained && seen !== undefined && seen < latest) return askHistory();
      link.change(member, 'live');
      release(true);
    }

    function release(isLive: boolean): void {
      for (const resolve of waiting) resolve(isLive);
      waiting = [];
    }

    /** Without a listener the state is not asked for after a lost connection, and members that left meanwhile would be kept for ever. */
    function showPresences(all: Presences): void {
      if (!onPresence) return;
      presences = all;
      void run(onPresence, all);
    }

    /** A refused frame does not say which one it was. Without membership, or without the history, it enters again. */
    function refused(error: RowgateError): void {
      if (asked === undefined && error.code !== 'CHANNEL_FORBIDDEN') return void run(onError, error);
      asked = undefined;
      link.refused(member, error);
    }
  };
}
