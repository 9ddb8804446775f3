import type { Fetch } from '../../../outbound/fetch.ts';
import type { Door, SignIn } from './credential.ts';
import { clientAt, exchange } from './exchange.ts';
import type { Provider } from './read-providers.ts';
import { toldOf, type ProfileRow } from './rows.ts';

/** Sign-in by a code for a token that reads a profile. */
export function profileDoor(provider: Provider<ProfileRow>, fetch: Fetch): Door {
  const { profileUrl, emailsUrl, tokenUrl, authorizationUrl } = provider;
  const { origin } = new URL(authorizationUrl);

  const signIn: SignIn = async ({ code, iss }) => {
    if (code === undefined) throw new Error('there is no code');
    if (iss !== undefined && URL.parse(iss)?.origin !== origin) throw new Error('the iss of the answer is another issuer');
    const configuration = clientAt({ issuer: origin, token_endpoint: tokenUrl }, provider, fetch);
    const { access_token: token } = await exchange(configuration, code);
    const [profile, emails] = await Promise.all([read(profileUrl, token), emailsUrl === undefined ? undefined : read(emailsUrl, token)]);
    return provider.identity(toldOf(profile), emails);
  };
  return { signIn, authorizationUrl: () => Promise.resolve(authorizationUrl) };

  async function read(url: string, token: string): Promise<unknown> {
    const headers = { 'authorization': `Bearer ${token}`, 'accept': 'application/json', 'user-agent': 'rowgate' };
    const response = await fetch(url, { headers });
    if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
    return response.json();
  }
}
