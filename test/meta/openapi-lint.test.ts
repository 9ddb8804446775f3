import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test, type Test } from 'tap';
import { ROOT } from '../harness/server.ts';
import { createService, storeTables, type ServiceOptions } from '../harness/service.ts';
import { everyType } from './tables.ts';
import { vocabulary } from './vocabulary.ts';

const LINTER = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
/** Nothing leaves the machine: no count of uses, no look for a newer version. */
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

type Problem = { ruleId: string; severity: string; message: string; location: { pointer: string }[] };

/** The linter's messages for a document, warnings too. */
async function problemsOf(t: Test, document: string): Promise<string[]> {
  const folder = t.testdir();
  writeFileSync(join(folder, 'openapi.json'), document);
  const args = [LINTER, 'lint', join(folder, 'openapi.json'), '--config', join(import.meta.dirname, 'redocly.yaml'), '--format', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...OFFLINE } })
    .catch((error: unknown) => error as { stdout: string }); // its exit code counts what it prints
  return (JSON.parse(stdout) as { problems: Problem[] }).problems
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`);
}

const projects: [what: string, options: (t: Test) => ServiceOptions][] = [
  ['the example', () => ({})],
  [
    'files that use the whole vocabulary',
    t => ({ template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(vocabulary), AUTH_REQUIRE: 'false' } }),
  ],
  ['tables that were there before', () => ({ setup: everyType, env: storeTables })],
];

for (const [what, options] of projects) {
  test(`the linter finds nothing in the document of ${what}`, async t => {
    const { request } = await createService(t, options(t));
    const { text } = await request('/docs');
    t.same(await problemsOf(t, text), []);
  });
}

test('the linter is one that finds something', async t => {
  const { request } = await createService(t);
  const { body } = await request('/docs');
  const [broken] = await problemsOf(t, JSON.stringify({ ...body, servers: [] }));
  t.match(broken, /^no-empty-servers/);
});
