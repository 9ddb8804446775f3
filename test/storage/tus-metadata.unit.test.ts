import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { test } from 'tap';
import { ApiError } from '../../gateway/error.ts';
import { parseMetadata } from '../../gateway/features/storage/tus/metadata.ts';
import { locationOf } from '../../gateway/features/storage/tus/location.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

const READ: [header: string, read: object][] = [
  ['', {}],
  [`filename ${base64('holiday.jpg')}`, { filename: 'holiday.jpg' }],
  [`key ${base64('a/ü b.txt')},contentType ${base64('text/plain')}`, { key: 'a/ü b.txt', contentType: 'text/plain' }],
  [`key ${base64('a')} , bucket ${base64('b')}`, { key: 'a', bucket: 'b' }],
  ['key,bucket ', { key: '', bucket: '' }],
  [`relativePath ${base64('x')},is_confidential,storageId ${base64('media')}`, { storageId: 'media' }],
  [`Key ${base64('a')}`, {}],
  [`constructor ${base64('a')},__proto__ ${base64('b')}`, {}],
  [`key ${base64('\uFEFFa\0')}`, { key: '\uFEFFa\0' }],
];

const REFUSED = [
  ',', 'key YQ==,', 'key  YQ==', 'key YQ== YQ==', 'key\tYQ==', 'key YQ', 'key YQ=', 'key Y===', 'key Y!==', 'key YQ==YQ==',
  'key YQ==,,bucket YQ==', 'key YQ==,key YQ==', `key ${Buffer.from([0xff, 0xfe]).toString('base64')}`, 'kéy YQ==', 'key YQ-_', 'key =',
];

test('the metadata of an upload is read', t => {
  for (const [header, read] of READ) t.same({ ...parseMetadata(header) }, read, header);
  t.end();
});

test('and nothing that is no such list', t => {
  for (const header of REFUSED) {
    t.throws(() => parseMetadata(header), { status: 400, code: 'BAD_REQUEST' }, header);
  }
  t.end();
});

test('any header is read or refused', t => {
  const list = fc.string({ unit: fc.constantFrom(...'key bucket,=+/AZaz09\u0000é\t;'.split('')), maxLength: 60 });
  fc.assert(fc.property(fc.oneof(list, fc.string({ unit: 'binary' })), header => {
    try {
      return Object.values(parseMetadata(header)).every(value => typeof value === 'string');
    } catch (error) {
      return error instanceof ApiError && error.status === 400;
    }
  }), { numRuns: 3_000 });
  const texts = fc.dictionary(fc.constantFrom('key', 'filename', 'bucket', 'storageId', 'contentType', 'property'),
    fc.string({ unit: 'grapheme' }));
  fc.assert(fc.property(texts, metadata => {
    const header = Object.entries(metadata).map(([name, value]) => `${name} ${base64(value)}`).join(',');
    return isDeepStrictEqual({ ...parseMetadata(header) }, { ...metadata });
  }));
  t.end();
});

const PLACES: [
  name: string, headers: Record<string, string>, options: { publicUrl?: string; trustedProxyHops?: number }, location: string,
][] = [
  ['Host', { host: 'files.example.com:3001' }, {}, 'http://files.example.com:3001/api/x'],
  ['an address', { host: '[::1]:80' }, {}, 'http://[::1]:80/api/x'],
  [
    'nobody is asked what was forwarded', { host: 'a.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }, {},
    'http://a.example/api/x',
  ],
  [
    'a proxy says', { host: 'inner', 'x-forwarded-host': 'a.example', 'x-forwarded-proto': 'https' }, { trustedProxyHops: 1 },
    'https://a.example/api/x',
  ],
  [
    'only a proxy', { host: 'inner', 'x-forwarded-host': 'evil.example, a.example', 'x-forwarded-proto': 'http, HTTPS' },
    { trustedProxyHops: 1 }, 'https://a.example/api/x',
  ],
  [
    'a proxy of two says', { host: 'inner', 'x-forwarded-host': 'a.example', 'x-forwarded-proto': 'https' }, { trustedProxyHops: 2 },
    'https://a.example/api/x',
  ],
  ['a proxy says nothing', { host: 'a.example' }, { trustedProxyHops: 1 }, 'http://a.example/api/x'],
  ['no scheme of theirs', { host: 'a.example', 'x-forwarded-proto': 'javascript' }, { trustedProxyHops: 1 }, 'http://a.example/api/x'],
  ['no host', { host: 'evil.example/?' }, {}, '/api/x'],
  ['somebody at a host', { host: 'user@evil.example' }, {}, '/api/x'],
  ['none', {}, {}, '/api/x'],
  [
    'the setting', { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    { publicUrl: 'https://files.example.com/base', trustedProxyHops: 1 }, 'https://files.example.com/base/api/x',
  ],
];

test('the location of an upload is where its client reaches the service, despite forged headers', t => {
  for (const [name, headers, { publicUrl, trustedProxyHops = 0 }, location] of PLACES) {
    t.equal(locationOf({ header: header => headers[header] ?? '' }, '/api/x', { publicUrl, trustedProxyHops }), location, name);
  }
  t.end();
});
