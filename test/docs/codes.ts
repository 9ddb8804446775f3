// The error codes: what docs/errors.md says of them, where the sources raise them, which tests name them.
// As a program (npm run codes) it prints the list.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/server.ts';

export type Code = { code: string; statuses: string[]; when: string };

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The table of docs/errors.md. */
export function documented(): Code[] {
  return [...read('docs/errors.md').matchAll(/^\| `(\w+…?)` \| ([\d, ]+) \| (.*) \|$/gm)].map(([, code = '', statuses = '', when = '']) => ({ code, statuses: statuses.split(', '), when }));
}

/** Codes with their statuses, as the sources spell them at an error. Those of tables and of SQLSTATEs are not among them. */
export function raised(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const path of globSync(['gateway/**/*.ts', 'sql/**/*.sql'], { cwd: ROOT })) {
    for (const [, status = '', code = ''] of read(path).matchAll(/(?:service\.fail|ApiError)\(\s*(\d{3}),\s*'([A-Z][A-Z0-9_]+)'/g)) {
      found.set(code, (found.get(code) ?? new Set()).add(status));
    }
  }
  return found;
}

/** The test files that name a code, but for those of the grammar, which ask no server, and of the documents. */
export function testsOf({ code }: Pick<Code, 'code'>): string[] {
  const name = new RegExp(`\\b${code.replace('…', '')}${code.endsWith('…') ? '' : '\\b'}`);
  return globSync('test/**/*.test.ts', { cwd: ROOT }).filter(path => !/^test\/(grammar|docs)\//.test(path) && name.test(read(path))).sort();
}

/** The contract's own list, where the project lies beside it. */
export function contracted(): (Code & { reach: string })[] {
  const file = join(ROOT, '../shared/contract/codes.tsv');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trim().split('\n').slice(1).map(line => {
    const [, code = '', statuses = '', reach = '', when = ''] = line.split('\t');
    return { code, statuses: statuses.split('|'), reach, when };
  });
}

if (import.meta.main) {
  const known = documented();
  for (const code of known) {
    const tests = testsOf(code);
    console.log(`${code.statuses.join('|').padEnd(8)} ${code.code.padEnd(40)} ${tests.length === 0 ? 'NO TEST' : tests.join(' ')}`);
  }
  const missing = contracted().filter(({ code, reach }) => reach === 'http' && !known.some(({ code: name }) => name === code || (name.endsWith('…') && code.startsWith(name.slice(0, -1)))));
  for (const { code, statuses } of missing) console.log(`${statuses.join('|').padEnd(8)} ${code.padEnd(40)} not built`);
}
