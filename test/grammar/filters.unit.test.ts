import t from 'tap';
import { ask, json, refusal } from './ask.ts';

/** The conditions of one field and the values they carry. */
function filter(query: string, field = 'f'): unknown[] {
  const { shape, values } = ask(`/album/count?${query}`);
  return [shape.where?.[field], ...values];
}

void t.test('every dot code means its symbol', t => {
  const scalars = { eq: '==', neq: '!=', gt: '>', gte: '>=', lt: '<', lte: '<=', cs: 'array-contains',
    like: 'like', ilike: 'ilike', nlike: 'not-like', nilike: 'not-ilike' };
  for (const [code, symbol] of Object.entries(scalars)) t.strictSame(filter(`f=${code}.x`), [[[symbol, 6]], 'x'], code);
  const lists = { in: 'in', nin: 'not-in', csa: 'array-contains-any' };
  for (const [code, symbol] of Object.entries(lists)) t.strictSame(filter(`f=${code}.(x,y)`), [[[symbol, [6]]], '{"x","y"}'], code);
  for (const operand of ['', 'null', 'true', 'anything']) {
    t.strictSame(filter(`f=isnull.${operand}`), [[['is-null', null]]]);
    t.strictSame(filter(`f=notnull.${operand}`), [[['is-not-null', null]]]);
  }
  t.end();
});

void t.test('the first dot ends the operator, and the rest is the operand as sent', t => {
  t.strictSame(filter('f=eq.'), [[['==', 6]], '']);
  t.strictSame(filter('f=eq.null'), [[['==', 6]], 'null']);
  t.strictSame(filter('f=eq.like.that'), [[['==', 6]], 'like.that']);
  t.strictSame(filter('f=gte.1.5'), [[['>=', 6]], '1.5']);
  t.strictSame(filter('f=eq.a\\,b'), [[['==', 6]], 'a\\,b']);
  t.strictSame(filter('f=eq.(x)'), [[['==', 6]], '(x)']);
  t.strictSame(filter('f=cs.(a,b)'), [[['array-contains', 6]], '(a,b)']);
  t.end();
});

void t.test('without an operator the whole value is compared for equality', t => {
  for (const value of ['x', '', 'user@host.com', '1.2.3', 'greater.5', 'EQ.5', 'in.progress', 'in.(a', 'isnull', '.eq', '==.5']) {
    t.strictSame(filter(`f=${value}`), [[['==', 6]], value], value);
  }
  t.strictSame(filter('f'), [[['==', 6]], '']);
  t.end();
});

void t.test('a whole condition of PostgREST is refused with the spelling to use', t => {
  const spellings: [value: string, write?: string][] = [
    ['is.null', 'isnull.'], ['is.NULL', 'isnull.'], ['is.unknown', 'isnull.'], ['is.true', 'eq.true'], ['is.false', 'eq.false'],
    ['not.is.null', 'notnull.'], ['not.is.true', 'neq.true'], ['not.eq.1', 'neq.1'], ['not.neq.1', 'eq.1'], ['not.gt.1.5', 'lte.1.5'],
    ['not.in.(a,b)', 'nin.(a,b)'], ['not.ilike.%x%', 'nilike.%x%'], ['not.cs.x', 'not=(f.cs.x)'], ['not.cd.{a}'], ['not.match.^a'],
    ['fts.kettle', 'searchString=kettle'], ['fts(english).a.b', 'searchString=a.b'], ['wfts.', 'searchString='], ['not.plfts(english).x'],
  ];
  for (const [value, write] of spellings) {
    const refused = [400, 'UNKNOWN_FILTER_OPERATOR', { field: 'f', operator: value, ...(write !== undefined && { write }) }];
    const text = encodeURIComponent(value);
    t.strictSame(refusal(`/album?f=${text}`), refused, value);
    t.strictSame(refusal(`/album?f=x&f=${text}`), refused, `${value} among several`);
    t.strictSame(refusal(`/album?where=${json({ f: value })}`), refused, `${value} in where`);
    t.strictSame(refusal(`/album?where=${json({ f: ['x', value] })}`), refused, `${value} in a list`);
    t.strictSame(filter(`f=eq.${text}`), [[['==', 6]], value], `eq.${value} is the text`);
    t.strictSame(filter(`where=${json({ f: ['==', value] })}`), [[['==', 6]], value]);
  }
  for (const value of ['is.null', 'not.is.true', 'fts.kettle', 'plfts(english).kettle']) {
    t.strictSame(refusal(`/album?or=(f.${value},g.eq.1)`).slice(0, 2), [400, 'UNKNOWN_FILTER_OPERATOR'], `${value} in a group`);
  }
  t.end();
});

