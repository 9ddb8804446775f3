import { Ajv2020, type CodeOptions } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { collectionSchema, defaultsSchema } from './schema/collection.ts';
import { type Form } from './validators.ts';

/** That the schema is one itself is a test's to prove. */
export function createValidators(code: CodeOptions): Ajv2020 {
  return new Ajv2020({
    allErrors: true, discriminator: true, verbose: true, strict: true, allowUnionTypes: true, keywords: ['x-expected'],
    meta: false, validateSchema: false, code, schemas: { collection: collectionSchema, defaults: defaultsSchema },
  });
}

/** The source of a module that exports what validators.ts does, with nothing left to compile. */
export function compiledValidators(): string {
  const forms: Record<Form, string> = { collection: 'collection', defaults: 'defaults' };
  return [
    'import { createRequire } from \'node:module\';',
    'const require = createRequire(import.meta.url);',
    standaloneCode.default(createValidators({ source: true, esm: true }), forms),
    'export const validatorOf = form => ({ collection, defaults })[form];',
  ].join('\n');
}
