import fc from 'fast-check';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { test } from 'tap';
import { ApiError } from '../../gateway/error.ts';
import { readForm } from '../../gateway/features/storage/form.ts';
import { canonicalKey, keyOfPath } from '../../gateway/features/storage/keys.ts';
import { spanOf } from '../../gateway/features/storage/file.ts';
import { takeSlab } from '../../gateway/process/slabs.ts';

/** A rejection has a message, for any input. */
function orRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}

const segment = fc.oneof(fc.constantFrom('', '.', '..', '...', 'default', 'public', '_service', 'a', '\\', '..\\', '%2e%2e', '\0', '\ud800',
  'é😀'), fc.string({ unit: 'binary', maxLength: 5 }));
const path = fc.array(segment, { maxLength: 8 }).map(segments => segments.join('/'));

test('a key has one form, which leads nowhere else', t => {
  fc.assert(fc.property(path, text => {
    const key = orRefused(() => canonicalKey(text));
    if (key === undefined) return true;
    const segments = key.split('/');
    return canonicalKey(key) === key && canonicalKey(`/./${key}`) === key && segments[0] !== '_service' && key.length <= 1024
      && segments.every((name, i) => name !== '..' && name !== '.' && (name !== '' || i === segments.length - 1));
  }), { numRuns: 2000 });
  fc.assert(fc.property(path, text => {
    const key = orRefused(() => canonicalKey(text));
    return key === undefined || keyOfPath(encodeURIComponent(`default/${key}`)) === (key === '' ? 'default/' : key);
  }));
  fc.assert(fc.property(fc.string(), text => { orRefused(() => keyOfPath(text)); }));
  t.end();
});

test('a range lies in its file', t => {
  const header = fc.oneof(fc.string(), fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 25n }), fc.bigInt({ min: 0n, max: 10n ** 25n }),
    fc.constantFrom('-', '', '-x', ',')).map(([a, b, c]) => `bytes=${a}${c}${b}`));
  fc.assert(fc.property(header, fc.nat(100), (text, size) => {
    const span = spanOf(text, size);
    return span === undefined || span === 'none' || (span.start >= 0 && span.start <= span.end && span.end < size);
  }), { numRuns: 1000 });
  t.end();
});

const BOUNDARY = 'x-boundary';
const part = fc.record({
  name: fc.constantFrom('key', 'bucket', 'metadata_a', 'other'),
  value: fc.string({ unit: 'grapheme', maxLength: 300 }).filter(text => !text.includes('\r')),
});

/** Pieces in slabs, as a request brings them. */
function* cut(bytes: Buffer, cuts: number[]): Generator<Buffer, void> {
  let at = 0;
  for (const end of [...new Set([...cuts.map(cut => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)) {
    const slab = takeSlab();
    slab.fill(0xee);
    yield slab.subarray(0, bytes.copy(slab, 0, at, end));
    at = end;
  }
}

async function read(bytes: Buffer, cuts: number[]): Promise<{ fields: [string, string][]; file: Buffer } | undefined> {
  const file: Buffer[] = [];
  try {
    const fields = await readForm(`multipart/form-data; boundary=${BOUNDARY}`, Readable.from(cut(bytes, cuts)), () => Promise.resolve({
      async write(piece) {
        await setImmediate(); // the memory is not used again before
        file.push(Buffer.from(piece));
      },
    }));
    return { fields: [...fields], file: Buffer.concat(file) };
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}

function formBytes(before: { name: string; value: string }[], file: Uint8Array, after: { name: string; value: string }[]): Buffer {
  const field = ({ name, value }: { name: string; value: string }) =>
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
  const head = Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: image/png\r\n\r\n`);
  return Buffer.concat([...before.map(field), head, file, Buffer.from('\r\n'), ...after.map(field), Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

test('a form is what it is, wherever the pieces are cut that it comes in', async t => {
  const edges = fc.constantFrom('\r', '\r\n', '\r\n-', '--', BOUNDARY.slice(0, 5), `--${BOUNDARY}`, '\r\n--x', '\r\r\n--x-bound', '-',
    'plain '.repeat(20), 'y'.repeat(300));
  const content = fc.oneof(fc.uint8Array({ maxLength: 2000 }), fc.array(edges, { maxLength: 50 }).map(texts => texts.join(''))
    .filter(text => !`\r\n${text}`.includes(`\r\n--${BOUNDARY}`)).map(text => Buffer.from(text)));
  await fc.assert(fc.asyncProperty(fc.array(part, { maxLength: 4 }), content, fc.array(part, { maxLength: 4 }), fc.array(fc.nat(), {
    maxLength: 40,
  }), async (before, file, after, cuts) => {
    const form = await read(formBytes(before, file, after), cuts);
    const wanted = new Map([...before, ...after].map(({ name, value }) => [name, value]));
    return form !== undefined && form.file.equals(Buffer.from(file))
      && JSON.stringify(form.fields.sort()) === JSON.stringify([...wanted].sort());
  }), { numRuns: 1000 });
  t.pass();
});

test('a form that is none is refused', async t => {
  const bytes = formBytes([{ name: 'key', value: 'a' }], Buffer.from('content'), [{ name: 'bucket', value: 'b' }]);
  await fc.assert(fc.asyncProperty(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }), fc.nat(), fc.array(fc.nat(), {
    maxLength: 5,
  }), async (changes, length, cuts) => {
    const broken = Buffer.from(bytes);
    for (const [at, byte] of changes) broken[at % broken.length] = byte;
    await read(broken.subarray(0, length % 3 === 0 ? length % broken.length : broken.length), cuts);
  }), { numRuns: 500 });
  t.pass();
});
