import standaloneCode from 'ajv/dist/standalone/index.js';
import { createValidators, type Form } from './validators.ts';

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
