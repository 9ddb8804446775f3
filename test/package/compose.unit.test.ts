import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { test } from 'tap';
import { readConfig } from '../../gateway/features/config.ts';
import type { Setting } from '../../gateway/config/setting.ts';
import { settings } from '../../gateway/features/settings.ts';
import { suiteOf } from '../../gateway/client/fetch-client.ts';
import { needsMend } from '../../gateway/embedded/vector-mend.ts';
import { ROOT } from '../harness/server.ts';
import { environmentOf, readCompose } from './compose.ts';

const FILES = ['docker-compose.yml', 'docker-compose.production.yml'];
const known = Object.values<Setting<unknown, unknown>>(settings).map(({ name }) => name);

test('the compose files are what the specification of such files allows', t => {
  // The Compose Specification's own (Apache 2.0). Its ids, and the name of its draft, are spelled as only older validators read them.
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'compose-spec.json'), 'utf8'),
    (key, value: unknown) => key === 'id' || key === '$schema' ? undefined : value) as object;
  const ajv = new Ajv({ strict: false, formats: { duration: true, ports: true, expose: true, subnet_ip_address: true } });
  const isValid = ajv.compile(schema);
  for (const file of FILES) t.ok(isValid(readCompose(file)), `${file} ${JSON.stringify(isValid.errors)}`);
  t.notOk(isValid({ services: { gateway: { images: 'rowgate' } } }), 'what is no key of a service is refused');
  t.end();
});

test('they set variables that the gateway reads, and no other', t => {
  for (const file of FILES) {
    t.same(Object.keys(readCompose(file).services['gateway']?.environment ?? {}).filter(name => !known.includes(name)), [], file);
  }
  t.end();
});

test('the database is healthy before the gateway starts, images are pinned, ports open on this machine alone', t => {
  const { services, volumes = {} } = readCompose('docker-compose.yml');
  t.same(services['gateway']?.depends_on, { postgres: { condition: 'service_healthy' } });
  for (const [name, { image = '', build, healthcheck, ports = [] }] of Object.entries(services)) {
    t.ok(build !== undefined || /:.*\d/.test(image), `${name} runs ${image}`);
    t.ok(build !== undefined || healthcheck !== undefined, `${name} is checked`);
    for (const port of ports) t.match(port, /^127\.0\.0\.1:/);
  }
  t.equal(services['postgres']?.ports, undefined, 'PostgreSQL is for the gateway');
  t.same(Object.keys(volumes), ['postgres', 'uploads', 'mailpit']);
  t.end();
});

test('it starts what the gateway needs, and no more', t => {
  const { services } = readCompose('docker-compose.yml');
  t.same(Object.keys(services).filter(name => services[name]?.profiles === undefined), ['gateway', 'postgres']);
  t.end();
});

test('its pgvector is past CVE-2026-3172', t => {
  const [, version = ''] = /^pgvector\/pgvector:([\d.]+)-pg17$/.exec(readCompose('docker-compose.yml').services['postgres']?.image ?? '')
    ?? [];
  t.notOk(needsMend(`default_version = '${version}'`), version);
  t.end();
});

test('on one\'s own machine everything has a default; production makes up no secret', t => {
  t.equal(environmentOf('docker-compose.yml')['DATABASE_URL'], 'postgres://rowgate:rowgate-development@postgres:5432/rowgate');
  for (const name of ['DATABASE_URL', 'JWT_SECRET', 'SERVICE_SERVICE_KEY', 'CORS_ORIGINS']) {
    t.throws(() => readConfig(environmentOf('docker-compose.production.yml')),
      { message: new RegExp(`^${name} .*is required in production`, 'm') });
  }
  t.end();
});

test('in production every setting passes, the version is pinned and the project is there', t => {
  const given = {
    SERVICE_UNPROTECTED_TABLES: 'serve', JWT_SECRET_FILE: '/run/secrets/jwt', LOG_LEVEL: 'warn', NODE_ENV: 'development', PORT: '8080',
  };
  t.match(environmentOf('docker-compose.production.yml', given),
    { ...given, NODE_ENV: 'production', PORT: '3001', SERVICE_WORKERS: 'auto' });
  const { image, volumes = [] } = readCompose('docker-compose.production.yml').services['gateway'] ?? {};
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  t.equal(image, `rowgate:${version}`);
  t.match(volumes, [{ target: '/project', bind: { create_host_path: false } }]);
  t.end();
});

test('the image has a client of PostgreSQL that fits the database', t => {
  const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split(/^FROM /m).at(-1) ?? '';
  const [, client = ''] = /^ && apt-get install .* postgresql-client-(\d+) /m.exec(image) ?? [];
  const [, server = ''] = /-pg(\d+)$/.exec(readCompose('docker-compose.yml').services['postgres']?.image ?? '') ?? [];
  t.ok(Number(client) >= 17 && Number(client) >= Number(server), `client ${client}, server ${server}`);
  t.match(image, new RegExp(`^node:22-${suiteOf(Number(client)) ?? 'none'}-slim$`, 'm'), 'of the release of Debian that has it');
  t.end();
});

test('the image holds what the package holds', t => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split(/^FROM /m).at(-1) ?? '';
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8');
  for (const name of files.filter(name => name !== 'docs')) {
    t.match(image, new RegExp(`^COPY .*${name} `, 'm'));
    if (name !== 'dist') t.match(ignored, new RegExp(`^!${name}$`, 'm'));
  }
  t.match(image, /^USER node$/m);
  t.end();
});
