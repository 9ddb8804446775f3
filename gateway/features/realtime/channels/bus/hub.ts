import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Listening } from '../../../../database/listen.ts';
import { diffFrame } from '../frames.ts';
import type { Notice, Presence } from './bus.ts';
import { openGateway, type Gateway } from './gateway.ts';
import { CHANNELS_CHANNEL, SQL, unpacked, wordOf, type Word } from './wire.ts';

export type HubOptions = {
  listening: Listening;
  /** `postgres`: the channels of all gateways on the database are one; `memory`: those of the processes of this start. */
  kind: 'memory' | 'postgres';
  /** Tells all processes of this start, but the one that it comes from. */
  tell: (notice: Notice, from?: number) => void;
  log: Logger;
};

/** State of channels that the processes of one start share, and their way to other gateways. Processes have numbers. */
export type Hub = {
  /** A process begins, or replaces another one with its number, whose members are gone. */
  enter: (process: number) => void;
  say: (process: number, channel: string, frame: string) => boolean;
  track: (process: number, presence: Presence, frame: string) => void;
  roster: (process: number, channel: string) => Promise<[id: string, state: string][]>;
  close: () => Promise<void>;
};

/** Milliseconds. */
const TEND = 10_000;

export async function openHub({ listening, kind, tell, log }: HubOptions): Promise<Hub> {
  const { listen, ask } = listening;
  const id = randomUUID();
  /** By channel and id. */
  const present = new Map<string, Map<string, { process: number; state: string }>>();
  const turns = inOrder();
  let gateway: Gateway | undefined;
  let isHeard = false;
  let readBefore = '{}';
  const { end } = await listen(CHANNELS_CHANNEL, { heard, resumed, silent: () => { isHeard = false; } });
  if (kind === 'postgres') await begin();
  const tending = setInterval(() => void tend(), TEND).unref();
  return { enter, say, track, roster, close };

  async function begin(): Promise<void> {
    try {
      gateway = await openGateway({ id, ask, present: presences, log });
    } catch (error) {
      const told = 'The bus of channels could not start: they reach only the sockets of this start, as with REALTIME_CHANNEL_BUS=memory.';
      log.error({ err: error }, told);
    }
  }

  function enter(process: number): void {
    for (const { channel, id, state } of presences(process)) {
      track(process, { channel, id, state: null }, diffFrame(channel, { leaves: new Map([[id, state]]) }));
    }
  }

  function say(process: number, channel: string, frame: string): boolean {
    tell({ kind: 'broadcast', channel, frame }, process);
    if (gateway === undefined) return true;
    const word = wordOf(gateway.longestHeading, 'broadcast', channel, frame);
    if (word === undefined) return false;
    gateway.say(word);
    return true;
  }

  function track(process: number, presence: Presence, frame: string): void {
    const { channel, id, state } = presence;
    note(process, presence);
    tell({ kind: 'presence', channel, frame }, process);
    gateway?.track({ channel, id, state }, frame);
  }

  function note(process: number, { channel, id, state }: Presence): void {
    const there = present.get(channel) ?? new Map<string, { process: number; state: string }>();
    if (state === null) there.delete(id);
    else there.set(id, { process, state });
    if (there.size === 0) present.delete(channel);
    else present.set(channel, there);
  }

  function presences(process?: number): (Presence & { state: string })[] {
    return [...present].flatMap(([channel, there]) => [...there]
      .filter(([, one]) => process === undefined || one.process === process)
      .map(([id, { state }]) => ({ channel, id, state })));
  }

  async function roster(process: number, channel: string): Promise<[string, string][]> {
    const elsewhere = await gateway?.roster(channel) ?? [];
    const here = [...present.get(channel) ?? []].filter(([, one]) => one.process !== process);
    return [...elsewhere, ...here.map(([id, { state }]): [string, string] => [id, state])];
  }

  function heard(payload: string): void {
    const { heading, words } = unpacked(payload);
    const isOfSql = heading.startsWith(SQL);
    if (heading.startsWith(id) || (!isOfSql && gateway === undefined)) return;
    for (const word of words) turns(word.channel, () => hear(word));
  }

  function hear(word: Word): void | Promise<void> {
    if (word.kind === 'waiting') void look(() => ask('select service_private.keep_broadcasts()'));
    else if (word.kind === 'large') return large(word);
    else tell(word);
  }

  async function large({ channel, id }: Word & { kind: 'large' }): Promise<void> {
    await look(async () => {
      const [row] = await ask<{ frame: string | null }>('select service_private.large_broadcast($1::bigint) as frame', [id]);
      if (row?.frame) tell({ kind: 'broadcast', channel, frame: row.frame });
    });
  }

  function resumed(): void {
    isHeard = true;
    tell({ kind: 'again' });
    void gateway?.enter().then(() => { tell({ kind: 'roster' }); });
    void look(() => ask('select service_private.keep_broadcasts()'));
  }

  async function tend(): Promise<void> {
    if (!isHeard) return;
    await look(async () => {
      const statement = 'select known, broadcasts::text from service_private.heartbeat_channels($1::uuid, $2::text::bigint[])';
      const [row] = await ask<{ known: boolean; broadcasts: string }>(statement, [gateway === undefined ? null : id, readBefore]);
      readBefore = row?.broadcasts ?? '{}';
      if (row?.known === false) await gateway?.enter();
    });
  }

  /** A failed read is repeated at the next heartbeat, or the next notification. */
  async function look(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isHeard) log.warn({ err: error }, 'the heartbeat of channels failed');
    }
  }

  async function close(): Promise<void> {
    clearInterval(tending);
    await gateway?.close();
    isHeard = false;
    await end();
  }
}

/** Runs work for the same name one after the other: at once when none is under way. The work never throws. */
function inOrder(): (name: string, work: () => void | Promise<void>) => void {
  const underWay = new Map<string, Promise<void>>();

  return (name, work) => {
    const before = underWay.get(name);
    const done = before === undefined ? work() : before.then(work);
    if (done === undefined) return;
    const after = done.then(() => { if (underWay.get(name) === after) underWay.delete(name); });
    underWay.set(name, after);
  };
}
