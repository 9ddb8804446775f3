import { ApiError } from '../../error.ts';
import type { Kind } from '../store.ts';

/** Bytes that names and values of an object's own metadata may take together. */
const LIMIT = 2048;
/** Begins the names of what is ours. */
const OURS = 'rowgate-';
/** Holds as JSON what a header cannot: its names are without case, its values visible ASCII. */
const REST = `${OURS}custom`;
const UPLOAD = `${OURS}upload`;

export type Headers = { ContentType: string; Metadata: Record<string, string> };

/**
 * Custom metadata as `x-amz-meta-…`, where other tools see it.
 * @param upload what will tell that an object came of it
 * @throws ApiError 400 BAD_REQUEST where it is more than a store keeps.
 */
export function toHeaders({ contentType, custom }: Kind, upload?: string): Headers {
  const entries = Object.entries(custom);
  const plain = entries.filter(isPlain);
  const rest = entries.filter(entry => !isPlain(entry));
  const metadata = Object.fromEntries(plain);
  if (rest.length > 0) metadata[REST] = Buffer.from(JSON.stringify(Object.fromEntries(rest))).toString('base64url');
  if (upload !== undefined) metadata[UPLOAD] = upload;
  const size = Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > LIMIT) {
    throw new ApiError(400, 'BAD_REQUEST', `The custom metadata takes ${size} bytes, and this storage source keeps ${LIMIT}.`,
      { size, maxSize: LIMIT });
  }
  return { ContentType: /^[\x20-\x7e]+$/.test(contentType) ? contentType : 'application/octet-stream', Metadata: metadata };
}

function isPlain([name, value]: [string, string]): boolean {
  if (!/^[a-z][a-z\d-]{0,63}$/.test(name) || name.startsWith(OURS)) return false;
  // Two spaces are one in a signature, and `=?` begins an encoded word (RFC 2047).
  return /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(value) && !value.includes('=?');
}

export function fromHeaders(contentType: string | undefined, metadata: Record<string, string> | undefined): Kind {
  const custom = Object.entries(metadata ?? {}).filter(([name]) => !name.startsWith(OURS));
  return { contentType: contentType ?? 'application/octet-stream', custom: { ...Object.fromEntries(custom), ...rest(metadata?.[REST]) } };
}

/** Other programs with access to the bucket may have written anything there. */
function rest(encoded: string | undefined): Record<string, string> {
  if (encoded === undefined) return {};
  try {
    const found = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as unknown;
    const entries = typeof found === 'object' && found !== null ? Object.entries(found) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}

export function uploadOf(metadata: Record<string, string> | undefined): string | undefined {
  return metadata?.[UPLOAD];
}
