import { test } from 'tap';
import { answeredBy, BOTH, startService } from './service.ts';

test('every worker shows the mailbox of the parent', async t => {
  const service = await startService(t);
  await answeredBy(service, BOTH, '/admin/dev/emails', ({ text }) => text === '{"enabled":true,"messages":[]}');
  t.pass();
});
