import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const NOTES = {
  slug: 'notes',
  description: 'A first collection: this file is its table, its routes and its rules.',
  properties: {
    id: { type: 'number', isId: 'increment' },
    text: { type: 'string', validation: { required: true, max: 2000 } },
    done: { type: 'boolean', defaultValue: false },
    author: { type: 'string', autoValue: 'user_on_create' },
    createdAt: { type: 'date', autoValue: 'on_create' },
  },
  securityRules: [
    { name: 'everybody', operation: 'select', access: 'public' },
    { name: 'own', operations: ['insert', 'update', 'delete'], ownerField: 'author' },
  ],
};

const MIGRATION = `-- What collection files do not say: rows, functions, views. It runs once, after the tables are there.
insert into notes (text) values ('Change collections/notes.json and save it.');
`;

const ENVIRONMENT = `# Settings of this machine, a line each; docs/configuration.md has all of them. What the environment has already stays.
#PORT=3001
#DATABASE_URL=postgres://user:password@localhost:5432/name
#LOG_LEVEL=debug
`;

const FILES: Record<string, string> = {
  'collections/notes.json': `${JSON.stringify(NOTES, null, 2)}\n`,
  'migrations/committed/000001.sql': committed(MIGRATION),
  'migrations/current.sql': '-- Enter migration here\n',
  '.gitignore': 'node_modules/\n.data/\n.env\n',
  '.env': ENVIRONMENT,
};

/** As graphile-migrate writes and verifies it. */
function committed(body: string): string {
  return `--! Previous: -\n--! Hash: sha1:${createHash('sha1').update(`${body.trim()}\n`).digest('hex')}\n\n${body}`;
}

/** `rowgate init [folder]`: writes a project that starts. Existing files stay as they are. */
export function initCommand(folder = '.'): void {
  for (const [name, content] of Object.entries(FILES)) {
    const file = resolve(folder, name);
    const isThere = existsSync(file) || (name.startsWith('migrations/committed/') && existsSync(dirname(file)));
    if (!isThere) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, { flag: 'wx' });
    }
    console.log(`${isThere ? 'kept   ' : 'written'}  ${join(relative('.', folder), name)}`);
  }
  const inside = relative('.', folder);
  console.log(`\nNext: ${inside === '' ? '' : `cd ${inside} && `}rowgate start`);
}
