import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { openLocalStore } from '../../gateway/blobs/local/local-store.ts';
import { runs, seed } from '../harness/effort.ts';
import { examples, randomly } from './store-suite.ts';

// The same of stores elsewhere: s3.long.test.ts and gcs.long.test.ts, which need a server.
test('a local disk', async t => {
  const path = await mkdtemp(join(tmpdir(), 'rowgate-store-'));
  t.teardown(() => rm(path, { recursive: true }));
  const store = await openLocalStore({ path, cleans: true });
  examples(t, () => store);
  void t.test(`random operations do what a map does, RANDOM_SEED=${seed}`, t => randomly(t, store, runs(1000), seed));
});
