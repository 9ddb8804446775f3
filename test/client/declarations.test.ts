// A project that emits declarations may export what it makes of the client: each of its types can be named.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import ts from 'typescript';
import { STRICT_ALONE } from './compiler.ts';
import { build } from './packed.ts';

const EXPORTS = `
  import { callFunction, createAuth, createClient, fetchFile, listFactors, listFiles, signInWith } from '@rowgate/client';
  import { createClient as rowsClient } from '@rowgate/client/rows';
  import { realtime } from '@rowgate/client/realtime';
  import { queriesOf } from '@rowgate/client/query';
  import { schema, type Schema } from './rowgate.types.ts';
  export const auth = createAuth({ url: '' });
  export const db = createClient<Schema>({ url: '', schema, auth });
  export const live = createClient<Schema>({ url: '', schema, realtime });
  export const rows = rowsClient<Schema>({ url: '', schema });
  export const orders = db.from('orders');
  export const list = () => orders.list({ fields: ['id'], include: { customer: true, order_items: { include: { product: true } } } });
  export const all = () => orders.list();
  export const found = () => db.from('products').list({ searchString: 'a', searchExplain: true });
  export const get = () => orders.get(1);
  export const each = () => orders.each();
  export const aggregate = () => orders.aggregate({ select: ['count()', 'sum(shipping)'], groupBy: ['status'] });
  export const history = () => db.from('tags').history(1);
  export const create = () => orders.related(1, 'order_items').create({ productId: 1, unitPrice: 1 });
  export const items = () => orders.related(1, 'order_items');
  export const linked = () => db.from('bundles').related(1, 'products').list();
  export const listRows = orders.list, { create: createRow, upsert, createMany } = orders;
  export const batch = () => db.batch(b => ({ tag: b.create('tags', { name: '' }), gone: b.remove('tags', 1) }));
  export const describe = (b: Parameters<Parameters<typeof db.batch>[0]>[0]) => b.create('tags', { name: '' });
  export const describeMore = (b: Parameters<Parameters<typeof db.batch>[0]>[0]) => ({
    order: b.update('orders', 1, {}), id: b.upsert('orders', {} as never, { onConflict: ['id'] }).id, gone: b.remove('tags', 1),
  });
  export const call = () => callFunction(db, 'best_sellers', { since: null });
  export const products = queriesOf(db, 'products');
  export const query = products.list();
  export const mutation = products.mutation((rows, id: number) => rows.remove(id));
  export const liveProducts = queriesOf(live, 'products').list({}, { live: true });
  export const channel = live.channel('x', {});
  export const subscription = live.from('tags').subscribe({}, () => undefined);
  export const factors = () => listFactors(auth);
  export const files = () => listFiles(db, {});
  export const file = () => fetchFile(db, 'a');
  export const session = () => auth.session();
  export const provider = () => signInWith(auth, 'google');
`;

test('what is made of the client can be exported where declarations are emitted', t => {
  const folder = t.testdir();
  build(join(folder, 'node_modules/@rowgate/client'));
  copyFileSync(join(import.meta.dirname, 'store.types.ts'), join(folder, 'rowgate.types.ts'));
  writeFileSync(join(folder, 'exports.ts'), EXPORTS);
  const program = ts.createProgram([join(folder, 'exports.ts')], { ...STRICT_ALONE, declaration: true, emitDeclarationOnly: true });
  const complaints = ts.getPreEmitDiagnostics(program).map(({ code, messageText }) =>
    `TS${code} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  t.same(complaints, []);
  t.end();
});
