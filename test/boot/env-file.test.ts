import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { addressOf, emptyFolder, runGateway, startGateway } from './gateway.ts';

test('.env is read at the start, and variables of the environment win', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const folder = emptyFolder(t);
  writeFileSync(join(folder, '.env'),
    `# of this project\nDATABASE_URL="${url}"\nSERVICE_BASE_PATH=/from-file\nSERVICE_COLLECTION_DIR=./x\nDB_POOL_MAX=none\n`);
  const gateway = startGateway(t, { NODE_ENV: 'development' }, folder);
  t.match(await addressOf(gateway), /\/from-file$/);
  t.match(gateway.output(),
    /WARN.*SERVICE_COLLECTION_DIR is no setting of this version and has no effect\. Did you mean SERVICE_COLLECTIONS_DIR\?/);
});

test('tests do not depend on it', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const folder = emptyFolder(t);
  writeFileSync(join(folder, '.env'), 'AUTH_REQUIRE=maybe\n');
  const env = { DATABASE_URL: url, SERVICE_PROVISION_ONLY: '1' };
  t.match(await runGateway(t, { ...env, NODE_ENV: 'development' }, folder), { code: 1, stderr: /^AUTH_REQUIRE must be true or false\.$/m });
  t.match(await runGateway(t, env, folder), { code: 0, stderr: '' });
});

test('one that cannot be read stops the start', async t => {
  const folder = emptyFolder(t);
  mkdirSync(join(folder, '.env'));
  const { code, stderr } = await runGateway(t, { NODE_ENV: 'development' }, folder);
  t.equal(code, 1);
  t.match(stderr, /^\.env cannot be read \(\w+\)\.\n$/);
});
