import { createRequire } from 'node:module';
import type * as ajv from 'ajv/dist/2020.js';
import type { Schema } from './json-schema.ts';

const require = createRequire(import.meta.url);

/** Compiles schemas, by their names, when they are first used. A test validates the schemas themselves. */
export function createAjv(schemas: Readonly<Record<string, Schema>>, code: ajv.CodeOptions): ajv.Ajv2020 {
  // Loading it takes longer than all the rest of a start without files.
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof ajv;
  return new Ajv2020({
    allErrors: true, discriminator: true, verbose: true, strict: true, allowUnionTypes: true, keywords: ['x-expected'],
    meta: false, validateSchema: false, code, schemas,
  });
}
