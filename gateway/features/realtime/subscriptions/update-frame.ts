import { hash } from 'node:crypto';
import { reachedBy, type CatalogDocument } from '../../../catalog/document.ts';
import type { ReadShape } from '../../../grammar/read/shape.ts';

/** The outcome of a read: the parts of a frame that are the same for all subscribers. */
export type Update = { position: string; type: 'collection_update' | 'single_update'; content: Buffer };

const HEAD = Buffer.from('{"data":');
const META = Buffer.from(',"meta":{');

/** From the bytes of a list's answer, which are not parsed: its rows and its meta are cut out whole. */
export function collectionUpdate(body: Uint8Array, { path, distinct }: ReadShape, document: CatalogDocument): Update {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const cut = bytes.lastIndexOf(META); // rows may hold the like, meta does not
  if (cut === -1 || !bytes.subarray(0, HEAD.length).equals(HEAD)) throw new Error('The answer to a list has another form.');
  const keys = distinct ? undefined : keysOf(document, path);
  return {
    position: positionOf(bytes),
    type: 'collection_update',
    content: Buffer.concat([
      Buffer.from(',"rows":'), bytes.subarray(HEAD.length, cut),
      Buffer.from(keys === undefined ? '' : `,"pks":${JSON.stringify(keys)}`), bytes.subarray(cut, -1),
    ]),
  };
}

/** Undefined for a row that does not exist for this caller. */
export function singleUpdate(body: Uint8Array | undefined): Update {
  const bytes = body === undefined ? Buffer.from('null') : Buffer.from(body.buffer, body.byteOffset, body.length);
  return { position: positionOf(bytes), type: 'single_update', content: Buffer.concat([Buffer.from(',"row":'), bytes]) };
}

/** The frame for one subscription. A client that has this state already, by its `since`, gets `unchanged` instead. */
export function updateFrame({ type, position, content }: Update, subscriptionId: string, since?: string): Buffer {
  const head = `{"type":"${type}","subscriptionId":${JSON.stringify(subscriptionId)}`;
  const tail = `,"position":"${position}"}`;
  if (since === position) return Buffer.from(`${head},"unchanged":true${tail}`);
  return Buffer.concat([Buffer.from(head), content, Buffer.from(tail)]);
}

/** The position is a hash of the content that a caller is shown: equal content has an equal position, at any gateway and time. */
function positionOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64url').slice(0, 22);
}

function keysOf(document: CatalogDocument, path: ReadShape['path']): { fieldName: string; type: string }[] | undefined {
  const collection = document.collections.find(({ slug }) => slug === reachedBy(document, path));
  const typeOf = (key: string) => collection?.properties.find(({ name }) => name === key)?.type ?? 'string';
  return collection?.key.map(fieldName => ({ fieldName, type: typeOf(fieldName) }));
}
