import type { ValidateFunction } from 'ajv/dist/2020.js';
import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { validateForm, type Report } from '../../json/form.ts';
import { isObject, parseJsonFile, type JsonObject } from '../../json/json-file.ts';
import type { Schema } from '../../json/json-schema.ts';
import { createAjv } from '../../json/validators.ts';
import type { Environment } from '../setting.ts';

/** How a settings file is checked: by a schema, then by what a schema cannot say. */
export type FileChecks<File> = { schema: Schema; validate: (file: File, env: Environment, report: Report) => void };
/** The file to read. `isNamed`: whether its absence is a problem. */
export type NamedFile = { path: string; isNamed: boolean };

/**
 * Reads the settings file: empty where there is none. Adds a line for each problem; a file whose form is wrong counts as empty.
 */
export function readSettingsFile<File>(
  { path, isNamed }: NamedFile, { schema, validate }: FileChecks<File>, env: Environment, problems: string[],
): File & JsonObject {
  const file = resolve(path);
  const label = basename(file);
  if (!existsSync(file)) {
    if (isNamed) problems.push(`SERVICE_CONFIG_FILE: there is no file ${file}.`);
    return {} as File & JsonObject;
  }
  const report: Report = (path, problem) => { problems.push(path === '' ? `${label}: ${problem}` : `${label}: ${path}: ${problem}`); };
  const value = parsed(file, label, problems);
  if (value === undefined) return {} as File & JsonObject;
  if (!isObject(value)) {
    problems.push(`${label} must hold one JSON object.`);
    return {} as File & JsonObject;
  }
  const before = problems.length;
  const check = createAjv({ settings: schema }, { optimize: false }).getSchema('settings') as ValidateFunction;
  validateForm(check, value, '', { problem: report, unknownKey: report });
  if (problems.length > before) return {} as File & JsonObject;
  validate(value as File, env, report);
  return value as File & JsonObject;
}

function parsed(file: string, label: string, problems: string[]): unknown {
  try {
    const found = parseJsonFile(readFileSync(file));
    if ('value' in found) return found.value;
    problems.push(...found.problems.map(problem => `${label}:${problem}`));
  } catch (error) {
    problems.push(`${label} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
  return undefined;
}
