import t from 'tap';
import { ask, refusal } from './ask.ts';

/** A group as the compiler sees it, then its values. */
function group(query: string): unknown[] {
  const { shape, values } = ask(`/album/count?${query}`);
  return [shape.logical, ...values];
}
/** One condition alone in a group. */
function leaf(text: string): unknown[] {
  const { shape, values } = ask(`/album/count?and=(${text})`);
  return [...shape.logical?.conditions ?? [], ...values];
}

void t.test('groups nest, and not is a group like the others', t => {
  t.strictSame(group('or=(price.lt.10,and(active.eq.true,not(sku.like.TMP\\,%25)),tags.csa.(a,b))'), [
    {
      type: 'or',
      conditions: [
        { column: 'price', condition: ['<', 6] },
        {
          type: 'and',
          conditions: [
            { column: 'active', condition: ['==', 7] },
            { type: 'not', conditions: [{ column: 'sku', condition: ['like', 8] }] },
          ],
        },
        { column: 'tags', condition: ['array-contains-any', [9]] },
      ],
    },
    '10', 'true', 'TMP,%', '{"a","b"}',
  ]);
  t.strictSame(group('not=(a.eq.1,b.eq.2)')[0], {
    type: 'not', conditions: [{ column: 'a', condition: ['==', 6] }, { column: 'b', condition: ['==', 7] }],
  });
  t.end();
});

void t.test('the outer parentheses are optional, white space around parts does not count', t => {
  const expected = group('or=(a.eq.1,and(b.eq.2,c.eq.3))');
  for (const text of ['a.eq.1,and(b.eq.2,c.eq.3)', ' (a.eq.1, and(b.eq.2,c.eq.3) ) ', '( a.eq.1,and( b.eq.2, c.eq.3))']) {
    t.strictSame(group(`or=${text}`), expected, text);
  }
  t.end();
});

void t.test('or stands before and, and before not; all are checked; an empty one makes room', t => {
  t.strictSame(group('not=a.eq.1&and=b.eq.2&or=c.eq.3'), [{ type: 'or', conditions: [{ column: 'c', condition: ['==', 6] }] }, '3']);
  t.strictSame(group('or=&not=a.eq.1&and=b.eq.2'), [{ type: 'and', conditions: [{ column: 'b', condition: ['==', 6] }] }, '2']);
  t.strictSame(group('or=()'), [undefined]);
  t.strictSame(group('or=()&and=b.eq.2'), [undefined], 'or was sent');
  t.strictSame(refusal('/album?or=(a.eq.1)&not=(b.eq.2'), [400, 'INVALID_LOGICAL_GROUP']);
  t.end();
});

void t.test('the column ends before the first operator', t => {
  t.strictSame(leaf('author.name.eq.bob'), [{ column: 'author.name', condition: ['==', 6] }, 'bob']);
  t.strictSame(leaf('version.eq.1.2.3'), [{ column: 'version', condition: ['==', 6] }, '1.2.3']);
  t.strictSame(leaf('age.>=.18'), [{ column: 'age', condition: ['>=', 6] }, '18']);
  t.strictSame(leaf('tags.not-in.(a,b)'), [{ column: 'tags', condition: ['not-in', [6]] }, '{"a","b"}']);
  t.strictSame(leaf('eq.eq.eq'), [{ column: 'eq', condition: ['==', 6] }, 'eq']);
  t.strictSame(leaf('a\\,b.eq.1'), [{ column: 'a,b', condition: ['==', 6] }, '1']);
  t.strictSame(leaf('meta->>city.eq.Bonn'), [{ column: 'meta->$6', condition: ['==', 7] }, 'city', 'Bonn']);
  t.end();
});

void t.test('without an operator a column equals the rest, and alone it is true', t => {
  t.strictSame(leaf('status.active'), [{ column: 'status', condition: ['==', 6] }, 'active']);
  t.strictSame(leaf('mail.user@host.com'), [{ column: 'mail', condition: ['==', 6] }, 'user@host.com']);
  t.strictSame(leaf('status.in.progress'), [{ column: 'status', condition: ['==', 6] }, 'in.progress']);
  t.strictSame(leaf('featured'), [{ column: 'featured', condition: ['==', 6] }, 'true']);
  t.end();
});

void t.test('null tests need no operand and drop the one they get', t => {
  for (const text of ['a.isnull', 'a.isnull.', 'a.isnull.null', 'a.is-null.x', 'a.isnull.(x)']) {
    t.strictSame(leaf(text), [{ column: 'a', condition: ['is-null', null] }], text);
  }
  t.strictSame(leaf('a.notnull'), [{ column: 'a', condition: ['is-not-null', null] }]);
  t.end();
});

void t.test('values are unescaped; parentheses that balance need no escape', t => {
  t.strictSame(leaf('a.eq.x\\,y\\(z\\)\\\\').at(-1), 'x,y(z)\\');
  t.strictSame(leaf('a.eq.f(x,y)').at(-1), 'f(x,y)');
  t.strictSame(leaf('a.eq.').at(-1), '');
  t.strictSame(leaf('a.in.(x\\,y,\\(z\\))').at(-1), '{"x,y","(z)"}');
  t.end();
});

void t.test('the empty list reads as such where an escaped parenthesis would leave the group open', t => {
  t.strictSame(leaf('a.in.(\\)'), [{ column: 'a', condition: ['in', [6]] }, '{}']);
  t.strictSame(group('or=(a.in.(\\),b.nin.(\\),c.eq.1)').slice(1), ['{}', '{}', '1']);
  t.strictSame(group('or=(a.in.(\\),b.eq.\\(\\))').slice(1), ['{}', '()'], 'beside the text ()');
  t.strictSame(leaf('a.in.(\\),b)').slice(-1), ['{")","b"}'], 'the list of ")" and "b"');
  t.strictSame(group('or=(a.in.(\\),b.in.(\\),x))').slice(1), ['{}', '{")","x"}'], 'only one can be the empty list: the first');
  t.strictSame(group('or=(a.in.(\\),x),b.in.(\\))').slice(1), ['{")","x"}', '{}'], 'the first would end the group');
  t.strictSame(group('or=(and(a.in.(\\),b.eq.1),c.in.(\\),d))').slice(1), ['{}', '1', '{")","d"}']);
  t.strictSame(leaf('a.eq.(\\)').slice(-1), ['(\\)'], 'no list operator, no list');
  t.end();
});

void t.test('32 levels, not 33', t => {
  const nested = (levels: number) => `/album/count?or=${'and('.repeat(levels - 1)}a.eq.1${')'.repeat(levels - 1)}`;
  t.ok(ask(nested(32)).shape.logical);
  t.strictSame(refusal(nested(33)), [400, 'INVALID_LOGICAL_GROUP']);
  t.strictSame(refusal(nested(8000)), [400, 'INVALID_LOGICAL_GROUP']);
  t.end();
});

void t.test('malformed groups are refused', t => {
  for (const text of ['(a.eq.1', 'a.eq.1)', '(a.eq.1))', 'a.eq.1,', ',', '(,a.eq.1)', 'and()', 'or(and())', '(a.eq.1,and(b.eq.2)x)',
    '((a.eq.1))', '.eq.1', '.x', '(a.eq.1),(b.eq.2)', ')(']) {
    t.strictSame(refusal(`/album?or=${text}`), [400, 'INVALID_LOGICAL_GROUP'], text);
  }
  t.strictSame(refusal('/album?or=(a.eq.%00)'), [400, 'INVALID_FILTER_VALUE', { parameter: 'or', dbCode: '22021' }]);
  t.end();
});
