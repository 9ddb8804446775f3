import { ApiError } from '../../../error.ts';

/** Keys of Upload-Metadata that are read. */
const NAMES = ['key', 'filename', 'bucket', 'storageId', 'contentType', 'filetype', 'collection', 'property'] as const;
export type Metadata = { readonly [Name in typeof NAMES[number]]?: string };

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const NAME = /^[!-+\--~]+$/;

/**
 * Reads `Upload-Metadata`: names with their values in base64, a comma between any two; a value may be missing
 * (tus 1.0.0, https://tus.io/protocols/resumable-upload#upload-metadata). Other names than these are passed over.
 * @throws ApiError 400 BAD_REQUEST for what is no such list.
 */
export function parseMetadata(header: string): Metadata {
  const pairs = header.trim() === '' ? [] : header.split(',').map(pair => pair.trim().split(' '));
  const seen = new Set<string>();
  const metadata: Record<string, string> = {};
  for (const [name = '', value = '', ...more] of pairs) {
    const isPair = NAME.test(name) && BASE64.test(value) && more.length === 0;
    if (!isPair) throw malformed('a list of names, each with a space and base64 after it');
    if (seen.has(name)) throw malformed('a list that has no name twice');
    seen.add(name);
    if ((NAMES as readonly string[]).includes(name)) metadata[name] = textOf(value);
  }
  return metadata;
}

function textOf(base64: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw malformed('a list whose values are UTF-8 in base64');
  }
}

function malformed(expected: string): ApiError {
  return new ApiError(400, 'BAD_REQUEST', `Upload-Metadata is not ${expected}.`);
}

const MEDIA_TYPE = /^[\w!#$&^+.-]+\/[\w!#$&^+.-]+[\t ]*(?:;[\t\x20-\x7e]*)?$/;

/** The media type of the file. @throws ApiError 400 BAD_REQUEST for a value that no header could hold. */
export function typeOf({ contentType, filetype }: Metadata): string {
  const type = contentType || filetype || 'application/octet-stream';
  const isOne = type.length <= 255 && MEDIA_TYPE.test(type);
  if (!isOne) throw new ApiError(400, 'BAD_REQUEST', 'contentType of Upload-Metadata is no media type.');
  return type;
}
