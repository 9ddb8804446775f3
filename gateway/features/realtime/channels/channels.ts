import type { Logger } from 'pino';
import { unavailable } from '../../../database/refusal.ts';
import { ApiError } from '../../../error.ts';
import type { Frame } from '../frame.ts';
import type { Part } from '../frame-group.ts';
import type { Session } from '../session.ts';
import { forbidden, type Authorizer } from './authorizer.ts';
import type { Bus, Notice, OpenBus } from './bus/bus.ts';
import { createDelivery } from './delivery.ts';
import {
  broadcastFrame, channelOf, contentOf, diffFrame, eventOf, invalid, nothingKept, pageOf, stateOf,
} from './frames.ts';
import type { KeptMessages } from './kept-messages.ts';
import { Member } from './member.ts';
import { Presences } from './presences.ts';
import { Room } from './room.ts';

export type ChannelsOptions = {
  openBus: OpenBus;
  allow: Authorizer;
  /** Whether a channel keeps its messages. */
  isKept: (channel: string) => boolean;
  messages: KeptMessages;
  log: Logger;
};

export type Channels = {
  part: Part;
  /** Begins to hear what is said elsewhere. */
  start: () => Promise<void>;
  close: () => Promise<void>;
};

/** For one socket. */
const MOST_CHANNELS = 100;
/** Milliseconds. */
const EXPIRY = 1_000;

