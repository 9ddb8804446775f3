import type { Ajv2020, CodeOptions, ValidateFunction } from 'ajv/dist/2020.js';
import { createAjv } from '../json/validators.ts';
import { collectionSchema, defaultsSchema } from './schema/collection.ts';

export type Form = 'collection' | 'defaults';

let made: Ajv2020 | undefined;

/**
 * Judges a file. It is compiled when the first file is there, a fifth of a start with files; `npm run build` puts what comes of it in
 * this module's place.
 */
export function validatorOf(form: Form): ValidateFunction {
  return (made ??= createValidators({ optimize: false })).getSchema(form) as ValidateFunction;
}

export function createValidators(code: CodeOptions): Ajv2020 {
  return createAjv({ collection: collectionSchema, defaults: defaultsSchema }, code);
}
