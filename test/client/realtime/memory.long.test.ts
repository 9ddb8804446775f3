// Memory of a client whose connection is lost again and again: 2,000 times by npm run proof, an hour of it every two seconds.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'tap';
import { runs } from '../../harness/effort.ts';
import { lendService } from '../../harness/lend.ts';
import { openProxy } from './proxy.ts';
import type { Held, Order, Shown } from './reconnecting.ts';

const WHOLE = 2_000;
const DROPS = runs(WHOLE) < WHOLE ? 240 : WHOLE;
const QUARTER = DROPS / 4;
/** Bytes. Compiled code and its feedback still come then; a leak of 1 KB a connection would be 1.5 MB. */
const NOISE = 2 ** 20;
const FLAGS = ['--expose-gc', '--disable-warning=ExperimentalWarning'];

test('a client holds no more after many lost connections than after a quarter of them', async t => {
  const service = await lendService(t, {});
  const [{ id } = { id: 0 }] = await service.sql<{ id: number }[]>`insert into tags (name) values ('round 0') returning id`;
  const proxy = await openProxy(t, () => service.address);
  const client = fork(join(import.meta.dirname, 'reconnecting.ts'), [proxy.url, String(id)], { execArgv: [...process.execArgv, ...FLAGS] });
  t.teardown(() => client.kill());
  const ended = once(client, 'exit').then(() => { throw new Error('The client has ended.'); });
  ended.catch(() => undefined);
  const answer = async <T>() => (await Promise.race([once(client, 'message'), ended]))[0] as T;
  const ask = <T>(order: Order) => {
    client.send(order);
    return answer<T>();
  };
  await answer<Shown>();

  const held: Held[] = [];
  for (let drop = 1; drop <= DROPS; drop++) {
    proxy.drop();
    const name = `round ${drop}`;
    await service.sql`update tags set name = ${name} where id = ${id}`;
    const shown = await ask<Shown>({ name });
    if (drop % QUARTER !== 0) continue;
    t.same(shown, [name, name, name], `list, row and live query equal SQL after ${drop} lost connections`);
    held.push(await ask<Held>('measure'));
    t.comment(`${drop} lost connections: ${JSON.stringify(held.at(-1))}`);
  }
  const [first, ...later] = held as [Held, ...Held[]];
  for (const { heap, objects, listeners, sockets, timers } of later) {
    t.same({ listeners, sockets, timers }, { listeners: first.listeners, sockets: 1, timers: first.timers });
    t.ok(objects - first.objects < QUARTER, `${objects} objects after ${first.objects}: less than one for each lost connection`);
    t.ok(heap - first.heap < NOISE, `${heap} bytes after ${first.heap}`);
  }
});
