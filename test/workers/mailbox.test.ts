import { test } from 'tap';
import { answerTo } from '../../gateway/process/ask.ts';
import { answeredBy, BOTH, startService } from './service.ts';

test('the mail of every worker is in one mailbox, which each of them shows', async t => {
  const service = await startService(t, { ALLOW_REGISTRATION: 'true' });
  const through = new Set<string | null>();
  const people = Array.from({ length: 12 }, (_, n) => `person${n}@example.org`);
  for (const email of people) {
    const headers = { 'connection': 'close', 'content-type': 'application/json' };
    const answer = await fetch(`${service.address}/auth/register`,
      { method: 'POST', headers, body: JSON.stringify({ email, password: 'Correct-horse-1' }) });
    t.equal(answer.status, 201);
    through.add(answer.headers.get('x-rowgate-worker'));
  }
  t.same([...through].sort(), BOTH, 'both have sent some');
  const recipients = (text: string) =>
    [...new Set((JSON.parse(text) as { messages: { to: string }[] }).messages.map(({ to }) => to))].sort();
  await t.resolves(answeredBy(service, BOTH, '/admin/dev/emails', ({ text }) => recipients(text).join() === [...people].sort().join()));
});

test('a question without a handler fails for the process that asks', async t => {
  t.same(await answerTo({ ask: 7, of: 'nothing', given: 1 }, {}), { answered: 7, failed: 'No process answers nothing.' });
});
