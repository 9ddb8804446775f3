import { resolve } from 'node:path';
import { developmentSecrets } from './development-secrets.ts';

export type Secrets = { jwtSecret: string; serviceKey: string };
export type SecretsOptions = { [Name in keyof Secrets]: Secrets[Name] | undefined } & { devSecretsFile: string };

/** What production requires is there; what development lacks is made up once and kept. */
export function secretsOf({ jwtSecret, serviceKey, devSecretsFile }: SecretsOptions): Secrets {
  if (jwtSecret !== undefined && serviceKey !== undefined) return { jwtSecret, serviceKey };
  const made = developmentSecrets(resolve(devSecretsFile));
  return { jwtSecret: jwtSecret ?? made.jwtSecret, serviceKey: serviceKey ?? made.serviceKey };
}
