import { LRUCache } from 'lru-cache';
import { OutboundError, request, type Answer } from '../../outbound/request.ts';
import { grantTypesOf, nameOf, redirectsOf, type Client, type ClientMetadata } from './client-metadata.ts';
import { OAuthError } from './errors.ts';
import { isLoopback } from './redirects.ts';

/** The client whose metadata document has this URL. @throws OAuthError invalid_client. */
export type ClientDocuments = (url: string) => Promise<Client>;

/** Bytes, milliseconds, seconds. */
const LARGEST = 5 * 1024;
const DEADLINE = 3_000;
const LONGEST_KEPT = 3600;
const LONGEST_URL = 2048;
const MOST_KEPT = 1_000;

/**
 * Fetches client ID metadata documents (draft-ietf-oauth-client-id-metadata-document), and keeps each as long as its headers say.
 * `hosts`: the only ones that are asked, wherever they are; without it, any public host.
 */
export function clientDocuments(hosts: readonly string[] | undefined): ClientDocuments {
  const kept = new LRUCache<string, Client>({ max: MOST_KEPT });
  return async url => {
    const known = kept.get(url);
    if (known !== undefined) return known;
    requireUrl(url, hosts);
    const answer = await request({
      url, deadline: DEADLINE, most: LARGEST, reach: hosts === undefined ? 'public' : 'any', headers: { accept: 'application/json' },
    }).catch((error: unknown) => { throw error instanceof OutboundError ? refused(error.message) : error; });
    const client = clientOf(url, answer);
    const seconds = freshFor(answer);
    if (seconds > 0) kept.set(url, client, { ttl: seconds * 1_000 });
    return client;
  };
}

/** The URL as it is written is the id: a second way to write it would be a second client. */
function requireUrl(id: string, hosts: readonly string[] | undefined): void {
  const url = URL.parse(id);
  const isPlain = url?.href === id && url.username === '' && url.password === '' && !id.includes('#') && url.pathname !== '/';
  if (!isPlain || id.length > LONGEST_URL) throw refused('its URL has to be in its normal form, with a path and without a fragment');
  if (hosts !== undefined && !hosts.includes(url.host)) throw refused('its host is not one of SERVICE_MCP_CLIENT_HOSTS');
  if (url.protocol === 'https:' || (hosts !== undefined && isLoopback(url.hostname))) return;
  throw refused('its URL has to be https');
}

function clientOf(id: string, { status, headers, body }: Answer): Client {
  if (status !== 200) throw refused(`its host answered ${status}`);
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) throw refused('it is not JSON');
  const metadata = objectOf(body);
  if (metadata['client_id'] !== id) throw refused('its client_id is another');
  if (metadata['token_endpoint_auth_method'] !== 'none' || metadata['client_secret'] !== undefined) {
    throw refused('its token_endpoint_auth_method has to be none');
  }
  grantTypesOf(metadata);
  return { id, name: nameOf(metadata, new URL(id).host), redirectUris: redirectsOf(metadata), document: true };
}

function objectOf(body: Buffer): ClientMetadata {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // refused below
  }
  throw refused('it is not a JSON object');
}

/** Seconds. Without a word about it, none (RFC 9111 section 4.2.1). */
function freshFor({ headers }: Answer): number {
  const directives = (headers['cache-control'] ?? '').toLowerCase();
  if (/\b(?:no-store|no-cache)\b/.test(directives)) return 0;
  const [, seconds] = /\bmax-age="?(\d+)/.exec(directives) ?? [];
  if (seconds !== undefined) return Math.min(Number(seconds), LONGEST_KEPT);
  const expires = Date.parse(headers['expires'] ?? '');
  return Number.isNaN(expires) ? 0 : Math.min((expires - Date.now()) / 1_000, LONGEST_KEPT);
}

function refused(reason: string): OAuthError {
  return new OAuthError(400, 'invalid_client', `The metadata document of the client cannot be used: ${reason}.`);
}
