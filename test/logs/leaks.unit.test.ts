import { test } from 'tap';
import { watchedLog } from '../harness/leaks.ts';

test('the log of services under test is searched for what requests carried', async t => {
  const { log, leaks } = watchedLog(['a secret of settings']);
  const headers = { authorization: 'Bearer a-credential-of-tests-1' };
  const init = { method: 'POST', headers, body: JSON.stringify({ a: [{ b: 'a value that is long "enough"' }] }) };
  await fetch('http://127.0.0.1:1/api/data/things?name=a-name-of-a-query', init).catch(() => undefined);
  const lines = ['a secret of settings', 'a-credential-of-tests-1', 'name=a-name-of-a-query', 'a value that is long "enough"'];
  for (const line of lines) log.debug({ some: { field: line } }, 'said');
  for (const line of lines) log.warn({ err: new Error('said', { cause: new Error(line) }) });
  log.info({ path: '/api/data/things', field: 'name' }, 'nothing of it');
  t.equal(leaks.length, 2 * lines.length);
});
