/** Checks the comments of TypeScript and SQL for the wordings that CONTRIBUTING.md rules out. Part of `npm run check`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['gateway', 'client', 'sql', 'policies', 'migrations', 'test', 'bench', 'run.mjs', 'eslint.config.js'];
/** Generated or dumped text, whose comments come from elsewhere. */
const GENERATED = ['migrations/schema.sql', 'test/client/store.types.ts', 'test/schema/dump.sql', 'test/layout/prose.ts'];

const RULES: { pattern: RegExp; reason: string }[] = [
  { pattern: /(?:^|[.:!?;)] )(What|Who|Whose|Whom|Of|That) /, reason: 'a sentence begins with' },
  { pattern: /\b(somebody|nobody|whoever|such a one)\b/i, reason: 'a vague word:' },
];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...FOLDERS], { cwd: ROOT, encoding: 'utf8' })
  .trim().split('\n')
  .filter(file => /\.(ts|mjs|js|sql)$/.test(file) && !GENERATED.includes(file) && existsSync(join(ROOT, file)));
const wanted = process.argv.slice(2);
let found = 0;
for (const file of files.filter(file => wanted.length === 0 || wanted.some(folder => file.startsWith(folder)))) {
  for (const { line, text } of comments(file)) {
    for (const { pattern, reason } of RULES) {
      const match = pattern.exec(text);
      if (match === null) continue;
      found += 1;
      console.log(`${file}:${line}: ${reason} "${match[1] ?? ''}": ${text}`);
    }
  }
}
if (found > 0) {
  console.log(`${found} comments are not in plain English (CONTRIBUTING.md, Language).`);
  process.exitCode = 1;
}

type Comment = { line: number; text: string };

/** Comments with the lines of one comment joined. `comment on … is '…'` counts as a comment. */
function comments(file: string): Comment[] {
  const all: Comment[] = [];
  let open: Comment | undefined;
  for (const [index, line] of readFileSync(join(ROOT, file), 'utf8').split('\n').entries()) {
    const text = file.endsWith('.sql') ? ofSql(line) : ofScript(line);
    if (text === undefined) {
      open = undefined;
    } else if (open === undefined) {
      all.push(open = { line: index + 1, text });
    } else {
      open.text += ` ${text}`;
    }
  }
  return all;
}

function ofScript(line: string): string | undefined {
  return /^\s*(?:\/\*\*?|\*\/?|\/\/)\s?(.*?)(?:\s*\*\/)?$/.exec(line)?.[1] ?? /\s\/[/*]\*? (.*?)(?:\s*\*\/)?$/.exec(line)?.[1];
}

function ofSql(line: string): string | undefined {
  return /^\s*--\s?(.*)$/.exec(line)?.[1] ?? /\s-- (.*)$/.exec(line)?.[1] ?? /^(?:comment on .* is)?\s*'(.*?)\s*';?$/.exec(line)?.[1];
}
