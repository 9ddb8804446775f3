import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bySlug, type CatalogDocument } from '../../../catalog/document.ts';
import type { Config } from '../../config.ts';
import { ownHost } from '../../../config/own-host.ts';
import { ApiError } from '../../../error.ts';
import type { Call, Reply, Route } from '../../../http/route.ts';
import { acceptsHtml } from '../accepts-html.ts';
import { CONTENT_SECURITY_POLICY, page, type Chapter, type PageOptions } from './page.ts';

export type WelcomeOptions = {
  catalog: () => CatalogDocument;
  config: Pick<Config, 'basePath' | 'host' | 'port' | 'serviceKey' | 'devSecretsFile' | 'databaseUrl' | 'swagger'>;
  /** URL of the database that is served. */
  url: string;
};

/** Beside the program, compiled or not. A copy without it has no manual. */
const MANUAL = resolve(import.meta.dirname, '../../../../docs');

/** The root page in development: a page for browsers, the same facts as JSON for other clients. */
export function welcomeRoutes({ catalog, config, url }: WelcomeOptions): Route[] {
  const { basePath, swagger } = config;
  const manual = chapters();
  const options: PageOptions = { basePath, swagger, manual, key: keyLine(config), psql: psqlLine(config, url) };

  return [
    { method: 'GET', path: '/', root: true, handle: welcome },
    { method: 'GET', path: '/docs/:name', root: true, handle: chapter },
  ];

  function welcome(call: Call): Reply {
    const headers = { Vary: 'Accept', 'Cache-Control': 'no-store' };
    if (!acceptsHtml(call)) return { headers, body: JSON.stringify(facts()) };
    return {
      headers: { ...headers, 'Content-Security-Policy': CONTENT_SECURITY_POLICY },
      type: 'text/html; charset=utf-8',
      body: page(catalog(), originOf(call, config), options),
    };
  }

  function facts(): object {
    const collections = bySlug(catalog()).map(({ slug }) => slug);
    const explorer = swagger && { explorer: `${basePath}/swagger` };
    return { service: 'rowgate', data: `${basePath}/data`, docs: `${basePath}/docs`, ...explorer, health: '/health', collections };
  }

  function chapter({ params: { name = '' } }: Call): Reply {
    if (!manual.some(({ file }) => file === name)) throw new ApiError(404, 'NOT_FOUND', 'The manual has no such chapter.');
    return { type: 'text/plain; charset=utf-8', body: readFileSync(join(MANUAL, name), 'utf8') };
  }
}

function chapters(): Chapter[] {
  const files = existsSync(MANUAL) ? readdirSync(MANUAL).filter(name => name.endsWith('.md')).sort() : [];
  return files.map(file => ({ file, title: /^# (.*)/.exec(readFileSync(join(MANUAL, file), 'utf8'))?.[1] ?? file }));
}

/** As the browser named it, where that can stand in a command: behind a forwarded port it is not ours. */
function originOf(call: Call, { host, port }: WelcomeOptions['config']): string {
  const named = call.header('host');
  return `http://${/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(named) ? named : `${ownHost(host)}:${port}`}`;
}

/** The key itself is not shown: other pages, and with a tunnel other machines, could read it. */
function keyLine({ serviceKey, devSecretsFile }: WelcomeOptions['config']): string {
  if (serviceKey !== undefined) return 'KEY=$SERVICE_SERVICE_KEY # as it was set';
  const program = `JSON.parse(fs.readFileSync(${JSON.stringify(devSecretsFile)})).serviceKey`;
  return `KEY=$(node -p '${program.replaceAll("'", `'\\''`)}')`;
}

function psqlLine({ databaseUrl }: WelcomeOptions['config'], url: string): string {
  if (databaseUrl !== undefined) return 'psql "$DATABASE_URL"';
  return `psql "postgres://rowgate:$(cat .data/postgres/password)@127.0.0.1:$(cat .data/postgres/port)${new URL(url).pathname}"`;
}
