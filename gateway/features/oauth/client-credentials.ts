import type { Form } from '../../http/form-body.ts';
import type { Call } from '../../http/route.ts';
import type { AccountQuery } from '../../identity/accounts.ts';
import { hashOf } from '../../identity/opaque-token.ts';
import { OAuthError } from './errors.ts';

type Credentials = { id: string; secret: string | undefined; isBasic: boolean };

/**
 * The client of a request (RFC 6749 section 2.3.1), by its own word where it has no secret. Undefined where there is no such client.
 * @throws OAuthError 401 invalid_client for a wrong secret, 400 invalid_request for two ways at once.
 */
export async function clientOf(call: Call, form: Form, ask: AccountQuery): Promise<string | undefined> {
  const { id, secret, isBasic } = credentialsOf(call, form);
  if (id === '') return undefined;
  const [row] = await ask(call.ip, sql => sql<{ right: boolean | null }[]>`
    select service_private.is_client(${id}, ${secret === undefined ? null : hashOf(secret)}) as right`);
  if (row?.right === false) throw invalidClient(isBasic);
  return row?.right === true ? id : undefined;
}

/** @throws OAuthError as clientOf, and 401 invalid_client where there is no such client. */
export async function requireClient(call: Call, form: Form, ask: AccountQuery): Promise<string> {
  const id = await clientOf(call, form, ask);
  if (id === undefined) throw invalidClient(isBasic(call));
  return id;
}

function credentialsOf(call: Call, form: Form): Credentials {
  const [id, secret] = [form.get('client_id') ?? '', form.get('client_secret') || undefined];
  if (!isBasic(call)) return { id, secret, isBasic: false };
  const basic = basicOf(call.header('authorization'));
  if (basic === undefined || (id !== '' && id !== basic.id)) throw invalidClient(true);
  if (secret !== undefined) throw new OAuthError(400, 'invalid_request', 'The client names its secret in two ways.');
  return { ...basic, isBasic: true };
}

function isBasic(call: Call): boolean {
  return /^basic /i.test(call.header('authorization'));
}

/** Both halves are percent-encoded, so that an id may have a colon in it. */
function basicOf(authorization: string): { id: string; secret: string | undefined } | undefined {
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(authorization.slice(6), 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    const [own, hidden] = [decodeURIComponent(id), decodeURIComponent(secret)];
    return own.includes('\0') ? undefined : { id: own, secret: hidden === '' ? undefined : hidden };
  } catch {
    return undefined;
  }
}

function invalidClient(isBasic: boolean): OAuthError {
  const headers: Record<string, string> = isBasic ? { 'WWW-Authenticate': 'Basic realm="oauth"' } : {};
  return new OAuthError(401, 'invalid_client', 'The client is not known, or its secret is wrong.', headers);
}
