import { ApiError, type ErrorCode } from '../../error.ts';
import { shown } from '../../http/envelope.ts';
import { isObject, parseExact } from '../../json/exact.ts';
import type { About } from './session.ts';

/** A frame of a client. `text` is the whole message. */
export type Frame = { type: string; requestId?: string; payload: Record<string, unknown>; text: string };

/** A message that is no frame, with the id that its answer can name. */
export class NoFrame extends ApiError {
  readonly requestId: string | undefined;

  constructor(message: string, requestId?: string, code: ErrorCode = 'INVALID_INPUT') {
    super(400, code, message);
    this.requestId = requestId;
  }
}

/** @throws NoFrame */
export function parseFrame(text: string): Frame {
  const { type, requestId, payload = {} } = objectIn(text);
  if (requestId !== undefined && typeof requestId !== 'string') throw new NoFrame('"requestId" must be a text.');
  if (typeof type !== 'string') throw new NoFrame('A frame needs a "type".', requestId);
  if (!isObject(payload)) throw new NoFrame('"payload" must be an object.', requestId);
  return { type, payload, text, ...(requestId !== undefined && { requestId }) };
}

function objectIn(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch {
    throw new NoFrame('A message must be a JSON object.');
  }
  if (!isObject(value)) throw new NoFrame('A message must be a JSON object.');
  return value;
}

export function successText(type: string, requestId: string | undefined, payload: unknown): string | Uint8Array {
  if (!(payload instanceof Uint8Array)) return JSON.stringify({ type: `${type}_SUCCESS`, requestId, payload: payload ?? {} });
  const head = JSON.stringify({ type: `${type}_SUCCESS`, requestId });
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"payload":`), payload, Buffer.from('}')]);
}

/** Clients read different places: a subscription and a channel have the text at the top level too. */
export function errorFrame(about: About, error: unknown): object {
  const told = errorOf(error);
  if ('subscriptionId' in about) return { type: 'ERROR', ...about, error: told.message, payload: { error: told } };
  if ('channel' in about) return { type: 'ERROR', ...about, error: told.message, payload: { error: told, ...about } };
  return { type: 'ERROR', ...about, payload: { error: told } };
}

export function authErrorFrame(error: unknown, requestId?: string): object {
  return { type: 'AUTH_ERROR', requestId, payload: { error: errorOf(error) } };
}

function errorOf(error: unknown) {
  const { message, code, details } = shown(error);
  return { message: withoutAuthWords(message), code, details: isJson(details) ? details : undefined };
}

/** Words that make clients sign in again and resend, anywhere in a message: also in one that quotes a name or the database. */
const AUTH_WORDS = /unauthorized|token (?:is )?expired|invalid token|session expired|auth error/gi;

/** Errors about the sign-in are recognised by their code. */
function withoutAuthWords(message: string): string {
  return message.replace(AUTH_WORDS, words => words.includes(' ') ? words.replaceAll(' ', '-') : 'not authorized');
}

/** Details come from many places; one that JSON cannot hold must not cost the client the rest. */
function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}
