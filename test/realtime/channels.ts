import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { tokenFor, type TestService } from '../harness/service.ts';
import { connect, type Heard, type TestSocket } from '../harness/socket.ts';

/** The variable for a settings file with these settings of realtime. */
export function realtimeFile(t: Pick<Test, 'teardown'>, realtime: object): { SERVICE_CONFIG_FILE: string } {
  const folder = mkdtempSync(join(tmpdir(), 'channels-'));
  t.teardown(() => { rmSync(folder, { recursive: true }); });
  const file = join(folder, 'rowgate.json');
  writeFileSync(file, JSON.stringify({ realtime }));
  return { SERVICE_CONFIG_FILE: file };
}

/** A frame about a channel. */
export function say(socket: TestSocket, type: string, channel: unknown, more: object = {}): void {
  socket.send({ type, payload: { channel, ...more } });
}

/** A channel without members. */
const NOWHERE = 'nowhere';

/** Resolves when all that was sent before has been done: what concerns channels is taken in its order, what is no frame at once. */
export async function settled(socket: TestSocket): Promise<void> {
  say(socket, 'presence_state', NOWHERE);
  await socket.next({ type: 'ERROR', channel: NOWHERE });
}

/** A code that a channel frame is refused with. */
export async function refused(socket: TestSocket, channel: unknown): Promise<unknown> {
  const { error, payload } = await socket.next({ type: 'ERROR', channel });
  return typeof error === 'string' && error === payload.error.message && payload.channel === channel
    ? payload.error.code
    : { error, payload };
}

export async function member(
  t: Pick<Test, 'teardown'>, service: Pick<TestService, 'address' | 'account'>, uid: string, channels: string[] = [], roles: string[] = [],
): Promise<TestSocket> {
  const socket = await connect(t, service, { token: await tokenFor(uid, roles) });
  for (const channel of channels) say(socket, 'join_channel', channel);
  await settled(socket);
  return socket;
}

/** The session's id, as others see it. */
export async function idOf(socket: TestSocket, channel: string, state: object): Promise<string> {
  say(socket, 'presence_track', channel, { state });
  const isOwn = (joins: Record<string, unknown> = {}) =>
    Object.values(joins).some(other => JSON.stringify(other) === JSON.stringify(state));
  const { joins } = await socket.next(frame => frame.type === 'presence_diff' && isOwn(frame['joins']));
  return Object.keys(joins)[0] ?? '';
}

export async function broadcasts(socket: TestSocket, count: number): Promise<Heard[]> {
  const heard: Heard[] = [];
  while (heard.length < count) heard.push(await socket.next({ type: 'broadcast' }));
  return heard;
}
