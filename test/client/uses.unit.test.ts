import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import ts from 'typescript';
import { queries, schemaOf } from '../../bench/client/schema.ts';
import { checker } from './compiler.ts';

const USES = join(import.meta.dirname, 'uses.ts');

test('every right use compiles, and every wrong one is an error of the compiler', t => {
  t.same(checker([USES]).complaints, []);
  t.ok((readFileSync(USES, 'utf8').match(/@ts-expect-error/g)?.length ?? 0) > 45);
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
