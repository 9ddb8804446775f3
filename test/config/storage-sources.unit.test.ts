import { test } from 'tap';
import type { SettingsFile } from '../../gateway/features/settings-file.ts';
import { readConfig } from '../../gateway/features/config.ts';
import { storageSources, strayVariables } from '../../gateway/features/storage/storage-sources.ts';
import type { Environment } from '../../gateway/config/setting.ts';

const DEV = { production: false, forceLocalStorage: false };
const PRODUCTION = { production: true, forceLocalStorage: false };
const S3 = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' };

function read(env: Environment, sources: NonNullable<SettingsFile['storage']>['sources'] = {}, mode = DEV): unknown {
  const found = storageSources(env, { storage: { sources } }, mode);
  return found.problems.length > 0 ? found.problems : found.sources;
}

test('where files lie', t => {
  const s3 = { bucket: 'b', region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'key', endpoint: undefined, forcePathStyle: false };
  const own = { S3_BUCKET__MEDIA: 'm', S3_ACCESS_KEY_ID__MEDIA: 'id', S3_SECRET_ACCESS_KEY__MEDIA: 'key' };
  const media = { key: 'media', engine: 's3', s3: { ...s3, bucket: 'm' } };
  for (const [said, env, sources, mode, expected] of [
    ['nothing', {}, {}, DEV, [{ key: '(default)', engine: 'local', path: './uploads' }]],
    ['nothing, in production', {}, {}, PRODUCTION, [{ engine: 'local', missing: 'FORCE_LOCAL_STORAGE' }]],
    ['local, in production, by force', {}, {}, { ...PRODUCTION, forceLocalStorage: true }, [{ engine: 'local', path: './uploads' }]],
    ['a bucket says the type', S3, {}, PRODUCTION, [{ engine: 's3', s3 }]],
    ['the general name', { ...S3, S3_BUCKET: '', STORAGE_BUCKET: 'b', STORAGE_TYPE: 's3' }, {}, DEV, [{ engine: 's3', s3 }]],
    ['the special name goes first', { ...S3, STORAGE_BUCKET: 'c' }, {}, DEV, [{ s3 }]],
    [
      'path style with an endpoint', { ...S3, S3_ENDPOINT: 'http://h:1/' }, {}, DEV,
      [{ s3: { endpoint: 'http://h:1', region: 'us-east-1', forcePathStyle: true } }],
    ],
    ['and not', { ...S3, S3_ENDPOINT: 'http://h:1', S3_FORCE_PATH_STYLE: 'false' }, {}, DEV, [{ s3: { forcePathStyle: false } }]],
    [
      'path style by itself', { ...S3, S3_FORCE_PATH_STYLE: 'true', S3_REGION: 'eu-1' }, {}, DEV,
      [{ s3: { region: 'eu-1', forcePathStyle: true } }],
    ],
    ['credentials without a type are skipped', { S3_ACCESS_KEY_ID: 'id' }, {}, DEV, [{ engine: 'local' }]],
    ['local in words, whatever else is there', { ...S3, STORAGE_TYPE: 'local' }, {}, DEV, [{ engine: 'local' }]],
    [
      'GCS', { GCS_BUCKET: 'g', GCS_KEY_FILENAME: '/k', GCS_PROJECT_ID: 'p' }, {}, DEV,
      [{ engine: 'gcs', gcs: { bucket: 'g', keyFilename: '/k', projectId: 'p' } }],
    ],
    [
      'GCS as others configure it', { GCS_BUCKET: 'g', GOOGLE_APPLICATION_CREDENTIALS: '/k' }, {}, DEV,
      [{ gcs: { bucket: 'g', keyFilename: '/k', projectId: undefined } }],
    ],
    ['a source by its suffix', own, {}, DEV, [{ engine: 'local' }, media]],
    ['never with the plain credentials', { ...S3, ...own, S3_REGION: 'eu-1', S3_ENDPOINT: 'http://h' }, {}, DEV, [{}, media]],
    ['a source of the file, by its suffix',
      { 'S3_BUCKET__MY_MEDIA': 'm', S3_ACCESS_KEY_ID__MY_MEDIA: 'id', S3_SECRET_ACCESS_KEY__MY_MEDIA: 'key' },
      { 'my-media': { engine: 's3', label: 'Mine' } }, DEV, [{}, { ...media, key: 'my-media', label: 'Mine' }]],
    ['an account', {
      S3_BUCKET__A: 'a', S3_BUCKET__B: 'b', S3_ACCESS_KEY_ID__TEAM: 'id', S3_SECRET_ACCESS_KEY__TEAM: 'key', S3_REGION__TEAM: 'eu-1',
      S3_REGION__B: 'eu-2',
    },
      { a: { engine: 's3', account: 'team' }, b: { engine: 's3', account: 'team' } }, DEV,
      [{}, { s3: { ...s3, bucket: 'a', region: 'eu-1' } }, { s3: { ...s3, bucket: 'b', region: 'eu-2' } }]],
    ['limits of its own',
      { ...own, STORAGE_MAX_FILE_SIZE: '5', STORAGE_MAX_FILE_SIZE__MEDIA: '7', STORAGE_ALLOWED_MIME_TYPES__MEDIA: 'image/*' }, {}, DEV,
      [{ maxFileSize: 5, allowedMimeTypes: undefined }, { maxFileSize: 7, allowedMimeTypes: ['image/*'] }]],
    [
      'another folder', { STORAGE_TYPE__ARCHIVE: 'local', STORAGE_PATH__ARCHIVE: '/a' }, {}, DEV,
      [{}, { key: 'archive', engine: 'local', path: '/a' }],
    ],
    [
      'declared and not bound, in development', {}, { media: { engine: 's3' } }, DEV,
      [{}, { key: 'media', engine: 'local', path: './uploads-media', instead: 's3' }],
    ],
    [
      'declared and not bound, in production', {}, { media: { engine: 'gcs' } }, PRODUCTION,
      [{}, { key: 'media', engine: 'gcs', missing: 'GCS_BUCKET__MEDIA' }],
    ],
    ['an account never has the bucket', { S3_BUCKET__TEAM: 'x', S3_ACCESS_KEY_ID__TEAM: 'id', S3_SECRET_ACCESS_KEY__TEAM: 'key' },
      { media: { engine: 's3', account: 'team' } }, PRODUCTION,
      [{}, { key: 'media', missing: 'S3_BUCKET__MEDIA' }, { key: 'team', engine: 's3' }]],
  ] as const) {
    t.match(read(env, sources, mode), expected, said);
  }
  t.end();
});

