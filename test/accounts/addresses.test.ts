// One normal form of an address, in the gateway and in SQL.
import { test } from 'tap';
import { ADDRESS_LETTERS } from '../../gateway/addresses/letters.ts';
import { normalAddress } from '../../gateway/addresses/normal-address.ts';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import { generator, runs, seed, some } from '../harness/effort.ts';
import '../harness/service.ts'; // its template

const LAST = 0x10ffff;
const isSurrogate = (point: number) => point >= 0xd800 && point <= 0xdfff;
/** Around a code point, which may combine with what stands before it. */
const PLACES: [before: string, after: string][] = [['e', 'x@example.org'], ['ada@e', 'x.example']];
/** The code points in blocks of 256. */
const BLOCKS = Array.from({ length: (LAST + 1) / 256 }, (_, n) => n * 256).filter(first => !isSurrogate(first));

const LETTERS = new Set(ADDRESS_LETTERS.trim().split(/\s+/).flatMap(range => {
  const [first = 0, last = first] = range.split('-').map(text => Number.parseInt(text, 16));
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}));

async function normalInSql({ sql }: TestDatabase, addresses: string[]): Promise<(string | null)[]> {
  const rows = await sql<{ normal: string | null }[]>`
    select service_private.normal_email(a.address) as normal
    from jsonb_array_elements_text(${sql.json(addresses)}) with ordinality a (address, n) order by a.n`;
  return rows.map(({ normal }) => normal);
}

test('the gateway and SQL agree on every code point, in the local part and in the domain', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const blocks = some(BLOCKS);
  for (const [before, after] of PLACES) {
    const inSql = await sql<{ point: number; normal: string }[]>`
      select p.point, n.normal
      from jsonb_array_elements_text(${sql.json(blocks)}) b (first)
      cross join lateral generate_series(greatest(b.first::int, 1), b.first::int + 255) p (point)
      cross join lateral (select service_private.normal_email(${before} || chr(p.point) || ${after}) as normal offset 0) n
      where n.normal is not null`;
    const found = new Map(inSql.map(({ point, normal }) => [point, normal]));
    const points = blocks.flatMap(first => Array.from({ length: 256 }, (_, n) => first + n)).filter(point => point > 0);
    const differing = points.filter(point => normalAddress(before + String.fromCodePoint(point) + after) !== found.get(point));
    t.same(differing.slice(0, 20).map(point => point.toString(16)), [], `${before}_${after}`);
    t.ok(found.size > points.length / 20, `${found.size} of ${points.length} are taken`);
  }
});

test('the gateway and SQL agree on random texts', async t => {
  const database = await createDatabase(t, { template: 'served' });
  const below = generator(seed);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const letters = [...LETTERS];
  const character = (): string => one([
    () => one(Array.from('abzAZ09.-_+@ xn')), () => String.fromCodePoint(one(letters)),
    () => one(Array.from('\u0301\u0308\u0327\u0345\u05bc\u3099\u1161\u11a8éüçßİKſ')),
    () => String.fromCodePoint(Math.min(LAST, 0x80 + below(0x3000))),
  ])();
  const text = (longest: number) => Array.from({ length: below(longest + 1) }, character).join('');
  for (let round = 0; round < runs(10); round++) {
    const addresses = Array.from({ length: 2_000 }, () => `${text(6)}@${text(one([4, 12, 70]))}.${text(4)}`);
    const inSql = await normalInSql(database, addresses);
    const differing = addresses.filter((address, n) => (normalAddress(address) ?? null) !== inSql[n]);
    t.same(differing.slice(0, 5), [], JSON.stringify({ RANDOM_SEED: seed }));
  }
});

test('the list of letters is what NFKC and case folding leave as it is', t => {
  const beyond = [...LETTERS].filter(point => {
    const letter = String.fromCodePoint(point);
    return !/[\p{Ll}\p{Lm}\p{Lo}\p{Mn}\p{Mc}\p{Nd}]/u.test(letter) || /\p{Changes_When_NFKC_Casefolded}/u.test(letter)
      || letter.normalize('NFKC') !== letter;
  });
  t.same(beyond.map(point => point.toString(16)), []);
  t.equal(LETTERS.size, 129_490, 'of Unicode 14, whichever version Node and PostgreSQL have');
  t.end();
});

test('addresses with and without a normal form', async t => {
  const forms: [given: string, normal: string | null][] = [
    ['ADA@Example.ORG', 'ada@example.org'],
    ['  ada@example.org ', 'ada@example.org'],
    ['ada+shop@mail.example.org', 'ada+shop@mail.example.org'],
    ['jörg@bücher.example', 'jörg@xn--bcher-kva.example'],
    ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
    ['ada@例え.テスト', 'ada@xn--r8jz45g.xn--zckzah'],
    ['ada@пример.испытание', 'ada@xn--e1afmkfd.xn--80akhbyknj4f'],
    ['ada@ليهمابتكلموشعربي؟.example', null],
    // RFC 3492 section 7.1 (B) and (H).
    ['ada@他们为什么不说中文.example', 'ada@xn--ihqwcrb4cv8a8dqg056pqjye.example'],
    ['ada@почемужеонинеговорятпорусски.example', 'ada@xn--b1abfaaepdrnnbgefbadotcwatmq2g4l.example'],
    ['ada@example.org.', null], ['ada@.example.org', null], ['ada@example..org', null], ['ada@', null], ['@example.org', null],
    ['ada', null], ['', null], ['a@b@example.org', null], ['ada@exa mple.org', null], ['a da@example.org', null],
    ['ada@exa_mple.org', null], ['\tada@example.org', null], ['ada@example.org\n', null], ['ada@example.org\u00a0', null],
    ['\ufeffada@example.org', null], ['ada@example.org\u200b', null], ['ad\u00ada@example.org', null], ['ada@exam\u200dple.org', null],
    ['ada@example\u3002org', null], ['ada@example\uff0eorg', null], ['ada\uff20example.org', null], ['ada@gma\u0130l.com', null],
    ['\u212aada@example.org', null], ['ada@\u017ftore.example', null], ['ﬁ@example.org', null], ['straße@example.org', null],
    ['Jörg@example.org', 'jörg@example.org'], ['JÖRG@example.org', null], ['jo\u0308rg@example.org', null],
    ['ada@bu\u0308cher.example', null], ['ada@BÜCHER.example', null], [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
    [`${'a'.repeat(65)}@example.org`, null], [`a@${'b'.repeat(63)}.org`, `a@${'b'.repeat(63)}.org`], [`a@${'b'.repeat(64)}.org`, null],
    [`a@${'ü'.repeat(63)}.org`, null], [`a@${'b.'.repeat(126)}c`, `a@${'b.'.repeat(126)}c`], [`a@${'b.'.repeat(127)}c`, null],
  ];
  t.same(forms.map(([given]) => normalAddress(given) ?? null), forms.map(([, normal]) => normal));
  t.same(await normalInSql(await createDatabase(t, { template: 'served' }), forms.map(([given]) => given)),
    forms.map(([, normal]) => normal));
  for (const [, normal] of forms) if (normal !== null) t.equal(normalAddress(normal), normal, 'a normal form is its own');
});
