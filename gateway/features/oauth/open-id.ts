import { createIdTokens, type SignIdToken } from '../../identity/id-tokens.ts';
import type { Form } from '../../http/form-body.ts';
import type { Config } from '../config.ts';
import { OAuthError } from './errors.ts';
import type { AuthorizationRequest } from './request-tokens.ts';

/** OpenID Connect, where a private key signs: verifiers have its public half. */
export type OpenId = { algorithm: string; signIdToken: SignIdToken };

const LONGEST_NONCE = 1024;
/** Parameters that are refused by an error of their own (OpenID Connect Core 1.0 section 3.1.2.6). */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  request: 'request_not_supported', request_uri: 'request_uri_not_supported', registration: 'registration_not_supported',
};

export function openIdOf({ signingKeys, activeKid }: Pick<Config, 'signingKeys' | 'activeKid'>, issuer: string): OpenId | undefined {
  const signing = signingKeys.find(({ kid }) => kid === activeKid);
  if (signing === undefined) return undefined;
  const { algorithm, sign } = createIdTokens(signing, issuer);
  return { algorithm, signIdToken: sign };
}

export function asksForOpenId(scope: string): boolean {
  return scope.split(' ').includes('openid');
}

/** The parameters of an authentication request (section 3.1.2.1). */
export function signInAsked(asked: Form): Pick<AuthorizationRequest, 'nonce' | 'signedInAfter'> | OAuthError {
  const unsupported = Object.entries(UNSUPPORTED).find(([name]) => asked.has(name));
  if (unsupported !== undefined) return new OAuthError(400, unsupported[1], `The parameter ${unsupported[0]} is not supported.`);
  const nonce = asked.get('nonce');
  if (nonce !== undefined && nonce.length > LONGEST_NONCE) return new OAuthError(400, 'invalid_request', 'nonce is too long.');
  const prompts = (asked.get('prompt') ?? '').split(' ');
  if (prompts.includes('none')) return new OAuthError(400, 'interaction_required', 'The person is asked each time.');
  const maxAge = prompts.includes('login') ? '0' : asked.get('max_age');
  if (maxAge === undefined) return { nonce };
  if (!/^\d{1,9}$/.test(maxAge)) return new OAuthError(400, 'invalid_request', 'max_age must be a number of seconds.');
  return { nonce, signedInAfter: Math.floor(Date.now() / 1000) - Number(maxAge) };
}
