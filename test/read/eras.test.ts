import { test } from 'tap';
import { open, query, reader } from './client.ts';

test('a time before the year 1 keeps its era, and finds itself again', async t => {
  const { get, column } = await reader(t, {
    template: 'served',
    setup: `create table events (id integer primary key, local timestamp, moment timestamptz, day date, moments timestamptz[]);
      insert into events values (1, '0044-03-15 12:00 BC', '0044-03-15 12:00+01 BC', '0044-03-15 BC',
        '{0044-03-15 12:00Z BC,2024-01-01 12:00Z}'),
        (2, '0044-03-15 12:00', '0044-03-15 12:00Z', '0044-03-15', '{}'), (3, '0001-01-01', '0001-01-01 00:00Z', '0001-01-01', null),
        (4, '12024-01-01', '12024-01-01 00:00Z', '12024-01-01', null);
      ${open('events')}`,
  });
  t.same(await get('events/1'), {
    id: 1, local: '0044-03-15T12:00:00.000Z BC', moment: '0044-03-15T11:00:00.000Z BC', day: '0044-03-15 BC',
    moments: ['0044-03-15T12:00:00.000Z BC', '2024-01-01T12:00:00.000Z'],
  });
  t.match(await get('events/2'), { local: '0044-03-15T12:00:00.000Z', moment: '0044-03-15T12:00:00.000Z', day: '0044-03-15' });
  t.match(await get('events/3'), { local: '0001-01-01T00:00:00.000Z', moment: '0001-01-01T00:00:00.000Z' });
  for (const id of [1, 2, 3, 4]) {
    const { local, moment, day } = await get(`events/${id}`);
    for (const [field, value] of Object.entries({ local, moment, day })) {
      t.same(await column(`events?${query({ [field]: `eq.${value as string}` })}`), [id], `${field} ${value as string}`);
    }
  }
});
