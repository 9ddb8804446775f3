import t, { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { provision } from './dump.ts';

const { sql } = await createDatabase(t);
await provision(sql);

const fill = async (template: string, parts: Record<string, string | null>): Promise<unknown> => {
  const [row] = await sql`select service_private.fill(${template}, variadic ${Object.entries(parts).flat()}::text[]) as filled`;
  return row?.['filled'];
};

const conjunction = async (list: string): Promise<unknown> =>
  (await sql.unsafe(`select service_private.conjunction(${list}) as joined`))[0]?.['joined'];

test('a template is filled by name, its own indentation taken off', async t => {
  t.equal(await fill(`
    select <columns>
    from (
      <page>
    ) p
    where a <= b and a <> c
    limit <limit>`, { columns: 'a, b', page: 'select *\nfrom t', limit: '3' }), `select a, b
from (
  select *
  from t
) p
where a <= b and a <> c
limit 3`);
});

test('filled-in text is never read as a template', async t => {
  t.equal(await fill('<a>, <b>, <a>', { a: '\'<b>\'', b: '"<a>" <c?>' }), '\'<b>\', "<a>" <c?>, \'<b>\'');
});

test('a line break inside quotes stays as it is', async t => {
  t.equal(await fill('(\n  <part>\n)', { part: 'select "it\'s\none",\n  \'say "\n" \'\'twice\n\'\'\'\nfrom "t"' }),
    '(\n  select "it\'s\none",\n    \'say "\n" \'\'twice\n\'\'\'\n  from "t"\n)');
});

test('a line whose optional part is null is left out, and nothing else is passed over', async t => {
  t.equal(await fill('select 1\nwhere <conditions?>\nlimit <limit?>', { conditions: null, limit: '1' }), 'select 1\nlimit 1');
  t.equal(await fill('1\nor <a> = <b?>\nor <b?> = <a>', { a: null, b: null }), '1', 'with whatever else stands on it');
  t.equal(await fill('<a>', { a: '' }), '');
  for (const [template, parts, missing] of [
    ['where <conditions>', { conditions: null }, 'conditions'],
    ['where <conditions?>', {}, 'conditions'],
    ['select <a>', { a: 'a', b: 'b' }, 'b'],
    ['select <a?> <b>', { a: null }, 'b'],
  ] as const) await t.rejects(fill(template, parts), { code: 'XX000', message: new RegExp(`<${missing}>`) }, template);
});

test('conditions are joined, and none of them is lost', async t => {
  t.equal(await conjunction('array[\'a\', \'b or c\']'), 'a\n  and b or c');
  t.equal(await conjunction('\'{}\''), null);
  await t.rejects(conjunction('array[\'a\', null]'), { code: 'XX000' });
  await t.rejects(conjunction('null'), { code: 'XX000' });
});
