import type { Ajv2020, CodeOptions } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { createAjv } from '../json/validators.ts';
import { collectionSchema, defaultsSchema } from './schema/collection.ts';
import type { Form } from './validators.ts';

export function createValidators(code: CodeOptions): Ajv2020 {
  return createAjv({ collection: collectionSchema, defaults: defaultsSchema }, code);
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
