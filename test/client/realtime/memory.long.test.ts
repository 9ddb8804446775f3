// Memory of a client whose connection is lost again and again: for an hour by npm run proof.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'tap';
import { runs } from '../../harness/effort.ts';
import { lendService } from '../../harness/lend.ts';
import { openProxy } from './proxy.ts';
import type { Held, Order, Shown } from './reconnecting.ts';

const HOUR = 3_600_000;
/** Milliseconds of each of four parts. */
const PART = HOUR / 4;
/** So many lost connections are enough of a part where it runs short. */
const ENOUGH = runs(HOUR) < HOUR ? 60 : Infinity;
/** Bytes. Compiled code and its feedback still come then. */
const NOISE = 2 ** 20;
/** Less than one object for each lost connection, and at most so many of an hour. */
const OBJECTS = 500;
const FLAGS = ['--expose-gc', '--disable-warning=ExperimentalWarning'];

test('a client holds no more after an hour of lost connections than after a quarter of it', async t => {
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

  const held: (Held & { drops: number })[] = [];
  let drops = 0;
  for (let part = 0; part < 4; part++) {
    let name = '';
    let shown: Shown = [];
    const ends = Date.now() + PART;
    for (let n = 0; n < ENOUGH && Date.now() < ends; n++) {
      name = `round ${++drops}`;
      proxy.drop();
      await service.sql`update tags set name = ${name} where id = ${id}`;
      shown = await ask<Shown>({ name });
    }
    t.same(shown, [name, name, name], `list, row and live query equal SQL after ${drops} lost connections`);
    held.push({ drops, ...await ask<Held>('measure') });
    t.comment(JSON.stringify(held.at(-1)));
  }
  const [first, ...later] = held as [typeof held[number], ...typeof held];
  for (const { heap, objects, listeners, sockets, timers } of later) {
    t.same({ listeners, sockets, timers }, { listeners: first.listeners, sockets: 1, timers: first.timers });
    t.ok(objects - first.objects < Math.min(first.drops, OBJECTS), `${objects} objects after ${first.objects}`);
    t.ok(heap - first.heap < NOISE, `${heap} bytes after ${first.heap}`);
  }
});
