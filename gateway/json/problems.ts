import type { ValidateFunction } from 'ajv/dist/2020.js';
import { validateForm } from './form.ts';
import type { Schema } from './json-schema.ts';
import { createAjv } from './validators.ts';

/** The faults of a value by a schema, a text each: "timeoutSeconds: must be …". */
export function problemsOf(schema: Schema, value: unknown): string[] {
  const problems: string[] = [];
  const report = (path: string, problem: string) => { problems.push(path === '' ? problem : `${path}: ${problem}`); };
  validateForm(createAjv({ value: schema }, { optimize: false }).getSchema('value') as ValidateFunction, value, '',
    { problem: report, unknownKey: report });
  return problems;
}
