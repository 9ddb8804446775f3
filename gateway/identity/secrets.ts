import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BootError } from '../error.ts';
import { makeDataFolder } from '../process/data-folder.ts';

export type Secrets = { jwtSecret: string; serviceKey: string };
export type SecretsOptions = { [Name in keyof Secrets]: Secrets[Name] | undefined } & { devSecretsFile: string };

/** Returns the secrets: in production they are required; in development missing ones are generated once and kept. */
export function secretsOf({ jwtSecret, serviceKey, devSecretsFile }: SecretsOptions): Secrets {
  if (jwtSecret !== undefined && serviceKey !== undefined) return { jwtSecret, serviceKey };
  const made = developmentSecrets(resolve(devSecretsFile));
  return { jwtSecret: jwtSecret ?? made.jwtSecret, serviceKey: serviceKey ?? made.serviceKey };
}

/**
 * The secrets of a development server: made at its first start, kept in `file` (readable by its owner only).
 * @throws BootError in production, and when the file cannot be used; the message names it and never quotes it.
 */
export function developmentSecrets(file: string): Secrets {
  if (process.env['NODE_ENV'] === 'production') {
    throw new BootError('Production needs JWT_SECRET and SERVICE_SERVICE_KEY: no secrets are made up for it.');
  }
  try {
    const kept = keptSecrets(file);
    makeDataFolder(dirname(file));
    return kept ?? keepSecrets(file);
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const { message } = cause as Error;
    throw new BootError(`The development secrets cannot be kept in ${file} (SERVICE_DEV_SECRETS_FILE): ${message}.`, { cause });
  }
}

function keepSecrets(file: string): Secrets {
  publishOnce(file, JSON.stringify(newSecrets(), null, 2) + '\n');
  const secrets = keptSecrets(file);
  if (!secrets) throw unusable(file);
  return secrets;
}

function newSecrets(): Secrets {
  return { jwtSecret: randomText(), serviceKey: `dev-${randomText()}` };
}

function randomText(): string {
  return randomBytes(32).toString('base64url');
}

/** A link appears whole or not at all, and only once: of two starters the second finds the first one's file. */
function publishOnce(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
}

function keptSecrets(file: string): Secrets | undefined {
  try {
    const secrets = secretsIn(file, readFileSync(file, 'utf8'));
    chmodSync(file, 0o600); // only now that it is known to be ours
    return secrets;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function secretsIn(file: string, text: string): Secrets {
  const { jwtSecret, serviceKey } = parsed(text);
  if (!isLongEnough(jwtSecret) || !isLongEnough(serviceKey)) throw unusable(file);
  return { jwtSecret, serviceKey };
}

function unusable(file: string): BootError {
  return new BootError(`The development secrets in ${file} cannot be read. `
    + 'Delete the file to have new ones made; tokens signed until now end with it.');
}

function parsed(text: string): Partial<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function isLongEnough(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 32;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
