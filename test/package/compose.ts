import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml'; // which tap brings
import { ROOT } from '../harness/server.ts';

export type Service = {
  image?: string;
  build?: string;
  profiles?: string[];
  env_file?: string;
  volumes?: (string | { source: string; target: string; bind?: { create_host_path: boolean } })[];
  ports?: string[];
  environment?: Record<string, string>;
  healthcheck?: object;
  depends_on?: Record<string, { condition: string }>;
};
export type Compose = { services: Record<string, Service>; volumes?: Record<string, unknown> };

export function readCompose(file: string): Compose {
  return parse(readFileSync(join(ROOT, file), 'utf8'), { merge: true }) as Compose;
}

/** The environment of a gateway's container with `given` in .env. Compose's `${NAME:-default}` and `${NAME:?reason}`. */
export function environmentOf(file: string, given: Record<string, string> = {}): Record<string, string> {
  const { environment = {}, env_file } = readCompose(file).services['gateway'] ?? {};
  const set = Object.entries(environment).map(([name, value]) => [name, substituted(value, given)]);
  return { ...(env_file === '.env' && given), ...Object.fromEntries(set) as Record<string, string> };
}

function substituted(text: string, given: Record<string, string>): string {
  return text.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, operator: string, rest: string) => {
    const value = given[name] ?? (operator === '-' ? rest : undefined);
    if (value === undefined) throw new Error(`${name}: ${rest}`);
    return value;
  });
}
