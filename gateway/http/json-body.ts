import { ApiError } from '../error.ts';

const jsonType = /^application\/(?:[\w.+-]+\+)?json$/;
/** Fatal: replacing a broken byte would store something else than what was sent. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The body as a JSON object; nothing at all is `{}`. A key `__proto__` stays a plain key, as JSON.parse leaves it.
 * @throws ApiError 415 UNSUPPORTED_MEDIA_TYPE, 400 BAD_REQUEST.
 */
export function jsonObject(body: Buffer, contentType: string): Record<string, unknown> {
  const value = parsed(jsonBytes(body, contentType));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError(400, 'BAD_REQUEST', 'The body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** The body as sent, unless its type says that it is something else. @throws ApiError 415 UNSUPPORTED_MEDIA_TYPE. */
export function jsonBytes(body: Buffer, contentType: string): Buffer {
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (body.length === 0 || mediaType === '' || jsonType.test(mediaType)) return body;
  throw new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON (Content-Type: application/json).');
}

function parsed(body: Buffer): unknown {
  try {
    const text = utf8.decode(body);
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw new ApiError(400, 'BAD_REQUEST', 'The body is not valid JSON.', undefined, { cause });
  }
}
