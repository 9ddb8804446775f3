/** A schema of any size, and queries of its first collections, for the compiler. */
import { join } from 'node:path';

/** Collections in a ring, each with ten fields, the one before and the ones after. */
export function schemaOf(size: number): string {
  const names = Array.from({ length: size }, (_, i) => `c${i}`);
  const declared = names.map((_, i) => {
    const [before, after] = [names[(i + size - 1) % size], names[(i + 1) % size]];
    const fields = Array.from({ length: 8 }, (_, n) => `f${n}`);
    return `export interface Row${i} { id: number; total: string; ${fields.map(field => `${field}: string | null`).join('; ')} }
      export interface C${i} { row: Row${i}; create: Partial<Row${i}>; update: Partial<Row${i}>; id: number; key: 'id';
        fields: { id: 'number'; total: 'digits'; ${fields.map(field => `${field}: 'string'`).join('; ')} };
        relations: { before: { to: '${before}'; as: 'one' }; after: { to: '${after}'; as: 'many' } };
        computed: never; files: never; search: false; history: false; softDelete: false }`;
  });
  return `${declared.join('\n')}
    export interface Schema { version: ''; digits: string; functions: {};
      collections: { ${names.map((name, i) => `${name}: C${i}`).join('; ')} } }`;
}

/** 300 of three hops over the first 20 collections, no two alike. */
export function queries(): string {
  return `
  import { type Client } from '${join(import.meta.dirname, '../../client/src/index.ts')}';
  import { type Schema } from './schema.ts';
  export async function run(db: Client<Schema>): Promise<void> {
    ${Array.from({ length: 300 }, (_, i) => `{
      const { data } = await db.from('c${i % 18}').list({
        where: { f${i % 8}: ['like', 'a'], total: ['>', ${i}], 'before.f${i % 7}': 'x' }, fields: ['id', 'f${i % 8}'],
        include: { before: { fields: ['f${i % 5}'] }, after: { include: { after: { include: { before: true } } }, limit: ${i + 1} } } });
      const text: string | null | undefined = data[0]?.after[0]?.after[0]?.before.f${i % 8};
      void text; }`).join('\n')}
  }`;
}