void t.test('text that only begins like a condition is a value', t => {
  for (const value of [
    'is.gd', 'is.nullable', 'is.not_null', 'is', 'is.', 'sl.SI', 'cd.rom', 'not', 'not.sure', 'not.in.stock', 'not.eq', 'not.is.gd', 'fts',
    'ftse.100', 'match.3',
  ]) {
    t.strictSame(filter(`f=${value}`), [[['==', 6]], value], value);
  }
  t.end();
});

void t.test('a list escapes comma, parentheses and backslash, and nothing else', t => {
  t.strictSame(filter('f=in.(Doe\\, John,Roe)')[1], '{"Doe, John","Roe"}');
  t.strictSame(filter('f=in.(\\(a\\),b\\\\c,d\\e)')[1], '{"(a)","b\\\\c","d\\\\e"}');
  t.strictSame(filter('f=in.( a ,"b")')[1], '{" a ","\\"b\\""}', 'neither trimmed nor unquoted');
  t.strictSame(filter('f=in.()')[1], '{""}', 'one empty string');
  t.strictSame(filter('f=in.(\\)')[1], '{}', 'the empty list');
  t.strictSame(filter('f=in.(\\))')[1], '{")"}', 'one parenthesis');
  t.strictSame(filter('f=in.(null,NULL,{})')[1], '{"null","NULL","{}"}', 'text, not NULL');
  t.end();
});

void t.test('a repeated field: operators are ANDed, bare values are a set', t => {
  t.strictSame(filter('f=gte.18&f=lt.65'), [[['>=', 6], ['<', 7]], '18', '65']);
  t.strictSame(filter('f=a&f=b'), [[['in', [6]]], '{"a","b"}']);
  t.strictSame(filter('f=a@b.com&f=c@d.com'), [[['in', [6]]], '{"a@b.com","c@d.com"}']);
  t.strictSame(filter('f=x&f=gte.18'), [[['>=', 6], ['==', 7]], '18', 'x']);
  t.end();
});

void t.test('names are taken as they come: which exist is not decided here', t => {
  t.strictSame(filter('author.name=bob', 'author.name'), [[['==', 6]], 'bob']);
  t.strictSame(filter('meta-%3E%3Ecountry=eq.DE', 'meta->$6'), [[['==', 7]], 'country', 'DE']);
  t.strictSame(filter('meta->a->>-1->x0=eq.DE', 'meta->$6->#7->$8'), [[['==', 9]], 'a', '-1', 'x0', 'DE']);
  t.strictSame(ask('/album?search=x&foo=1').shape.where, { search: [['==', 6]], foo: [['==', 7]] });
  t.match(JSON.stringify(ask('/album/count?__proto__=1&constructor=2').shape), '"where":{"__proto__":[["==",6]],"constructor":[["==",7]]}');
  t.end();
});

void t.test('every value knows the field it belongs to', t => {
  t.strictSame(ask('/album/1?a=x&b=in.(1)').sources, [{ kind: 'id' }, { kind: 'filter', field: 'a' }, { kind: 'filter', field: 'b' }]);
  t.end();
});

void t.test('plus is a space, percent-encoding is UTF-8', t => {
  t.strictSame(filter('f=a+b%2Bc%20%C3%A9'), [[['==', 6]], 'a b+c é']);
  t.strictSame(filter('%66+g=1', 'f g'), [[['==', 6]], '1']);
  for (const query of ['f=%', 'f=%zz', 'f=%ff', '%c3=1', 'f=1&limit=%e0%a4']) {
    t.strictSame(refusal(`/album?${query}`).slice(0, 2), [400, 'INVALID_PARAM'], query);
  }
  t.end();
});

void t.test('NUL is refused, as a value and in a name', t => {
  t.strictSame(refusal('/album?f=a%00b'), [400, 'INVALID_FILTER_VALUE', { field: 'f', dbCode: '22021' }]);
  t.strictSame(refusal('/album?f=in.(a,%00)'), [400, 'INVALID_FILTER_VALUE', { field: 'f', dbCode: '22021' }]);
  t.strictSame(refusal('/album?f=in.(%00)'), [400, 'INVALID_FILTER_VALUE', { field: 'f', dbCode: '22021' }]);
  t.strictSame(refusal('/album?f%00=1'), [400, 'INVALID_PARAM', { parameter: 'filter' }]);
  t.end();
});
