import { OAuthError } from './errors.ts';
import { redirectProblem } from './redirects.ts';

/** document: it is known by its metadata document, whose URL is its id. */
export type Client = { id: string; name: string; redirectUris: readonly string[]; document: boolean };

/** The metadata of a client (RFC 7591 section 2), of a registration or a document. */
export type ClientMetadata = Partial<Record<string, unknown>>;

const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const MOST_REDIRECTS = 20;
const LONGEST_NAME = 200;

/** @throws OAuthError invalid_redirect_uri. */
export function redirectsOf({ redirect_uris: given }: ClientMetadata): string[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > MOST_REDIRECTS) {
    throw new OAuthError(400, 'invalid_redirect_uri', `redirect_uris must be a list of 1 to ${MOST_REDIRECTS} URIs.`);
  }
  return given.map((uri: unknown) => {
    const problem = typeof uri === 'string' ? redirectProblem(uri) : 'must be a text';
    if (problem !== undefined) throw new OAuthError(400, 'invalid_redirect_uri', `A redirect URI ${problem}.`);
    return uri as string;
  });
}

/** @throws OAuthError invalid_client_metadata. */
export function grantTypesOf({ grant_types: given = GRANT_TYPES }: ClientMetadata): string[] {
  const known = Array.isArray(given) ? GRANT_TYPES.filter(type => given.includes(type)) : [];
  if (known.includes('authorization_code')) return known;
  throw new OAuthError(400, 'invalid_client_metadata', 'grant_types must have authorization_code in it.');
}

/** At most so many letters of a text. */
export function beginningOf(text: string, most: number): string {
  return new RegExp(`^.{0,${most}}`, 'su').exec(text)?.[0] ?? '';
}

/** Without control characters, and those that turn the direction of text. */
export function nameOf({ client_name: given }: ClientMetadata, otherwise: string): string {
  const name = typeof given === 'string' ? given.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim() : '';
  return beginningOf(name, LONGEST_NAME).trim() || otherwise;
}
