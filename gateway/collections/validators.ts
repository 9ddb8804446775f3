import { Ajv2020, type CodeOptions, type ValidateFunction } from 'ajv/dist/2020.js';
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

/** That the schema is one itself is a test's to prove. */
export function createValidators(code: CodeOptions): Ajv2020 {
  return new Ajv2020({
    allErrors: true, discriminator: true, verbose: true, strict: true, allowUnionTypes: true, keywords: ['x-expected'],
    meta: false, validateSchema: false, code, schemas: { collection: collectionSchema, defaults: defaultsSchema },
  });
}
