import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { ROOT } from './server.ts';

/** A template of databases. It is built once for each `content`, by the first test process that needs it. */
export type Template = {
  /** Everything that the result depends on, as text. Another text, another template. */
  content(): string;
  /** Fills an empty database as its owner. */
  build(sql: postgres.Sql, url: string): Promise<void>;
};

const CHINOOK = join(ROOT, '../shared/data/chinook.sql');

/** The music store stands beside the repository, not in it. A test that needs it says so and passes when this is false. */
export const chinookAvailable = existsSync(CHINOOK);

const registered = new Map<string, Template>([
  ['empty', fromFiles([])],
  ['chinook', fromFiles([CHINOOK])],
]);

/** Makes a template known by a name, in this process. */
export function registerTemplate(name: string, template: Template): void {
  registered.set(name, template);
}

/** A template that runs plain SQL files in this order. */
export function fromFiles(files: string[]): Template {
  const read = () => files.map(file => readFileSync(file, 'utf8'));
  return {
    content: () => read().join('\n'),
    async build(sql) {
      for (const text of read()) await sql.unsafe(text).simple();
    },
  };
}

/** The template and the name of its database, which tells its content. */
export function findTemplate(name: string): { template: Template; database: string } {
  const template = registered.get(name);
  if (!template) throw new Error(`No template is registered as ${name}.`);
  const hash = createHash('sha256').update(template.content()).digest('hex').slice(0, 12);
  return { template, database: `${templatePrefix(name)}${hash}` };
}

export function templatePrefix(name: string): string {
  return `rowgate_test_template_${name}_`;
}
