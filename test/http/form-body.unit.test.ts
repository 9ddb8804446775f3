import { test } from 'tap';
import { anyFormOf, formOf } from '../../gateway/http/form-body.ts';
import type { Call } from '../../gateway/http/route.ts';

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=x';

function sent(type: string, body: string | Buffer): Call {
  return { body: Buffer.from(body), header: (name: string) => name === 'content-type' ? type : '' } as unknown as Call;
}

function part(disposition: string, content: string): string {
  return `--x\r\nContent-Disposition: form-data${disposition}\r\n\r\n${content}\r\n`;
}

test('a form is read whatever its media type looks like', t => {
  for (const type of [URLENCODED, URLENCODED.toUpperCase(), `${URLENCODED}; charset=utf-8`, `${URLENCODED};charset=UTF-8`]) {
    t.same([...formOf(sent(type, 'a=1&b=%C3%A9+x&c=&d'))], [['a', '1'], ['b', 'é x'], ['c', ''], ['d', '']], type);
  }
  t.end();
});

test('bodies that are no form are refused', t => {
  for (const type of ['', 'application/json', 'text/plain', MULTIPART, `${URLENCODED}x`]) {
    t.throws(() => formOf(sent(type, 'a=1')), { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' }, type);
  }
  t.throws(() => formOf(sent(URLENCODED, `a=${'x'.repeat(65_536)}`)), { status: 413, code: 'PAYLOAD_TOO_LARGE' });
  const many = Array.from({ length: 101 }, (_, i) => `f${i}=`).join('&');
  for (const body of ['a=1&a=2', 'a=1&b=2&%61=3', 'a=%00', '%00=a', many]) {
    t.throws(() => formOf(sent(URLENCODED, body)), { status: 400, code: 'BAD_REQUEST' }, body.slice(0, 20));
  }
  t.end();
});

test('forms of pages may be multipart', async t => {
  const body = `${part('; name="a"', '1')}${part('; name="f"; filename="f.txt"', 'x')}${part('; name="b"', 'é')}--x--\r\n`;
  t.same([...await anyFormOf(sent(MULTIPART, body))], [['a', '1'], ['b', 'é']]);
  t.same([...await anyFormOf(sent(URLENCODED, 'a=1'))], [['a', '1']]);
  t.same([...await anyFormOf(sent(MULTIPART, `${part('; name=""', '1')}--x--\r\n`))], [['', '1']]);
  const wrong = [
    '', 'nonsense', part('; name="a"', '1'), `${part('; name="a"', '1')}${part('; name="a"', '2')}--x--\r\n`,
    `${part('; name="a"', 'x\0')}--x--\r\n`,
  ];
  for (const given of wrong) {
    await t.rejects(anyFormOf(sent(MULTIPART, given)), { status: 400, code: 'BAD_REQUEST' }, JSON.stringify(given).slice(0, 40));
  }
  await t.rejects(anyFormOf(sent('multipart/form-data', 'x')), { status: 400, code: 'BAD_REQUEST' });
});
