import { finished } from 'node:stream/promises';
import busboy from 'busboy';
import { ApiError } from '../error.ts';
import { isStorable } from '../storable.ts';
import type { Call } from './route.ts';

/** The fields of a form, each once. */
export type Form = ReadonlyMap<string, string>;

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
/** Bytes of a form, and its fields. */
const LARGEST = 64 * 1024;
const MOST = 100;

/**
 * The body of a request as a form.
 * @throws ApiError 415 UNSUPPORTED_MEDIA_TYPE, 413 PAYLOAD_TOO_LARGE, 400 BAD_REQUEST, as for a field that came twice.
 */
export function formOf(call: Call): Form {
  requireSmall(call);
  if (typeOf(call) !== URLENCODED) {
    throw new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE', `The body must be a form (Content-Type: ${URLENCODED}).`);
  }
  return fieldsOf(new URLSearchParams(call.body.toString()));
}

/** The same, for forms of pages that may be multipart. Files are passed over. */
export async function anyFormOf(call: Call): Promise<Form> {
  if (typeOf(call) !== MULTIPART) return formOf(call);
  requireSmall(call);
  return fieldsOf(await partsOf(call).catch((cause: unknown) => { throw unreadable({ cause }); }));
}

async function partsOf(call: Call): Promise<[name: string, value: string][]> {
  const parts: [string, string][] = [];
  const reader = busboy({ headers: { 'content-type': call.header('content-type') }, limits: { files: 0, fieldSize: LARGEST } });
  // A name may be missing, against its declaration.
  reader.on('field', (name: string | undefined, value) => { parts.push([name ?? '', value]); });
  reader.end(Buffer.from(call.body));
  await finished(reader);
  return parts;
}

/** Parameters of a query or a form, each once. @throws ApiError 400 BAD_REQUEST. */
export function fieldsOf(pairs: Iterable<[name: string, value: string]>): Form {
  const fields = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!isStorable(name) || !isStorable(value) || fields.size === MOST) throw unreadable();
    if (fields.has(name)) throw new ApiError(400, 'BAD_REQUEST', `The parameter ${name.slice(0, 64)} came more than once.`);
    fields.set(name, value);
  }
  return fields;
}

function typeOf(call: Call): string {
  return call.header('content-type').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function requireSmall({ body }: Call): void {
  if (body.length > LARGEST) throw new ApiError(413, 'PAYLOAD_TOO_LARGE', `The form is larger than ${LARGEST} bytes.`, { limit: LARGEST });
}

function unreadable(options?: ErrorOptions): ApiError {
  return new ApiError(400, 'BAD_REQUEST', 'The form cannot be read.', undefined, options);
}
