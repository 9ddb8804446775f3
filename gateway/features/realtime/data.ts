import { reachedBy, type CatalogDocument } from '../../catalog/document.ts';
import { ApiError } from '../../error.ts';
import { parseHard } from '../../grammar/hard.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { isObject, plainText } from '../../json/exact.ts';
import { encoded, isAbsent, jsonText, keyOf, keyValue, listPathOf, requestOf, rowPathOf } from '../data-query.ts';
import { callOf, type Asked } from './call.ts';
import type { Frame } from './frame.ts';
import type { FrameRule, Part } from './frame-group.ts';
import { createReplay } from './replay.ts';
import type { Session } from './session.ts';

export type DataFramesOptions = {
  /** A request for data, as REST answers it. */
  answer: (call: Call, caller: Caller) => Reply | Promise<Reply>;
  document: () => CatalogDocument;
};

type Payload = Record<string, unknown>;

/** REST counts the rows it finds, which subscriptions do not need. */
const UNCOUNTED = { prefer: 'count=none' };
/** Parameters that make no difference to a count. */
const WINDOW = ['limit', 'offset', 'page', 'startAfter', 'after', 'orderBy'];

/** Reads and writes of rows, each a request of REST. */
export function dataFrames({ answer, document }: DataFramesOptions): Part {
  const replay = createReplay();
  const rule = (handle: FrameRule['handle']): FrameRule => ({ kind: 'request', handle });
  return {
    frames: {
      FETCH_COLLECTION: rule(fetchCollection),
      FETCH_ONE: rule(fetchOne),
      COUNT: rule(count),
      SAVE: rule((session, frame) => replay(session, frame, key => save(session, frame, key))),
      DELETE: rule((session, frame) => replay(session, frame, key => remove(session, frame, key))),
      CHECK_UNIQUE_FIELD: rule(checkUnique),
    },
  };

  async function ask(session: Session, asked: Asked): Promise<Buffer> {
    const { body = '' } = await answer(callOf(session, asked), session.caller);
    return Buffer.from(body as string);
  }

  async function fetchCollection(session: Session, { payload }: Frame): Promise<Buffer> {
    const body = await ask(session, { method: 'GET', ...requestOf(payload), headers: UNCOUNTED });
    return member('rows', body.subarray('{"data":'.length, body.lastIndexOf(',"meta":')));
  }

  async function fetchOne(session: Session, { payload }: Frame): Promise<Buffer> {
    return member('row', await row(session, requestOf(payload, true)));
  }

  /** The row as REST shows it; null where there is none for this caller. */
  async function row(session: Session, { path, query }: ReturnType<typeof requestOf>): Promise<Buffer> {
    try {
      return await ask(session, { method: 'GET', path, query });
    } catch (error) {
      const isThere = document().collections.some(({ slug }) => slug === path[0]);
      if (!isThere || !(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
      return Buffer.from('null');
    }
  }

  function count(session: Session, { payload }: Frame): Promise<Buffer> {
    const window = [...WINDOW, ...(isAbsent(payload['orderBy']) ? [] : ['order'])];
    const { path, query } = requestOf(Object.fromEntries(Object.entries(payload).filter(([name]) => !window.includes(name))));
    return ask(session, { method: 'GET', path: [...path, 'count'], query });
  }

  async function save(session: Session, { payload }: Frame, headers: Asked['headers']): Promise<Buffer> {
    return member('row', await ask(session, { ...saving(payload, document()), headers: { ...headers } }));
  }

  async function remove(session: Session, { payload }: Frame, headers: Asked['headers']): Promise<object> {
    const { row, hard } = payload;
    if (!isObject(row)) throw new ApiError(400, 'INVALID_INPUT', '"row" must be an object of path and id.');
    const isHard = parseHard({ hard: isAbsent(hard) ? undefined : plainText(hard) ?? 'null' });
    const query = isHard ? 'hard=true' : '';
    await ask(session, { method: 'DELETE', path: rowPathOf(row), query, headers: { ...headers } });
    return { success: true };
  }

  /** Among the rows that the caller may see; the row with the id may have the value. */
  async function checkUnique(session: Session, { payload: { path, name, value = null, id } }: Frame): Promise<object> {
    if (typeof name !== 'string') throw new ApiError(400, 'INVALID_INPUT', '"name" must be a text.');
    const filter = { [name]: ['==', value] };
    const list = requestOf({ path, filter, fields: [name], limit: 2 });
    const answer = await ask(session, { method: 'GET', ...list, headers: UNCOUNTED });
    const { data: found } = JSON.parse(answer.toString()) as { data: unknown[] };
    if (found.length === 0 || value === null) return { isUnique: true };
    if (found.length > 1 || isAbsent(id)) return { isUnique: false };
    const own = await row(session, requestOf({ path, id, filter }, true));
    return { isUnique: own.toString() !== 'null' };
  }
}

function member(name: string, json: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`{"${name}":`), json.length === 0 ? Buffer.from('null') : json, Buffer.from('}')]);
}

function saving(payload: Payload, document: CatalogDocument): Asked {
  const { id, values, upsert = false, onConflict } = payload;
  if (!isObject(values)) throw new ApiError(400, 'INVALID_INPUT', '"values" must be an object.');
  const status = payload['status'] ?? (isAbsent(id) ? 'new' : 'existing');
  if (status === 'existing' && upsert !== true) return { method: 'PATCH', path: rowPathOf(payload), body: jsonText(values) };
  if (status !== 'new' && status !== 'existing') throw new ApiError(400, 'INVALID_INPUT', '"status" must be new or existing.');
  if (typeof upsert !== 'boolean') throw new ApiError(400, 'INVALID_INPUT', '"upsert" must be true or false.');
  const path = listPathOf(payload);
  const key = keyOf(document, reachedBy(document, path));
  const query = upsert ? `on_conflict=${encoded(conflictOf(onConflict) ?? key.join(), 'onConflict')}` : '';
  return { method: 'POST', path, query, body: jsonText({ ...keyValue(key, id), ...values }) };
}

function conflictOf(names: unknown): string | undefined {
  if (isAbsent(names)) return undefined;
  if (typeof names === 'string') return names;
  if (Array.isArray(names) && names.every(name => typeof name === 'string')) return names.join();
  throw new ApiError(400, 'INVALID_CONFLICT_TARGET', '"onConflict" must be a list of names.');
}
