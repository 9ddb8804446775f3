import { test } from 'tap';
import { contracted, documented, raised, testsOf } from './codes.ts';

/** Said at boot, never in an answer. */
const AT_BOOT = ['SCHEMA_CHANGE_FAILED'];

test('every code that is raised is documented with its status', t => {
  const codes = new Map(documented().map(({ code, statuses }) => [code, statuses]));
  for (const [code, statuses] of raised()) if (!AT_BOOT.includes(code)) t.same([...statuses].filter(status => !codes.get(code)?.includes(status)), [], code);
  t.ok(codes.size > 60);
  t.end();
});

/** What only a relation that leads one way brings about, and no collection file can declare one yet. */
const NOT_YET = ['RELATION_NOT_WRITABLE'];

test('every code that is documented is named by a test that asks a server', t => {
  t.same(documented().filter(code => testsOf(code).length === 0).map(({ code }) => code), NOT_YET);
  t.end();
});

const contract = contracted();
if (contract.length === 0) console.log('# ../shared/contract/codes.tsv is not there: the statuses are not compared with it');
test('the statuses are those of the contract', { skip: contract.length === 0 && 'codes.tsv is not there' }, t => {
  const agreed = new Map(contract.map(({ code, statuses }) => [code, statuses]));
  for (const { code, statuses } of documented()) if (agreed.has(code)) t.same(statuses.filter(status => !agreed.get(code)?.includes(status)), [], code);
  t.end();
});