export function createChannels({ openBus, allow, isKept, messages, log }: ChannelsOptions): Channels {
  const rooms = new Map<string, Room>();
  /** The channels of each session; those of one that was closed are not here any more. */
  const joined = new WeakMap<Session, Map<string, Member>>();
  const gone = new WeakSet<Session>();
  const presences = new Presences();
  let bus: Bus | undefined;
  const expiring = setInterval(expire, EXPIRY).unref();

  return {
    part: {
      frames: {
        join_channel: { kind: 'channel', handle: unlessKey(join) },
        leave_channel: { kind: 'channel', handle: (session, frame) => { leave(session, channelOf(frame)); } },
        broadcast: { kind: 'channel', handle: unlessKey(broadcast) },
        presence_track: { kind: 'channel', handle: unlessKey(track) },
        presence_untrack: { kind: 'channel', handle: (session, frame) => { untrack(session, channelOf(frame)); } },
        presence_state: { kind: 'channel', handle: unlessKey(tellRoster) },
        channel_history: { kind: 'channel', handle: unlessKey(tellHistory) },
      },
      rebound, closed,
    },
    start, close,
  };

  async function start(): Promise<void> {
    bus = await openBus(hear);
  }

  async function close(): Promise<void> {
    clearInterval(expiring);
    await bus?.close();
  }

  function membersOf(session: Session): Map<string, Member> {
    const own = joined.get(session) ?? new Map<string, Member>();
    joined.set(session, own);
    return own;
  }

  /** @throws ApiError 403 CHANNEL_FORBIDDEN */
  function memberIn(session: Session, channel: string): Room {
    const room = rooms.get(channel);
    if (room?.members.has(session) !== true) throw forbidden('Join this channel first.');
    return room;
  }

  async function join(session: Session, frame: Frame): Promise<void> {
    await enter(session, channelOf(frame));
  }

  async function enter(session: Session, channel: string): Promise<void> {
    const own = membersOf(session);
    if (own.has(channel)) return;
    if (own.size >= MOST_CHANNELS) throw invalid(`A socket may be in ${MOST_CHANNELS} channels.`, { maximum: MOST_CHANNELS });
    await allowed(session, () => allow(session.caller, { action: 'join', channel }));
    if (gone.has(session)) return;
    const room = rooms.get(channel) ?? openRoom(channel);
    const member = new Member(session, channel);
    own.set(channel, member);
    room.members.set(session, member);
    await room.delivery?.begun.catch((error: unknown) => {
      leave(session, channel);
      throw error;
    });
  }

  function openRoom(channel: string): Room {
    const room = new Room(channel);
    rooms.set(channel, room);
    if (isKept(channel)) room.delivery = createDelivery(channel, messages, (frame, sender) => { room.tell(frame, sender); });
    return room;
  }

  function leave(session: Session, channel: string): void {
    const room = rooms.get(channel);
    room?.members.delete(session);
    untrack(session, channel);
    joined.get(session)?.delete(channel);
    if (room?.members.size !== 0) return;
    room.delivery?.end();
    rooms.delete(channel);
  }

  async function broadcast(session: Session, frame: Frame): Promise<void> {
    const [channel, event, content] = [channelOf(frame), eventOf(frame), contentOf(frame)];
    memberIn(session, channel);
    await allowed(session, () => allow(session.caller, { action: 'broadcast', channel, event }));
    const room = memberIn(session, channel);
    if (isKept(channel)) return messages.keep({ channel, event, content, sender: session.id }); // members hear of it as others do
    const text = broadcastFrame(channel, event, content);
    room.tell(text, session.id);
    if (await bus?.say(channel, text) !== false) return;
    const message = 'This message was too large for other gateways: only members at this one heard it.';
    throw new ApiError(413, 'CHANNEL_BUS_PAYLOAD_TOO_LARGE', message);
  }

  async function track(session: Session, frame: Frame): Promise<void> {
    const [channel, state] = [channelOf(frame), stateOf(frame)];
    await enter(session, channel);
    await allowed(session, () => allow(session.caller, { action: 'presence', channel }));
    if (gone.has(session)) return;
    const room = memberIn(session, channel);
    const member = room.members.get(session);
    const isNews = member?.state !== state;
    if (member !== undefined) member.state = state;
    presences.said(session, channel);
    const diff = diffFrame(channel, { joins: new Map([[session.id, state]]) });
    room.tell(diff);
    if (isNews) bus?.track({ channel, id: session.id, state }, diff);
  }

  function untrack(session: Session, channel: string): void {
    presences.forget(session, channel);
    const member = joined.get(session)?.get(channel);
    if (member?.state === undefined) return;
    const diff = diffFrame(channel, { leaves: new Map([[session.id, member.state]]) });
    member.state = undefined;
    rooms.get(channel)?.tell(diff);
    bus?.track({ channel, id: session.id, state: null }, diff);
  }

  function expire(): void {
    for (const { session, channel } of presences.expired()) untrack(session, channel);
  }

  async function tellRoster(session: Session, frame: Frame): Promise<void> {
    const channel = channelOf(frame);
    memberIn(session, channel);
    await allowed(session, () => allow(session.caller, { action: 'presence', channel }));
    const text = await rosterOf(memberIn(session, channel));
    memberIn(session, channel);
    session.socket.send(text);
  }

  function rosterOf(room: Room): Promise<string> {
    return room.roster(channel => bus?.roster(channel) ?? Promise.resolve([])).catch((error: unknown) => { throw unavailable(error); });
  }

  async function tellHistory(session: Session, frame: Frame): Promise<void> {
    const [channel, page] = [channelOf(frame), pageOf(frame)];
    memberIn(session, channel);
    await allowed(session, () => allow(session.caller, { action: 'history', channel }));
    const { kind, uid } = session.caller;
    const text = isKept(channel) ? await messages.history(channel, page, `${kind} ${uid}`) : nothingKept(channel);
    memberIn(session, channel);
    session.socket.send(text);
  }

  /** A decision for an earlier identity is void: the decision is asked again for the session's current caller. */
  async function allowed(session: Session, ask: () => Promise<void> | void): Promise<void> {
    for (let asked; asked !== session.caller;) {
      asked = session.caller;
      refuseKey(session);
      await ask();
    }
  }

  /** After a change of identity, messages of channels wait until it is known whether the new caller may receive them. */
  async function rebound(session: Session): Promise<void> {
    await Promise.all([...joined.get(session)?.values() ?? []].map(member => judge(member)));
  }

  async function judge(member: Member): Promise<void> {
    const { session, channel } = member;
    const turn = member.hold();
    const isAllowed = await allowed(session, () => allow(session.caller, { action: 'join', channel })).then(() => true, () => false);
    if (turn !== member.turn || joined.get(session)?.get(channel) !== member) return; // judged again, or gone
    if (isAllowed) return member.release();
    leave(session, channel);
    session.refuse({ channel }, forbidden('You are no longer a member of this channel.'));
  }

  function closed(session: Session): void {
    gone.add(session);
    for (const channel of [...joined.get(session)?.keys() ?? []]) leave(session, channel);
    joined.delete(session);
  }

  function hear(notice: Notice): void {
    if (notice.kind === 'again') for (const { delivery } of rooms.values()) delivery?.again();
    else if (notice.channel === undefined) for (const room of rooms.values()) void tellRosterAnew(room);
    else hearIn(rooms.get(notice.channel), notice);
  }

  function hearIn(room: Room | undefined, notice: Exclude<Notice, { kind: 'again' }>): void {
    switch (notice.kind) {
      case 'broadcast': return room?.tell(notice.frame);
      case 'presence': return room?.tellPresence(notice.frame);
      case 'roster': return void (room && tellRosterAnew(room));
      case 'message':
        if (room?.delivery !== undefined) room.delivery.heard(notice);
        else if (notice.frame !== undefined) room?.tell(notice.frame, notice.sender); // another gateway has other rules
        return;
    }
  }

  async function tellRosterAnew(room: Room): Promise<void> {
    try {
      room.tell(await rosterOf(room));
    } catch (error) {
      log.warn({ err: error, channel: room.channel }, 'the members of a channel could not be read');
    }
  }
}

/** @throws ApiError 403 API_KEY_FORBIDDEN */
function refuseKey({ caller }: Session): void {
  if (caller.kind === 'key') throw new ApiError(403, 'API_KEY_FORBIDDEN', 'No API key may use channels.', { requiredScope: null });
}

function unlessKey(handle: (session: Session, frame: Frame) => Promise<void>): (session: Session, frame: Frame) => Promise<void> {
  return (session, frame) => {
    refuseKey(session);
    return handle(session, frame);
  };
}
