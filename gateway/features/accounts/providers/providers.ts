import type { Logger } from 'pino';
import { withDeadline } from '../../../database/with-deadline.ts';
import { ApiError } from '../../../error.ts';
import { switchedOff } from '../../../http/feature-table.ts';
import { textOf, webAddress } from '../../../http/fields.ts';
import { boundedFetch, type Fetch } from '../../../outbound/fetch.ts';
import type { Asked, Door } from './credential.ts';
import { openIdDoor } from './open-id.ts';
import { profileDoor } from './profile.ts';
import { insecure, type Provider } from './read-providers.ts';
import { ROWS, type Identity } from './rows.ts';

export type SignInProvider = {
  provider: Provider;
  /** @throws ApiError 401 OAUTH_ERROR for all that is wrong at or with the provider; the log has the reason. */
  identify: (asked: Asked, requestId: string) => Promise<Identity>;
  offer: () => Promise<Offer>;
};
/** All that a page needs to begin. `authorizationUrl`: null while the issuer is away. */
export type Offer = { name: string; clientId: string; authorizationUrl: string | null; scopes: readonly string[] };
export type SignInProviders = {
  /** Those with a row, configured or not, and the issuers of the settings. */
  names: readonly string[];
  /** @throws ApiError 501 FEATURE_DISABLED for one that is not configured. */
  named: (name: string) => SignInProvider;
  /** The configured ones, by their names. */
  offers: () => Promise<Offer[]>;
};

/** Milliseconds for all that a sign-in asks of its provider; bytes of each answer. */
const BOUNDS = { deadline: 5_000, most: 1024 * 1024 };

/** Milliseconds that a page waits for an issuer. */
const PATIENCE = 500;

export function openProviders(providers: readonly Provider[], log: Logger): SignInProviders {
  const bounded = boundedFetch(BOUNDS);
  const fetch: Fetch = async (url, options) => { // metadata may name any address
    const [problem] = insecure(url);
    if (problem !== undefined) throw new Error(`an address of the provider ${problem}`);
    return bounded(url, options);
  };
  const opened = new Map(providers.map(provider => {
    const door = provider.kind === 'openid' ? openIdDoor(provider, fetch) : profileDoor(provider, fetch);
    return [provider.name, { provider, identify: identifying(provider, door.signIn, log), offer: () => offerOf(provider, door) }];
  }));

  return {
    names: [...new Set([...ROWS.map(({ name }) => name), ...opened.keys()])],
    named(name) {
      const found = opened.get(name);
      if (found === undefined) throw switchedOff({ feature: `sign-in with ${name}`, setting: `${name.toUpperCase()}_CLIENT_ID` });
      return found;
    },
    offers: () => Promise.all([...opened].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, { offer }]) => offer())),
  };
}

/** An issuer that is slow delays no page. */
async function offerOf({ name, clientId, scopes }: Provider, { authorizationUrl }: Door): Promise<Offer> {
  const url = await withDeadline(authorizationUrl(), PATIENCE).catch(() => undefined);
  return { name, clientId, authorizationUrl: url ?? null, scopes };
}

function identifying(provider: Provider, signIn: Door['signIn'], log: Logger): SignInProvider['identify'] {
  return async (asked, requestId) => {
    try {
      return identityOf(await withDeadline(signIn(asked), BOUNDS.deadline));
    } catch (error) {
      log.warn({ requestId, provider: provider.name, reason: reasonOf(error, provider, asked) }, 'A sign-in with a provider was refused.');
      throw new ApiError(401, 'OAUTH_ERROR', 'The provider did not confirm this sign-in. Begin again.');
    }
  };
}

/** Parts that are no fit values count as not told; without an id there is no identity. */
function identityOf({ providerId, email, emailVerified, displayName, photoUrl }: { [Part in keyof Identity]: unknown }): Identity {
  const id = typeof providerId === 'number' ? String(providerId) : textOf(providerId, 255, text => text.trim() !== '');
  if (id === undefined) throw new Error('the provider tells no id');
  const address = textOf(email, 320, text => text !== '') ?? null;
  return {
    providerId: id, email: address, emailVerified: address !== null && (emailVerified === true || emailVerified === 'true'),
    displayName: textOf(displayName, 255, text => text.trim() !== '') ?? null, photoUrl: webAddress.read(photoUrl) ?? null,
  };
}

/** Messages of libraries hold no values; the `error` of an answer is the server's to choose, and may repeat what was sent there. */
function reasonOf(error: unknown, { clientSecret }: Provider, { code, idToken, accessToken, nonce }: Asked): string {
  const sent = [code?.code, code?.codeVerifier, idToken, accessToken, nonce, clientSecret];
  const hidden = sent.filter(part => part !== undefined && part !== '');
  const says = partsOf(error).join(': ');
  return hidden.reduce<string>((text, secret) => text.replaceAll(secret ?? '', '…'), says).slice(0, 500);
}

/** Messages of an error and its causes, and the error code of the answer that they hold. The answer may be nested without end. */
function partsOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 4) return [];
  const { message, error: told, body, cause } = error as Record<string, unknown>;
  const own = [error instanceof Error ? message : undefined, told].filter(part => typeof part === 'string');
  return [...own, ...partsOf(body, depth + 1), ...partsOf(cause, depth + 1)];
}
