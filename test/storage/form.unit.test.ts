import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'tap';
import { readForm } from '../../gateway/features/storage/form.ts';

const TYPE = 'multipart/form-data; boundary=x';
const head = (name: string) => Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n`);
const END = Buffer.from('\r\n--x--\r\n');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('parts that are skipped are not kept in memory', async t => {
  for (const before of [[], [head('file'), Buffer.from('content\r\n')]]) {
    const pieces: WeakRef<Buffer>[] = [];
    let alive = 0;
    async function* body(): AsyncGenerator<Buffer, void> {
      yield* before;
      yield head('other');
      for (let n = 0; n < 100; n++) {
        const piece = Buffer.alloc(100_000, 'y');
        pieces.push(new WeakRef(piece));
        yield piece;
      }
      await setImmediate();
      collect();
      await setImmediate(); // a WeakRef holds its target until the turn ends
      collect();
      alive = pieces.filter(piece => piece.deref() !== undefined).length;
      yield END;
    }
    await readForm(TYPE, body(), () => Promise.resolve({ write: () => Promise.resolve() }));
    t.ok(alive < 20, `${alive} of 100 pieces`);
  }
});
