import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { provision } from './dump.ts';

test('a template is filled by name, its own indentation taken off', async t => {
  const { fill } = await filler(t);
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

test('what is put in is never read as a template', async t => {
  const { fill } = await filler(t);
  t.equal(await fill('<a>, <b>, <a>', { a: '\'<b>\'', b: '"<a>" <c?>' }), '\'<b>\', "<a>" <c?>, \'<b>\'');
});

test('a line break inside quotes stays as it is', async t => {
  const { fill } = await filler(t);
  t.equal(await fill('(\n  <part>\n)', { part: 'select "it\'s\none",\n  \'say "\n" \'\'twice\n\'\'\'\nfrom "t"' }),
    '(\n  select "it\'s\none",\n    \'say "\n" \'\'twice\n\'\'\'\n  from "t"\n)');
});

test('a line whose optional part is null is left out, and nothing else is passed over', async t => {
  const { fill } = await filler(t);
  t.equal(await fill('select 1\nwhere <conditions?>\nlimit <limit?>', { conditions: null, limit: '1' }), 'select 1\nlimit 1');
  t.equal(await fill('<a>', { a: '' }), '');
  await t.rejects(fill('where <conditions>', { conditions: null }), { code: 'XX000', message: /<conditions>/ });
  await t.rejects(fill('where <conditions?>', {}), { code: 'XX000', message: /<conditions\?>/ });
  await t.rejects(fill('select <a>', { a: 'a', b: 'b' }), { code: 'XX000', message: /<b>/ });
});

test('conditions are joined, and none of them is lost', async t => {
  const { sql } = await filler(t);
  const join = async (list: string): Promise<unknown> => (await sql.unsafe(`select service.conjunction(${list}) as joined`))[0]?.['joined'];
  t.equal(await join('array[\'a\', \'b or c\']'), 'a\n  and b or c');
  t.equal(await join('\'{}\''), null);
  await t.rejects(join('array[\'a\', null]'), { code: 'XX000' });
  await t.rejects(join('null'), { code: 'XX000' });
});

async function filler(t: Test) {
  const { sql } = await createDatabase(t);
  await provision(sql);
  return {
    sql,
    async fill(template: string, parts: Record<string, string | null>): Promise<unknown> {
      const [row] = await sql`select service.fill(${template}, variadic ${Object.entries(parts).flat()}::text[]) as filled`;
      return row?.['filled'];
    },
  };
}
