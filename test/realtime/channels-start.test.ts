import { test } from 'tap';
import { readConfig } from '../../gateway/features/config.ts';
import { channelRules, keeping } from '../../gateway/features/realtime/channels/rules.ts';
import { createDatabase } from '../harness/database.ts';
import { openService } from '../harness/service.ts';
import { realtimeFile } from './channels.ts';

test('the settings of channels', t => {
  const problems = (realtime: object): string => {
    try {
      readConfig(realtimeFile(t, realtime));
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const rule = (given: object) => problems({ channels: [{ match: 'a', limit: 1 }, given] });
  for (const good of [
    { match: '*', ttl: '30s' }, { match: 'chat:*', ttl: 1_000, limit: 1_000_000 }, { match: 'x'.repeat(200), ttl: '7d' },
  ]) t.equal(rule(good), '');
  const path = 'rowgate.json: realtime.channels[1]';
  t.equal(rule({ match: 'a' }), `${path}: needs a limit, a ttl, or both`);
  for (const ttl of ['0s', '15', '1w', '-1s', 999, 1.5]) t.match(rule({ match: 'a', ttl }),
    /realtime\.channels\[1\]\.ttl: must be a whole number of milliseconds, or a text such as 30s, 15m, 24h or 7d/, String(ttl));
  for (const match of ['', 'a*b', '**', 'x'.repeat(201)]) {
    t.match(rule({ match, limit: 1 }), /realtime\.channels\[1\]\.match: must be the name of a channel/, match);
  }
  for (const limit of [0, 1.5, '3', 1_000_001]) t.match(rule({ match: 'a', limit }), /realtime\.channels\[1\]\.limit: /, String(limit));
  t.match(rule({ match: 'a', limit: 1, most: 2 }), `${path}.most: unknown key`);
  t.match(problems({ authorize: 'a b' }), /realtime\.authorize: must be the name of a function/);
  t.same(channelRules([{ match: 'a', ttl: '15m' }, { match: 'b*', ttl: 5_000, limit: 2 }]),
    [{ match: 'a', ttl: 900_000 }, { match: 'b*', ttl: 5_000, limit: 2 }]);
  t.same(['30s', '24h', '7d'].map(ttl => channelRules([{ match: 'a', ttl }])[0]?.ttl), [30_000, 86_400_000, 604_800_000]);
  t.end();
});

test('gateway and database agree which channels keep what is said', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const rules = [{ match: 'exact', limit: 1 }, { match: 'chat:_%*', limit: 2 }, { match: 'chat:*', limit: 3 }, { match: '\\*', limit: 4 }];
  await sql`select service_private.use_channel_rules(${JSON.stringify(rules)}::text::jsonb)`;
  const isKept = keeping(rules);
  for (const [channel, most] of Object.entries({
    'exact': 1, 'exactly': null, 'chat:_%x': 2, 'chat:a%x': 3, 'chat:': 3, 'chat': null, 'Chat:1': null, '\\x': 4, 'chat:*': 3,
  })) {
    const [row] = await sql<{ most: number }[]>`select most from service_private.channel_rule(${channel})`;
    t.same([row?.most ?? null, isKept(channel)], [most, most !== null], channel);
  }
});

test('a function that is not there as it has to be stops the start; the rules are those of the last one', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(`
    create schema app;
    grant usage on schema app to service_user;
    create schema hidden;
    create function app.wrong(request jsonb) returns text language sql as 'select ''yes''';
    create function app.several(request jsonb) returns setof boolean language sql as 'select true';
    create function app.closed(request jsonb) returns boolean language sql as 'select true';
    revoke all on function app.closed(jsonb) from public;
    create function hidden.away(request jsonb) returns boolean language sql as 'select true';
    create function app."May it?"(request jsonb) returns boolean language sql as 'select true'`).simple();
  const start = (realtime: object) => openService(url, realtimeFile(t, realtime));
  for (const authorize of ['app.none', 'app.wrong', 'app.several', 'none']) {
    await t.rejects(start({ authorize }),
      { message: `realtime.authorize of the settings file: there is no function ${authorize}(jsonb) returns boolean.` });
  }
  await t.rejects(start({ authorize: 'app.closed' }),
    { message: 'realtime.authorize of the settings file: service_user may not call app.closed(jsonb).' });
  await t.rejects(start({ authorize: 'hidden.away' }),
    { message: 'realtime.authorize of the settings file: service_user may not call hidden.away(jsonb).' });
  const service = await start({ authorize: 'app."May it?"', channels: [{ match: 'chat:*', limit: 5 }, { match: 'log', ttl: '1h' }] });
  await service.close();
  const rules = () => sql`select match, most, extract(epoch from life)::int as life from service.channel_rules order by place`;
  t.same([...await rules()], [{ match: 'chat:*', most: 5, life: null }, { match: 'log', most: null, life: 3_600 }]);
  await (await start({})).close();
  t.same([...await rules()], []);
});
