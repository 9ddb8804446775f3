import { setting, type Environment, type Setting } from '../../../config/setting.ts';
import { httpUrl, oneLine, password, privateKey } from '../../../config/value.ts';
import { ROWS } from './rows.ts';

type Table = Readonly<Record<string, Setting<string, undefined>>>;
type Named<Key extends string> = Readonly<Record<Key, Setting<string, undefined>>>;
type Name = Exclude<(typeof ROWS)[number]['name'], 'apple'>;

/** Each part of a provider that a variable of the environment names. */
export type Part = 'CLIENT_ID' | 'CLIENT_SECRET' | 'ISSUER' | 'TEAM_ID' | 'KEY_ID' | 'PRIVATE_KEY';

const ofRows = ROWS.filter(({ name }) => name !== 'apple').flatMap(({ name }) => [
  setting(`${name.toUpperCase()}_CLIENT_ID`, oneLine, undefined, `The client that ${name} knows this service as.`),
  setting(`${name.toUpperCase()}_CLIENT_SECRET`, password, undefined, `The secret that ${name} gave it.`),
]);

/** The variables of providers that have a row, by their own names. */
export const providerSettings = {
  ...Object.fromEntries(ofRows.map(row => [row.name, row])) as Named<`${Uppercase<Name>}_CLIENT_${'ID' | 'SECRET'}`>,
  APPLE_CLIENT_ID: setting('APPLE_CLIENT_ID', oneLine, undefined, 'The services ID, or app ID, at Apple.'),
  APPLE_TEAM_ID: setting('APPLE_TEAM_ID', oneLine, undefined, 'The team that it belongs to.'),
  APPLE_KEY_ID: setting('APPLE_KEY_ID', oneLine, undefined, 'The name of APPLE_PRIVATE_KEY.'),
  APPLE_PRIVATE_KEY: setting('APPLE_PRIVATE_KEY', privateKey, undefined, 'PEM of the key that signs this service\'s secret for Apple.'),
};

const OWN = /^SERVICE_OIDC_(.+)_(ISSUER|CLIENT_ID|CLIENT_SECRET(?:_FILE)?)$/;

/** The variables of the issuers that the environment names: `SERVICE_OIDC_<NAME>_ISSUER` and its kin, by their own names. */
export function issuerSettings(env: Environment): Table {
  const prefixes = issuerNames(env).map(name => `SERVICE_OIDC_${name}_`);
  const found = prefixes.flatMap(prefix => [
    setting(`${prefix}ISSUER`, httpUrl, undefined, 'An OpenID Connect issuer.'),
    setting(`${prefix}CLIENT_ID`, oneLine, undefined, 'The client that it knows this service as.'),
    setting(`${prefix}CLIENT_SECRET`, password, undefined, 'The secret that it gave it.'),
  ]);
  return Object.fromEntries(found.map(row => [row.name, row]));
}

/** As the variables spell them. */
export function issuerNames(env: Environment): string[] {
  const given = Object.keys(env).filter(name => (env[name]?.trim() ?? '') !== '');
  return [...new Set(given.map(name => OWN.exec(name)?.[1]).filter(name => name !== undefined))];
}
