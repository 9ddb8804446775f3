// A value of every type goes in as an argument and comes back as it is shown, over HTTP and in psql.
import { test } from 'tap';
import { caughtUp } from '../harness/caught-up.ts';
import { some } from '../harness/effort.ts';
import { createService } from '../harness/service.ts';
import { SCHEMA, TYPES } from '../read/typed-values.ts';

const literal = (text: string) => `'${text.replaceAll('\'', '\'\'')}'`;

test('values of every type come back', async t => {
  const { request, sql, database } = await createService(t, { template: 'served', env: { SERVICE_SOURCE: 'tables' }, setup: SCHEMA });
  const types = some(Object.entries(TYPES));
  for (const [index, [type, values]] of types.entries()) {
    const rows = values.map(value => `(${literal(value)}::${type}, array[${literal(value)}::${type}, null, ${literal(value)}::${type}])`);
    await sql.unsafe(`
      create function values${index}() returns table (k ${type}, many ${type}[]) language sql stable as
        $f$ values ${rows.join(', ')}, (null, null), (null, '{}') $f$;
      create function echo${index}(k ${type}, many ${type}[]) returns table (k ${type}, many ${type}[])
      language sql stable as 'select $1, $2';
      create function one${index}(k ${type}) returns ${type} language sql stable as 'select $1';
      create function set${index}(variadic many ${type}[]) returns ${type}[] language plpgsql volatile as 'begin return many; end';
      comment on function values${index} is '@endpoint'; comment on function echo${index} is '@endpoint';
      comment on function one${index} is '@endpoint'; comment on function set${index} is '@endpoint';`).simple();
  }
  await caughtUp(database.catalog);
  t.same(database.catalog.current.endpoints.refused, []);
  for (const [index, [type, values]] of types.entries()) {
    const { text } = await request(`/functions/values${index}`);
    const shown = (/^\{"data":\[(.*)\],"meta"/s.exec(text)?.[1] ?? '').split(/(?<=\}),(?=\{"k":)/);
    t.equal(shown.length, values.length + 2, `${type}: ${text.slice(0, 500)}`);
    for (const row of shown) {
      const again = await request(`/functions/echo${index}`, { method: 'POST', body: row });
      t.equal(again.text.slice(0, row.length + 11), `{"data":[${row}],`, `${type}: ${row} ${again.text.slice(0, 300)}`);
      const [called] = await sql.unsafe<{ text: string }[]>(`select service.call('echo${index}', ${literal(row)})::text as text`);
      t.equal(called?.text, again.text, `${type}: in psql`);
      const [, value = '', many = ''] = /^\{"k":(.*),"many":(.*)\}$/s.exec(row) ?? [];
      // A row has wire names, and what is in a composite its own.
      const one = await request(`/functions/one${index}`, { method: 'POST', body: `{"k":${value}}` });
      if (type !== 'nest') t.equal(one.text, value, `${type}: a value`);
      t.equal((await request(`/functions/set${index}`, { method: 'POST', body: `{"many":${many}}` })).text, many, `${type}: an array`);
    }
  }
});
