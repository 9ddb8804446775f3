import { ApiError } from '../../../error.ts';
import { parseJson } from '../../../grammar/json.ts';
import { isObject } from '../../../json/exact.ts';
import { isStorable } from '../../../storable.ts';
import type { Frame } from '../frame.ts';

/** For the name of a channel, and of an event. */
const LONGEST_NAME = 200;
/** Bytes of what a member says of itself. */
const LARGEST_STATE = 16 * 1024;
const [DEFAULT_PAGE, LARGEST_PAGE] = [200, 1_000];

/** @throws ApiError 400 INVALID_INPUT, as what follows. */
export function channelOf({ payload }: Frame): string {
  return nameOf(payload, 'channel');
}

export function eventOf({ payload }: Frame): string {
  return nameOf(payload, 'event');
}

function nameOf(payload: Frame['payload'], name: string): string {
  const value = payload[name];
  const isName = typeof value === 'string' && value !== '' && isShort(value) && isStorable(value);
  if (!isName) throw invalid(`"${name}" must be a text of 1 to ${LONGEST_NAME} characters.`);
  return value;
}

/** By the characters that PostgreSQL counts. */
function isShort(name: string): boolean {
  return name.length <= LONGEST_NAME || (name.length <= 2 * LONGEST_NAME && Array.from(name).length <= LONGEST_NAME);
}

/** The content of a broadcast, as JSON. */
export function contentOf(frame: Frame): string {
  return jsonOf(frame, 'payload') ?? 'null';
}

/** The state of a member, as JSON. */
export function stateOf(frame: Frame): string {
  const { state = {} } = frame.payload;
  if (!isObject(state)) throw invalid('"state" must be an object.');
  const text = jsonOf(frame, 'state') ?? '{}';
  if (Buffer.byteLength(text) > LARGEST_STATE) throw invalid(`"state" is more than ${LARGEST_STATE} bytes of JSON.`);
  return text;
}

/** Numbers that a double does not hold keep their digits. */
function jsonOf({ payload, text }: Frame, name: string): string | undefined {
  const value = payload[name];
  const known = JSON.stringify(value) as string | undefined;
  if (known === undefined || !/\d[\d.]{14}|\d[eE]/.test(text)) return known;
  return JSON.stringify((parseJson(text) as unknown as Frame).payload[name]);
}

export function pageOf({ payload: { sinceSeq = 0, limit = DEFAULT_PAGE } }: Frame): { since: number; most: number } {
  if (!isWhole(sinceSeq, 0, Number.MAX_SAFE_INTEGER)) throw invalid('"sinceSeq" must be a whole number, 0 or more.');
  if (!isWhole(limit, 1, LARGEST_PAGE)) throw invalid(`"limit" must be a whole number from 1 to ${LARGEST_PAGE}.`);
  return { since: sinceSeq, most: limit };
}

function isWhole(value: unknown, from: number, to: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to;
}

export function invalid(message: string, details?: Record<string, unknown>): ApiError {
  return new ApiError(400, 'INVALID_INPUT', message, details);
}

/** Content that is JSON already is inserted as it is. */
export function broadcastFrame(channel: string, event: string, content: string): string {
  return `{"type":"broadcast","channel":${JSON.stringify(channel)},"event":${JSON.stringify(event)},"payload":${content}}`;
}

/** States by the ids of members. */
export type Roster = ReadonlyMap<string, string>;

export function rosterFrame(channel: string, presences: Roster): string {
  return `{"type":"presence_state","channel":${JSON.stringify(channel)},"presences":${members(presences)}}`;
}

export function diffFrame(channel: string, { joins = new Map(), leaves = new Map() }: { joins?: Roster; leaves?: Roster }): string {
  return `{"type":"presence_diff","channel":${JSON.stringify(channel)},"joins":${members(joins)},"leaves":${members(leaves)}}`;
}

function members(presences: Roster): string {
  return `{${Array.from(presences, ([id, state]) => `${JSON.stringify(id)}:${state}`).join()}}`;
}

/** The roster after that. */
export function afterDiff(roster: Roster, diff: string): Roster {
  const { joins, leaves } = JSON.parse(diff) as Record<'joins' | 'leaves', Record<string, unknown>>;
  const after = new Map(roster);
  for (const id of Object.keys(leaves)) after.delete(id);
  for (const [id, state] of Object.entries(joins)) after.set(id, JSON.stringify(state));
  return after;
}

export function nothingKept(channel: string): string {
  return `{"type":"channel_history","channel":${JSON.stringify(channel)},"messages":[],"retained":false,"latestSeq":0}`;
}
