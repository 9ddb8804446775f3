import type { ValidateFunction } from 'ajv/dist/2020.js';
import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { validateForm, type Report } from '../../json/form.ts';
import { isObject, parseJsonFile, type JsonObject } from '../../json/json-file.ts';
import { createAjv } from '../../json/validators.ts';
import type { Environment } from '../settings.ts';
import { validateMeaning } from './meaning.ts';
import { settingsFileSchema } from './schema.ts';
import type { SettingsFile } from './type.ts';

/**
 * The file as it stands. Empty where there is none, unless it was named; what is wrong with it is a problem, a line each, and then
 * nothing of it is taken.
 */
export function readSettingsFile(path: string, isNamed: boolean, env: Environment, problems: string[]): SettingsFile & JsonObject {
  const file = resolve(path);
  const label = basename(file);
  if (!existsSync(file)) {
    if (isNamed) problems.push(`SERVICE_CONFIG_FILE: there is no file ${file}.`);
    return {};
  }
  const report: Report = (path, problem) => { problems.push(path === '' ? `${label}: ${problem}` : `${label}: ${path}: ${problem}`); };
  const value = parsed(file, label, problems);
  if (value === undefined) return {};
  if (!isObject(value)) {
    problems.push(`${label} must hold one JSON object.`);
    return {};
  }
  const before = problems.length;
  const validate = createAjv({ settings: settingsFileSchema }, { optimize: false }).getSchema('settings') as ValidateFunction;
  validateForm(validate, value, '', { problem: report, unknownKey: report });
  if (problems.length > before) return {};
  validateMeaning(value, env, report);
  return value;
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
