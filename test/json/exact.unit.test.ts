// JSON whose numbers keep their digits.
import fc from 'fast-check';
import { test } from 'tap';
import { parseExact } from '../../gateway/json/exact.ts';
import { random } from '../harness/effort.ts';

const digits = fc.stringMatching(/^[0-9]{0,24}$/);
const number = fc.tuple(
  fc.constantFrom('', '-'), fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,24}$/)),
  fc.option(fc.stringMatching(/^[0-9]{1,24}$/), { nil: undefined }), fc.option(fc.stringMatching(/^[eE][+-]?[0-9]{1,3}$/), { nil: '' }),
).map(([sign, whole, fraction, exponent]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${exponent}`);
/** JSON around a number. */
const around = fc.constantFrom(
  (n: string) => n, (n: string) => `[${n}]`, (n: string) => `[null,${n}]`, (n: string) => `[null, ${n} ]`, (n: string) => `{"a":${n}}`,
  (n: string) => `{"a" :\n${n}\n,"b":null}`,
);

/** Sign and significant digits, without the place of the point, which a double spells in its own way. */
const significant = (text: string) => text.replace(/[eE].*/, '').replace(/[^\d-]/g, '').replace(/^(-?)0+/, '$1');

test('numbers keep sign and digits wherever they stand', t => {
  fc.assert(fc.property(number, around, (text, put) => {
    const again = JSON.stringify(parseExact(put(text)));
    const [kept = ''] = /-?\d[\d.]*(?:[eE][+-]?\d+)?/.exec(again) ?? [];
    return significant(kept) === significant(text) && Number(kept) === Number(text);
  }), random(20_000));
  t.end();
});

test('texts that look like numbers stay texts', t => {
  fc.assert(fc.property(fc.oneof(fc.uuid(), fc.date({ noInvalidDate: true }).map(date => date.toISOString()), digits), text =>
    (parseExact(JSON.stringify({ text })) as { text: string }).text === text), random(2000));
  t.end();
});
