// A project of collection files in a git repository, and the service on it.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { emptyFolder } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, tokenFor, type Answer, type TestService } from '../harness/service.ts';

export const id = { type: 'number', isId: 'increment' };
export const posts = {
  slug: 'posts',
  properties: { id, title: { type: 'string', validation: { required: true } }, state: { type: 'string', enum: ['draft', 'live'] } },
  securityRules: [{ access: 'public' }],
};
/** With an author's formatting: four spaces, a key for editors, no newline at the end. */
export const POSTS = JSON.stringify({ $schema: '../schemas/collection.schema.json', ...posts }, null, 4);

export type Folder = {
  root: string;
  collections: string;
  /** The output of git. */
  git: (...args: string[]) => string;
  read: (name: string) => string;
  write: (name: string, content: string | object) => void;
};

/** With `posts.json` in `collections`; its repository with that committed, or as the name says. */
export function projectFolder(t: Pick<Test, 'teardown'>, repository: 'committed' | 'empty' | 'none' = 'committed'): Folder {
  const root = emptyFolder(t);
  const collections = join(root, 'collections');
  mkdirSync(collections);
  const git = (...args: string[]) => execFileSync('git', ['-C', root, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    encoding: 'utf8', stdio: 'pipe', env: { PATH: process.env['PATH'], HOME: root },
  }).trim();
  const folder: Folder = {
    root, collections, git,
    read: name => readFileSync(join(collections, name), 'utf8'),
    write: (name, content) => { writeFileSync(join(collections, name),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2)); },
  };
  folder.write('posts.json', POSTS);
  if (repository !== 'none') git('init', '--quiet', '--initial-branch=main');
  if (repository === 'committed') {
    git('add', '--all');
    git('commit', '--quiet', '-m', 'Begin');
  }
  return folder;
}

/** A hook of the repository. */
export function addHook(folder: Folder, name: string, script: string): void {
  const path = join(folder.root, '.git/hooks', name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

export type Editing = TestService & {
  folder: Folder;
  /** As the admin root, unless another credential is named. */
  send: (path: string, body: unknown, as?: string | null) => Promise<Answer>;
  ask: (path: string, as?: string | null) => Promise<Answer>;
};

export async function serveFolder(t: Test, folder: Folder, env: Record<string, string> = {}): Promise<Editing> {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const service = await openService(url, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections, ...env });
  t.teardown(service.close);
  const root = await tokenFor('root', ['admin']);
  const send: Editing['send'] = (path, body, as = root) =>
    service.request(path, { method: 'POST', as, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  return { ...service, sql, url, folder, send, ask: (path, as = root) => service.request(path, { as }) };
}

export const PRODUCTION = { NODE_ENV: 'production', CORS_ORIGINS: 'https://example.com' };

export function withProperty(name: string, property: object): typeof posts {
  return { ...posts, properties: { ...posts.properties, [name]: property } };
}
