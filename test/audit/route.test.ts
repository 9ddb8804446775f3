import { test } from 'tap';
import { pino } from 'pino';
import { scheduleAudit } from '../../gateway/features/admin/schedule-audit.ts';
import type { AuditState } from '../../gateway/features/admin/audit-state.ts';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { createService, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { until } from '../harness/until.ts';

type Shown = {
  enabled: boolean; reason?: string; status?: string; result?: { findings: { id: string }[] } | null; error?: { code: string };
};

async function shown(address: string, as = SERVICE_KEY): Promise<Shown> {
  const response = await fetch(`${address}/admin/rls-audit`, { headers: { authorization: `Bearer ${as}` } });
  return await response.json() as Shown;
}

/** Asks until there is a result. */
function finished(address: string): Promise<Shown> {
  return until('the audit has ended', async () => {
    const found = await shown(address);
    return found.status !== 'pending' && found;
  });
}

test('without SERVICE_RLS_AUDIT there is no audit, and the route says so to admins alone', async t => {
  const { request } = await createService(t, { env: { AUTH_REQUIRE: 'false' } });
  const asked = async (as?: string | null) => {
    const { status, body } = await request('/admin/rls-audit', as === undefined ? {} : { as });
    return [status, body.error?.code ?? body];
  };
  t.same(await asked(), [200, { enabled: false, reason: 'SERVICE_RLS_AUDIT is not true.' }]);
  t.same(await asked(await tokenFor('root', ['admin'])), [200, { enabled: false, reason: 'SERVICE_RLS_AUDIT is not true.' }]);
  t.same(await asked(await tokenFor('ada', ['editor'])), [403, 'FORBIDDEN']);
  t.same(await asked(null), [401, 'UNAUTHORIZED']);
  t.same(await asked('nonsense'), [401, 'UNAUTHORIZED']);
  const off = await createService(t, { env: { SERVICE_AUTH: 'off', SERVICE_RLS_AUDIT: 'true' } });
  t.match(await off.request('/admin/rls-audit'), { status: 501, body: { error: { code: 'ADMIN_SURFACE_UNAVAILABLE' } } });
});

test('before the first is done it is pending', async t => {
  const { request } = await createService(t, { env: { SERVICE_RLS_AUDIT: 'true' } });
  t.match(await request('/admin/rls-audit'), { status: 200, body: { enabled: true, status: 'pending', result: null } });
});

for (const workers of ['1', '2']) {
  test(`a start looks, and the route of ${workers === '1' ? 'the process' : 'every worker'} shows what was found`, async t => {
    const { url, sql } = await createDatabase(t, { template: 'served_store' });
    await sql`create view every_order as select * from orders`;
    await sql`grant select on every_order to service_user`;
    const gateway = startGateway(t,
      { DATABASE_URL: url, SERVICE_SOURCE: 'tables', SERVICE_RLS_AUDIT: 'true', SERVICE_WORKERS: workers, DB_POOL_MAX: '11' });
    const address = await addressOf(gateway);
    const found = await finished(address);
    t.match(found, { enabled: true, status: 'ok', result: { database: { name: String }, diagnostics: { degraded: [] } } });
    t.ok(found.result?.findings.some(({ id }) => id === 'view-bypasses-rls'));
    for (let n = 0; n < 8; n++) t.same(await finished(address), found, 'the same, from whichever answers');
    await sql`insert into service.users (uid, email) values ('ada', 'ada@example.org')`;
    t.match(await shown(address, await tokenFor('ada')), { error: { code: 'FORBIDDEN' } });
  });
}

test('one that fails keeps what the last one found, and says why', async t => {
  const states: AuditState[] = [];
  const answers = [() => Promise.resolve({ n: 1 }), () => Promise.reject(new Error('gone')), () => Promise.resolve({ n: 2 })];
  await new Promise<void>(resolve => {
    const end = scheduleAudit({
      scan: () => answers[states.length]?.() ?? Promise.reject(new Error('too many')), pause: 1, log: pino({ level: 'silent' }),
      publish: state => { if (states.push(state) === answers.length) { end(); resolve(); } },
    });
  });
  t.same(states,
    [{ status: 'ok', result: { n: 1 } }, { status: 'failed', error: 'gone', result: { n: 1 } }, { status: 'ok', result: { n: 2 } }]);
});
