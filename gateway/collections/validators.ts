import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { ValidateFunction } from 'ajv/dist/2020.js'; // not { type … }, which would load it
import { collectionSchema, defaultsSchema } from './schema/collection.ts';

export type Form = 'collection' | 'defaults';
type Validators = { validatorOf: (form: Form) => ValidateFunction };
/** The exports of compiled-validators.ts, which is no part of the package and slow to load. */
type Compiler = {
  compiledValidators: () => string;
  createValidators: (code: { optimize: false }) => { getSchema: (form: Form) => unknown };
};

const load = createRequire(import.meta.url);
const COMPILER = resolve(import.meta.dirname, 'compiled-validators.ts');
const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/validators');

let made: Validators | undefined;

/**
 * Judges a file. Compiling takes 0.35 s of CPU time, two fifths of a start, so it is done once for a schema; `npm run build` puts
 * what comes of it in this module's place.
 */
export function validatorOf(form: Form): ValidateFunction {
  return (made ??= kept() ?? compiled()).validatorOf(form);
}

function kept(): Validators | undefined {
  try {
    const hash = createHash('sha256').update(JSON.stringify([collectionSchema, defaultsSchema])).update(readFileSync(COMPILER));
    const file = resolve(CACHE, `${hash.digest('hex').slice(0, 16)}.mjs`);
    if (!existsSync(file)) keep(file);
    return load(file) as Validators;
  } catch {
    return undefined; // an installation that someone else owns
  }
}

/** Readers never see half a file. */
function keep(file: string): void {
  const { compiledValidators } = load(COMPILER) as Compiler;
  rmSync(dirname(file), { recursive: true, force: true }); // of other schemas
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, compiledValidators());
  renameSync(`${file}.${process.pid}`, file);
}

function compiled(): Validators {
  const { createValidators } = load(COMPILER) as Compiler;
  const validators = createValidators({ optimize: false });
  return { validatorOf: form => validators.getSchema(form) as ValidateFunction };
}
