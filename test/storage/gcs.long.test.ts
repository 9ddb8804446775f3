import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { gcsStore } from '../../gateway/blobs/gcs/store.ts';
import { startGoogleForm } from '../harness/google.ts';
import { startSwift } from '../harness/swift.ts';
import { examples } from './store-suite.ts';

const swift = await startSwift().catch((error: unknown) => error as Error);

test('requests to Google have the form of its XML API', {
  skip: swift instanceof Error && `no store that speaks S3 can be had here: ${swift.message}`,
}, async t => {
  if (swift instanceof Error) return;
  const google = await startGoogleForm(swift.env, t.testdir());
  const store = gcsStore({ bucket: 'media', keyFilename: google.keyFilename, projectId: undefined }, google.endpoint);
  t.teardown(async () => {
    store.close();
    google.stop();
    await swift.stop();
  });
  examples(t, () => store);
});

test('a key file that is none stops the start, and is not shown', t => {
  const folder = t.testdir({ 'text.json': 'sEcReT', 'other.json': '{"type":"service_account","private_key":"sEcReT"}' });
  for (const name of ['none.json', 'text.json', 'other.json']) {
    t.throws(() => gcsStore({ bucket: 'b', keyFilename: join(folder, name), projectId: undefined }),
      { name: 'BootError', message: /^(?!.*sEcReT).*key file/ });
  }
  t.end();
});

test('a client of a store without a valid key learns nothing of it', async t => {
  const file = join(t.testdir(), 'key.json');
  writeFileSync(file, JSON.stringify({ client_email: 'a', private_key: 'no key', token_uri: 'http://127.0.0.1:1/' }));
  const store = gcsStore({ bucket: 'b', keyFilename: file, projectId: 'p' });
  await t.rejects(store.info({ bucket: 'b', key: 'k' }), { status: 503, message: 'The file store could not answer. Try again.' });
  store.close();
});
