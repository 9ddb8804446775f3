import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY } from '../harness/service.ts';
import { settings } from './asked.ts';
import { refusal } from './files.ts';

test('requests that are refused before any store is asked', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const { address, close } = await openService(url, {
    ...settings(t, { storage: { sources: { media: { engine: 's3' } } } }),
    SERVICE_SOURCE: 'tables', NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com',
    STORAGE_ALLOW_ANY_AUTHENTICATED: 'true',
    S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret', S3_ENDPOINT: 'http://127.0.0.1:9',
  });
  t.teardown(close);
  const list = (query: string) => fetch(`${address}/api/storage/list?${query}`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } });

  t.match(await refusal(await list('storageId=media')), [501, 'STORAGE_SOURCE_NOT_CONFIGURED']);
  t.match(await refusal(await list('storageId=none')), [400, 'UNKNOWN_STORAGE_SOURCE']);
  t.match(await refusal(await list('bucket=others')),
    [404, 'UNKNOWN_STORAGE_SOURCE', { bucket: 'others', knownBuckets: ['default', 'files'] }]);
  t.match(await refusal(await list('')), [503, 'SERVICE_UNAVAILABLE']);
});
