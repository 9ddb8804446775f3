import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { SOCKET } from '../harness/answers.ts';
import { ROOT } from '../harness/server.ts';
import { CODES_FILES, codesType, contracted, disagreements, documented, isAbout, raised } from './codes.ts';

/** Said at boot, never in an answer. */
const AT_BOOT = ['SCHEMA_CHANGE_FAILED'];

test('every code that is raised is documented with its status', t => {
  const known = documented();
  for (const [code, statuses] of raised()) {
    const entry = known.find(other => isAbout(other, code));
    const isKnown = (status: number) =>
      entry?.statuses.includes(status) || (status < 0 && (entry?.statuses.includes(SOCKET) || entry?.statuses.includes(-status)));
    if (!AT_BOOT.includes(code)) t.same([...statuses].filter(status => !isKnown(status)), [], code);
  }
  t.ok(known.length > 60);
  t.end();
});

test('the type of the codes is that of the documentation', t => {
  for (const file of CODES_FILES) t.equal(readFileSync(join(ROOT, file), 'utf8'), codesType(), `npm run codes writes ${file}`);
  t.end();
});

// The check of npm test at the end of a whole run, when every answer is known.
test('a code that was never answered, and an answer that is not documented, are noticed', t => {
  const known = [{ code: 'TAKEN', statuses: [400, 409], when: '' }, { code: 'PG_…', statuses: [400], when: '' }];
  const answer = (code: string, status: number) => ({ code, status, hasDetails: false, test: 'test/x.test.ts' });
  const all = [answer('TAKEN', 400), answer('TAKEN', 409), answer('PG_22001', 400)];
  t.same(disagreements(all, known), []);
  t.match(disagreements(all.slice(1), known), [/400 TAKEN, and no test/]);
  t.match(disagreements(all.slice(0, 2), known), [/400 PG_…, and no test/]);
  t.match(disagreements([...all, answer('TAKEN', 404), answer('OTHER', 400)], known), [/404 TAKEN, which/, /400 OTHER, which/]);
  t.end();
});

const contract = contracted();
if (contract.length === 0) console.log('# ../shared/contract/codes.tsv is not there: the statuses are not compared with it');
/** Statuses in the description of one route besides the table. */
const OF_A_ROUTE: Record<string, number[]> = { INVALID_TOKEN: [401] };

test('the statuses are those of the contract', { skip: contract.length === 0 && 'codes.tsv is not there' }, t => {
  const agreed = new Map(contract.map(({ code, statuses }) => [code, [...statuses, ...(OF_A_ROUTE[code] ?? [])]]));
  for (const { code, statuses } of documented()) {
    if (agreed.has(code)) t.same(statuses.filter(status => status !== SOCKET && !agreed.get(code)?.includes(status)), [], code);
  }
  t.end();
});
