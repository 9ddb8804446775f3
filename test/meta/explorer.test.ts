import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { lendService } from '../harness/lend.ts';
import { openService, SERVICE_KEY, storeTables } from '../harness/service.ts';
import { LICENSES, PACKAGE, PACKED } from './swagger-ui.ts';

const OWN = join(import.meta.dirname, '../../gateway/features/meta/explorer/browser');

/** The resources that a page, or a style sheet, loads by itself. */
const asked = (text: string) => [...text.matchAll(/(?:\s(?:src|href)=|url\()["']?([^"')]+)/g)].map(([, address = '']) => address);

test('the page and all that it loads come from here', async t => {
  const { request } = await lendService(t);
  const page = await request('/swagger', { as: null });
  t.equal(page.status, 200);
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(page.headers.get('content-security-policy'),
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action `
      + `'none'; frame-ancestors 'none'`);
  t.notMatch(page.text, /<script>|<style|\son\w+=|style="/, 'nothing stands in it that its policy refuses');
  const files = asked(page.text).filter(address => address !== 'data:,');
  t.same(files, ['swagger/swagger-ui.css', 'swagger/explorer.css', 'swagger/swagger-ui-bundle.js', 'swagger/explorer.js']);
  for (const name of files) {
    const { status, headers, text } = await request(`/${name}`, { as: null });
    t.equal(status, 200, name);
    t.equal(headers.get('content-type'), `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`);
    t.match(headers.get('cache-control'), 'no-cache');
    if (name.endsWith('.css')) t.same(asked(text).filter(address => !address.startsWith('data:')), [], `${name} loads nothing`);
  }
  const script = readFileSync(join(OWN, 'explorer.js'), 'utf8');
  t.same([...script.matchAll(/fetch\('([^']*)'/g)].map(([, address]) => address), ['docs']);
  t.match(script, 'validatorUrl: null', 'nobody else is asked whether the document is valid');
});

test('a copy that is still good is not sent again', async t => {
  const { request } = await lendService(t);
  const { headers } = await request('/swagger/swagger-ui.css');
  const again = (tag: string) => request('/swagger/swagger-ui.css', { headers: { 'if-none-match': tag } });
  const same = await again(headers.get('etag') ?? '');
  t.same([same.status, same.text], [304, '']);
  t.equal((await again('W/"other"')).status, 200);
  t.not((await request('/swagger/explorer.css')).headers.get('etag'), headers.get('etag'));
});

test('Swagger UI is that of the package, with its licenses, and is sent as it is stored', async t => {
  const { address } = await lendService(t);
  for (const name of PACKED) {
    const original = readFileSync(join(PACKAGE, name));
    t.ok(gunzipSync(readFileSync(join(OWN, `${name}.gz`))).equals(original), `${name}: npm run explorer`);
    for (const [accepted, encoding] of [['gzip', 'gzip'], ['gzip;q=0, identity', null], ['identity', null]] as const) {
      const answer = await fetch(`${address}/api/swagger/${name}`, { headers: { 'accept-encoding': accepted } });
      t.equal(answer.headers.get('content-encoding'), encoding, accepted);
      t.match(answer.headers.get('vary'), /Accept-Encoding/);
      t.ok(Buffer.from(await answer.arrayBuffer()).equals(original), `${name} ${accepted}`);
    }
  }
  for (const name of LICENSES) t.ok(readFileSync(join(OWN, name)).equals(readFileSync(join(PACKAGE, name))), `${name}: npm run explorer`);
});

test('nothing else of the folders is served', async t => {
  const { request } = await lendService(t);
  for (const name of [
    '', 'package.json', 'swagger-ui.js', 'swagger-ui-bundle.js.map', 'swagger-ui-bundle.js.gz', 'LICENSE', 'index.html', '..%2Froutes.ts',
    '%2e%2e%2fpage.ts', 'constructor', 'a/b',
  ]) t.equal((await request(`/swagger/${name}`)).status, 404, name);
  t.equal((await request('/swagger', { method: 'POST', body: '{}' })).status, 404);
});

test('where it is on, the first page leads there', async t => {
  const link = /<a href="\/api\/swagger">The API explorer<\/a>/;
  for (const [SERVICE_ENABLE_SWAGGER, leads] of [['true', true], ['false', false]] as const) {
    const { address, request } = await lendService(t, { env: { SERVICE_ENABLE_SWAGGER } });
    t.equal(link.test(await (await fetch(address, { headers: { accept: 'text/html' } })).text()), leads);
    t.equal((await (await fetch(address)).json() as { explorer?: string }).explorer, leads ? '/api/swagger' : undefined);
    t.match(await request('/swagger'), leads ? { status: 200 } : { status: 501, body: { error: { code: 'FEATURE_DISABLED' } } });
  }
});

test('in production it is off unless it is switched on, and then without the document', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const production = { ...storeTables, NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com' };
  const statuses = async (env: object) => {
    const { request, close } = await openService(url, { ...production, ...env });
    const found = [await request('/swagger',
      { as: null }), await request('/docs', { as: null }), await request('/docs', { as: SERVICE_KEY })].map(({ status }) => status);
    await close();
    return found;
  };
  t.same(await statuses({}), [501, 401, 200]);
  t.same(await statuses({ SERVICE_ENABLE_SWAGGER: 'true' }), [200, 401, 200]);
});
