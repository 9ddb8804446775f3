/** The door that access tokens of clients open: identity.client, on the database and the notifications of a service. */
import { ACCOUNTS_CHANNEL, ALL_ACCOUNTS, accountQuery, queryStanding } from '../../gateway/identity/accounts.ts';
import { createApiKeys } from '../../gateway/identity/api-keys.ts';
import type { Caller } from '../../gateway/identity/caller.ts';
import { createIdentity } from '../../gateway/identity/identity.ts';
import { audienceOf, clientTokenVerifier } from '../../gateway/identity/oauth-tokens.ts';
import { JWT_SECRET, SERVICE_KEY, type TestService } from '../harness/service.ts';
import type { Test } from 'tap';

export type ClientDoor = {
  caller: (token: string) => Promise<Caller | undefined>;
  /** Statements that were asked so far. */
  asked: () => number;
  /** Notifications that were heard so far. */
  heard: () => number;
};

export async function clientDoor(t: Pick<Test, 'teardown'>, { database }: TestService, publicUrl: string): Promise<ClientDoor> {
  let [asked, heard] = [0, 0];
  const ask = accountQuery(database.accounts, false);
  const counted: typeof ask = (who, statement) => {
    asked += 1;
    return ask(who, statement);
  };
  const identity = createIdentity({
    config: { authRequire: true, auth: 'on' }, secrets: { jwtSecret: JWT_SECRET, serviceKey: SERVICE_KEY, signingKeys: [] },
    apiKeys: createApiKeys(ask, ask, () => null),
    ofClients: clientTokenVerifier(JWT_SECRET, audienceOf(publicUrl), queryStanding(counted, 'client_standing')),
  });
  const listening = await database.listen(ACCOUNTS_CHANNEL, {
    heard(uid) {
      heard += 1;
      identity.forget(uid === ALL_ACCOUNTS ? undefined : uid);
    },
    resumed: () => { identity.trust(true); }, silent: () => { identity.trust(false); },
  });
  t.teardown(() => listening.end());
  return { caller: async token => identity.client(token), asked: () => asked, heard: () => heard };
}
