import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import ts from 'typescript';
import { queries, schemaOf } from '../../bench/client/schema.ts';
import { checker, STRICT_ALONE } from './compiler.ts';

const USES = join(import.meta.dirname, 'uses.ts');

test('every right use compiles, and every wrong one is an error of the compiler', t => {
  t.same(checker([USES]).complaints, []);
  t.ok((readFileSync(USES, 'utf8').match(/@ts-expect-error/g)?.length ?? 0) > 45);
  t.end();
});

const UNSURE = `
  import { expectTypeOf } from 'expect-type';
  import { type Client } from '../../client/src/index.ts';
  import { type Customer, type OrderItem, type Schema } from './store.types.ts';
  interface Node { id: number; parent: number; text: string }
  interface Tree {
    version: ''; digits: string; functions: {};
    collections: { nodes: { row: Node; key: 'id'; id: number; fields: {}; relations: { parent: { to: 'nodes'; as: 'one' } } } };
  }
  export async function uses(db: Client<Schema>, tree: Client<Tree>, is: boolean): Promise<void> {
    const order = await db.from('orders').get(1, {
      include: { order_items: is ? true : undefined, customer: is ? { fields: ['name'] } : true },
    });
    expectTypeOf<typeof order.order_items>().toEqualTypeOf<OrderItem[] | undefined>();
    expectTypeOf<typeof order.customer>().toEqualTypeOf<Customer | { id: string; name: string } | null>();
    const named = await db.from('orders').get(1, { include: { customer: { fields: is ? ['name'] : undefined } } });
    expectTypeOf<typeof named.customer>().toEqualTypeOf<{ id: string; name: string } | null>();
    const nested = await db.from('products').get(1, { include: { category: { include: { products: is ? true : undefined } } } });
    // @ts-expect-error may be missing
    nested.category.products.length;
    const node = await tree.from('nodes').get(1, { include: { parent: is ? true : undefined } });
    expectTypeOf<typeof node.parent>().toEqualTypeOf<Node | number | undefined>();
  }`;

test('a project with nothing but strict compiles the same, and what may be left out of a query may be missing', t => {
  const unsure = join(t.testdir(), 'unsure.ts');
  writeFileSync(unsure, UNSURE.replaceAll(/'(\.[^']*)'/g, (_, path: string) => `'${join(import.meta.dirname, path)}'`));
  t.same(checker([USES, unsure], STRICT_ALONE).complaints, []);
  t.match(checker([unsure]).complaints[0], /order_items: true \| undefined[^]* with 'exactOptionalPropertyTypes: true'/);
  t.end();
});

test('a hover shows the members of a row, and nothing of how they came about', t => {
  const { program } = checker([USES]);
  const types = program.getTypeChecker();
  const shown = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) shown.set(node.name.text, textOf(node));
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) shown.set(node.name.text, textOf(node));
    ts.forEachChild(node, visit);
  };
  const textOf = (node: ts.Node) => types.typeToString(types.getTypeAtLocation(node), undefined, ts.TypeFormatFlags.NoTruncation);
  visit(program.getSourceFile(USES) as ts.Node);
  t.equal(shown.get('whole'), 'Tag | undefined', 'a whole row by its name');
  t.match(shown.get('groups'), /^\{ (?:(?:sum_shipping|max_placedAt): string \| null; |count: number; |status: OrderStatus; ){4}\}\[\]$/);
  // Members that are picked come in the order in which the compiler has met their names.
  t.match(shown.get('linked'),
    /^Page<\{ (?:id: number; |name: string; ){2}_pivot: \{ quantity: number; note: string \| null; \}; \}, Meta>$/);
  t.match(shown.get('product'), /category: \{ (?:id: number; |name: string; ){2}parent: Category \| null; \}; \}$/);
  t.end();
});

test('the types cost by the queries, not by the collections of the schema', t => {
  const [few, many] = [20, 2000].map(collections => {
    const folder = t.testdir({ 'schema.ts': schemaOf(collections), 'queries.ts': queries() });
    const { program, complaints } = checker([join(folder, 'queries.ts')]);
    t.same(complaints, []);
    return program.getInstantiationCount();
  });
  t.comment(`instantiations: ${few} with 20 collections, ${many} with 2000`);
  t.ok((few ?? 0) > 1000 && (many ?? Infinity) < 2 * (few ?? 0), `${few}, ${many}`);
  t.ok((few ?? Infinity) < 300_000);
  t.end();
});
