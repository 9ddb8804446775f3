import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { test } from 'tap';
import { settings, type Setting } from '../../gateway/config/settings.ts';
import { ROOT } from '../harness/server.ts';
import { environmentOf, readCompose } from './compose.ts';

const FILES = ['docker-compose.yml', 'docker-compose.production.yml'];
const known = Object.values<Setting<unknown, unknown>>(settings).map(({ name }) => name);

test('the compose files are what the specification of such files allows', t => {
  // The Compose Specification's own (Apache 2.0). Its ids, and the name of its draft, are spelled as only older validators read them.
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'compose-spec.json'), 'utf8'), (key, value: unknown) => key === 'id' || key === '$schema' ? undefined : value) as object;
  const ajv = new Ajv({ strict: false, formats: { duration: true, ports: true, expose: true, subnet_ip_address: true } });
  const isValid = ajv.compile(schema);
  for (const file of FILES) t.ok(isValid(readCompose(file)), `${file} ${JSON.stringify(isValid.errors)}`);
  t.notOk(isValid({ services: { gateway: { images: 'rowgate' } } }), 'what is no key of a service is refused');
  t.end();
});

test('they set variables that the gateway reads, and no other', t => {
  for (const file of FILES) t.same(Object.keys(readCompose(file).services['gateway']?.environment ?? {}).filter(name => !known.includes(name)), [], file);
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
  t.same(Object.keys(volumes), ['postgres', 'minio', 'mailpit']);
  t.end();
});

test('on one\'s own machine everything has a default; production makes up no secret', t => {
  t.equal(environmentOf('docker-compose.yml')['DATABASE_URL'], 'postgres://rowgate:rowgate-development@postgres:5432/rowgate');
  const given: Record<string, string> = {};
  for (const name of ['DATABASE_URL', 'JWT_SECRET', 'SERVICE_SERVICE_KEY', 'CORS_ORIGINS']) {
    t.throws(() => environmentOf('docker-compose.production.yml', given), { message: new RegExp(`^${name}: `) });
    given[name] = 'given';
  }
  t.equal(environmentOf('docker-compose.production.yml', given)['NODE_ENV'], 'production');
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
