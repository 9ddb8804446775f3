import { ApiError } from '../../../error.ts';
import { object, optional, readBody, text, textOf, type Field } from '../../../http/fields.ts';
import type { Code } from './exchange.ts';
import type { Provider } from './read-providers.ts';
import { toldOf, type Identity } from './rows.ts';

type Sent = { iss: string | undefined; nonce: string | undefined; name: string | undefined };
/** The credential of a sign-in: one of three. */
export type Asked = Sent & (
  | { idToken: string; accessToken?: undefined; code?: undefined }
  | { accessToken: string; idToken?: undefined; code?: undefined }
  | { code: Code; idToken?: undefined; accessToken?: undefined });
/** Asks a provider. Any part of the answer may be something else than it should be. @throws Error with the reason. */
export type SignIn = (asked: Asked) => Promise<{ [Part in keyof Identity]: unknown }>;
/** `authorizationUrl`: where people are sent to begin. @throws Error where the issuer does not say. */
export type Door = { signIn: SignIn; authorizationUrl: () => Promise<string | undefined> };

const credential: Field<string> = {
  expected: 'must be a text of 1 to 16384 characters', read: given => textOf(given, 16_384, text => text.trim() !== ''),
};
const url: Field<string> = { expected: 'must be an absolute URL', read: given => textOf(given, 2_048, text => URL.canParse(text)) };

/** @throws ApiError 400 INVALID_INPUT for all but exactly one of `code`, `idToken`, `accessToken` that this provider takes. */
export function readCredential(body: Record<string, unknown>, provider: Provider): Asked {
  const { code, idToken, accessToken, redirectUri, codeVerifier, iss, nonce, user } = readBody(body, {
    code: optional(credential), idToken: optional(credential), accessToken: optional(credential), redirectUri: optional(url),
    codeVerifier: optional(text(256)), iss: optional(text(2_048)), nonce: optional(text(1_024)), user: optional(object),
  });
  const taken = takenBy(provider);
  const [given, ...others] = Object.entries({ code, idToken, accessToken }).filter(([, value]) => value !== undefined).map(([key]) => key);
  if (given === undefined || others.length > 0 || !taken.includes(given)) {
    throw invalid(`${provider.name} takes exactly one of ${taken.join(', ')}.`);
  }
  const sent = { iss, nonce, name: provider.name === 'apple' ? nameOf(user) : undefined };
  if (idToken !== undefined) return { ...sent, idToken };
  if (accessToken !== undefined) return { ...sent, accessToken };
  if (redirectUri === undefined) throw invalid('redirectUri: is required with code.');
  if (codeVerifier === undefined && 'requiresVerifier' in provider) throw invalid('codeVerifier: is required with code.');
  return { ...sent, code: { code: code ?? '', redirectUri, codeVerifier } };
}

function takenBy(provider: Provider): string[] {
  if (provider.kind === 'profile') return ['code'];
  const takesCodes = provider.name !== 'google' || provider.clientSecret !== undefined;
  return [...takesCodes ? ['code'] : [], 'idToken', ...provider.tokenInfoUrl === undefined ? [] : ['accessToken']];
}

/** Apple tells it once, beside the code. */
function nameOf(user: unknown): string | undefined {
  const { firstName, lastName } = toldOf(toldOf(user)['name']);
  const name = [firstName, lastName].filter(part => typeof part === 'string').join(' ').trim();
  return name === '' ? undefined : name;
}

function invalid(message: string): ApiError {
  return new ApiError(400, 'INVALID_INPUT', message);
}

/** Compares scheme, host with port, and path. `own`: a page of the service's. @throws ApiError 400 REDIRECT_URI_NOT_ALLOWED. */
export function requireRedirect({ code }: Asked, allowed: readonly string[] | undefined, own?: string): void {
  if (code === undefined || code.redirectUri === own) return;
  const sent = new URL(code.redirectUri);
  const isAllowed = allowed === undefined || allowed.some(uri => placeOf(new URL(uri)) === placeOf(sent));
  if (isAllowed && sent.username === '' && sent.password === '') return;
  throw new ApiError(400, 'REDIRECT_URI_NOT_ALLOWED', 'This redirectUri is not on the list of AUTH_ALLOWED_REDIRECT_URIS.');
}

function placeOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}