test('faults that stop a start', t => {
  for (const [env, sources, problem] of [
    [{ STORAGE_TYPE: 's3' }, {}, 'STORAGE_TYPE is s3, which needs S3_BUCKET or STORAGE_BUCKET.'],
    [{ STORAGE_TYPE: 'gcs' }, {}, 'STORAGE_TYPE is gcs, which needs GCS_BUCKET or STORAGE_BUCKET.'],
    [{ STORAGE_TYPE__X: 's3' }, {}, 'STORAGE_TYPE__X is s3, which needs S3_BUCKET__X or STORAGE_BUCKET__X.'],
    [{ S3_BUCKET: 'b' }, {}, 'The bucket b needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.'],
    [{ S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'id' }, {}, 'The bucket b needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.'],
    [{ ...S3, S3_BUCKET__X: 'c' }, {}, 'The bucket c needs S3_ACCESS_KEY_ID__X and S3_SECRET_ACCESS_KEY__X.'],
    [{ GCS_BUCKET: 'g' }, {}, 'The bucket g needs GCS_KEY_FILENAME or GOOGLE_APPLICATION_CREDENTIALS.'],
    [{ ...S3, GCS_BUCKET: 'g' }, {}, 'S3_BUCKET and GCS_BUCKET are both set: STORAGE_TYPE says which of them is meant.'],
    [{ STORAGE_BUCKET__X: 'c' }, {}, 'STORAGE_BUCKET__X needs STORAGE_TYPE__X: s3 or gcs.'],
    [{ STORAGE_TYPE__X: 'disk', STORAGE_PATH__X: 'x' }, {}, 'STORAGE_TYPE__X must be one of local, s3, gcs.'],
    [{ STORAGE_PATH__X: 'x', STORAGE_MAX_FILE_SIZE__X: 'many' }, {}, 'STORAGE_MAX_FILE_SIZE__X must be a whole number, 1 or more.'],
    [{}, { 'a-b': { engine: 's3' }, a_b: { engine: 's3' } }, 'The storage sources a-b and a_b would have the same variables (…__A_B).'],
  ] as const) {
    t.same(read(env, sources), [problem]);
    if (Object.keys(sources).length === 0) t.throws(() => readConfig(env), { name: 'BootError', message: problem });
  }
  t.throws(() => readConfig({ S3_BUCKET: 'a/b' }), { message: /^S3_BUCKET must be the name of a bucket/ });
  t.throws(() => readConfig({ ...S3, S3_ENDPOINT: 'ftp://x' }), { message: /^S3_ENDPOINT must be/ });
  t.end();
});

test('variables of no source are named', t => {
  const file = { storage: { sources: { media: { engine: 's3', account: 'team' } } } } as const;
  t.same(strayVariables({ S3_ACCESS_KEY_ID__MEDIA: 'x', S3_REGION__TEAM: 'x', S3_REGION__MEDAI: 'x', S3_REGION__EMPTY: ' ' }, file),
    ['S3_REGION__MEDAI']);
  t.end();
});
