// A DBA in psql sees, limits and withdraws what agents may do; every gateway on the database follows.
import { test, type Test } from 'tap';
import { serveAt, type Session } from '../accounts/people.ts';
import { until } from '../harness/until.ts';
import { REDIRECT, requestOf, serveOAuth, SETTINGS, withClients, type OAuthService, type Registered } from './clients.ts';
import { hostDocuments } from './document-host.ts';

type Gateway = Pick<OAuthService, 'address'>;

/** Two gateways on one database, and a host of documents. */
async function served(t: Test) {
  const host = await hostDocuments(t);
  const env = { SERVICE_MCP_CLIENT_HOSTS: host.host };
  const service = await serveOAuth(t, env);
  const other = withClients({ ...await serveAt(t, service.url, { ...SETTINGS, ...env }), sql: service.sql, url: service.url });
  await service.register('first@example.org'); // the admin
  const [ada, bob] = [await service.register('ada@example.org'), await service.register('bob@example.org')];
  return { service, other, ada, bob, document: { client_id: `${host.origin}/client.json` } };
}

/** The status of a request of an agent. */
async function asAgent({ address }: Gateway, token: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json', 'accept': 'application/json' };
  return (await fetch(`${address}/mcp`, { method: 'POST', headers, body })).status;
}

/** Whether a statement of this kind waits for a lock. */
async function isWaiting({ sql }: OAuthService, query: string): Promise<boolean> {
  return (await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query ~ ${query}`).length > 0;
}

async function letInTwice(service: OAuthService, other: Gateway, client: Registered, people: Session[]) {
  const tokens = await Promise.all(people.map(person => service.letIn(client, person)));
  const access = tokens.map(({ access_token }) => access_token);
  const seen = () => Promise.all([service, other].flatMap(gateway => access.map(token => asAgent(gateway, token))));
  return { refresh: tokens.map(({ refresh_token }) => refresh_token), seen };
}

test('a closed client is closed for everybody, at every gateway, until it is opened again', async t => {
  const { service, other, ada, bob, document } = await served(t);
  const stranger = await service.registerClient({ client_name: 'Another' });
  const apart = await letInTwice(service, other, stranger, [ada]);
  for (const client of [await service.registerClient(), document]) {
    const { refresh: [ofAda = '', ofBob = ''], seen } = await letInTwice(service, other, client, [ada, bob]);
    t.same(await seen(), [200, 200, 200, 200]);
    const [code, request_token] = [await service.codeFor(client, ada), await service.ask(requestOf(client))];
    const close = () => service.sql`select service.close_oauth_client(${client.client_id}) as is_done`;
    t.same(await close(), [{ is_done: true }]);
    t.same(await close(), [{ is_done: false }]);
    await until('both gateways know', async () => (await seen()).every(status => status === 401));
    for (const gateway of [service, other]) {
      for (const token of [ofAda, ofBob]) t.equal((await gateway.refresh(client, token)).body.error, 'invalid_grant');
      const { status, location, html } = await gateway.authorize(requestOf(client));
      t.same([status, location], [400, undefined], 'a page, and no redirect');
      t.match(html, 'This client was closed');
    }
    t.equal((await service.redeem(client, code)).body.error, 'invalid_grant');
    const decided = await service.decide({ request_token, session_token: ada.access, decision: 'allow' });
    t.same([decided.status, decided.location], [400, undefined]);
    t.same((await service.request('/oauth/grants', { as: bob.access })).body, { grants: [] });
    t.same(await service.sql`select service.reopen_oauth_client(${client.client_id}) as is_done`, [{ is_done: true }]);
    t.same(await service.sql`select service.reopen_oauth_client(${client.client_id}) as is_done`, [{ is_done: false }]);
    t.equal((await service.refresh(client, ofAda)).body.error, 'invalid_grant', 'the tokens of before stay ended');
    t.equal(await asAgent(other, (await service.letIn(client, ada)).access_token), 200);
  }
  t.same(await apart.seen(), [200, 200], 'another client goes on');
});

test('the URL of a document is closed before any account lets it in; another id has to be one of a client', async t => {
  const { service, ada, document } = await served(t);
  await service.sql`select service.close_oauth_client(${document.client_id})`;
  t.equal((await service.authorize(requestOf(document))).status, 400);
  await service.sql`select service.reopen_oauth_client(${document.client_id})`;
  await service.letIn(document, ada);
  t.match(await service.sql`select client_name, redirect_uris from service.oauth_client_overview`,
    [{ client_name: 'A documented client', redirect_uris: [REDIRECT] }]);
  await t.rejects(service.sql`select service.close_oauth_client('mcp_typo')`, { code: 'GW404', message: 'There is no client mcp_typo.' });
});

test('a decision or an exchange that meets a closing waits for it, and is refused', async t => {
  const { service, other, ada } = await served(t);
  const client = await service.registerClient();
  const [request_token, code] = [await service.ask(requestOf(client)), await service.codeFor(client, ada)];
  const [decided, redeemed] = await service.sql.begin(async sql => {
    await sql`select service.close_oauth_client(${client.client_id})`;
    const both = [service.decide({ request_token, session_token: ada.access, decision: 'allow' }), other.redeem(client, code)] as const;
    for (const query of ['open_code', 'redeem_code']) await until(`${query} waits`, () => isWaiting(service, query));
    return [both] as const;
  }).then(([both]) => Promise.all(both));
  t.equal(decided.location?.searchParams.get('error'), 'access_denied');
  t.equal(redeemed.body.error, 'invalid_grant');
});

test('an exchange that waits holds nothing that the end of a client or of all sessions waits for', async t => {
  const { service, ada } = await served(t);
  const client = await service.registerClient();
  const { refresh_token } = await service.letIn(client, ada);
  const code = await service.codeFor(client, ada);
  const [redeemed] = await service.sql.begin(async sql => {
    await sql`set local deadlock_timeout = 1`; // so that it is this transaction that fails
    await sql`select from service.oauth_consents where client_id = ${client.client_id} for update`;
    const exchange = service.redeem(client, code);
    await until('redeem_code waits', () => isWaiting(service, 'redeem_code'));
    await sql`select service.close_oauth_client(${client.client_id})`;
    return [exchange] as const;
  }).then(exchanges => Promise.all(exchanges));
  t.equal(redeemed.body.error, 'invalid_grant');
  const another = await service.registerClient();
  const held = await service.letIn(another, ada);
  const [refreshed] = await service.sql.begin(async sql => {
    await sql`set local deadlock_timeout = 1`;
    await sql`select from service.users where uid = ${ada.uid} for update`;
    const exchange = service.refresh(another, held.refresh_token);
    await until('rotate_token waits', () => isWaiting(service, 'rotate_token'));
    await sql`select service.end_all_sessions(${ada.uid})`;
    return [exchange] as const;
  }).then(exchanges => Promise.all(exchanges));
  t.equal(refreshed.body.error, 'invalid_grant');
  t.equal((await service.refresh(client, refresh_token)).body.error, 'invalid_grant');
});

test('closing waits for a decision under way, and leaves nothing of it', async t => {
  const { service, ada } = await served(t);
  for (let turn = 0; turn < 10; turn += 1) {
    const client = await service.registerClient();
    const request_token = await service.ask(requestOf(client));
    const [decided] = await Promise.all([
      service.decide({ request_token, session_token: ada.access, decision: 'allow' }).then(async ({ location }) => {
        const code = location?.searchParams.get('code');
        return code && (await service.redeem(client, code)).body.refresh_token as string | undefined;
      }),
      service.sql`select service.close_oauth_client(${client.client_id})`,
    ]);
    if (decided) t.equal((await service.refresh(client, decided)).body.error, 'invalid_grant');
    t.same(await service.sql`
      select from service.oauth_families where client_id = ${client.client_id} and revoked_at is null
      union all select from service.oauth_codes where client_id = ${client.client_id} and consumed_at is null
      union all select from service.oauth_consents where client_id = ${client.client_id}`, []);
  }
});

test('an operator withdraws for one account, and no other is touched', async t => {
  const { service, other, ada, bob } = await served(t);
  const client = await service.registerClient();
  const [ofAda, ofBob] = [await letInTwice(service, other, client, [ada]), await letInTwice(service, other, client, [bob])];
  t.same([await ofAda.seen(), await ofBob.seen()], [[200, 200], [200, 200]]);
  const withdraw = () => service.sql`
    select service.withdraw_oauth_consent(uid, client_id) as is_done from service.users, service.oauth_clients
    where email = 'ada@example.org' and client_name = 'A client'`;
  t.same(await withdraw(), [{ is_done: true }]);
  t.same(await withdraw(), [{ is_done: false }]);
  await until('both gateways know', async () => (await ofAda.seen()).every(status => status === 401));
  t.same(await ofBob.seen(), [200, 200]);
  t.equal((await service.refresh(client, ofAda.refresh[0] ?? '')).body.error, 'invalid_grant');
  t.equal((await service.refresh(client, ofBob.refresh[0] ?? '')).status, 200);
});

test('the views say who let which client in, and why tokens ended, without a secret', async t => {
  const { service, ada, bob, document } = await served(t);
  const client = await service.registerClient({ token_endpoint_auth_method: 'client_secret_post' });
  const unused = await service.registerClient({ client_name: 'Unused' });
  const { sql } = service;
  const ends: [string, (refresh: string) => Promise<unknown>][] = [
    ['Its client revoked it.', token => service.form('/oauth/revoke', { ...client, token })],
    ['A refresh token was used twice.', async token => {
      await service.refresh(client, token);
      await service.refresh(client, token);
    }],
    ['Another client sent its refresh token.', token => service.refresh(unused, token)],
    ['The person withdrew the consent.', () =>
      service.request(`/oauth/grants/${client.client_id}`, { method: 'DELETE', as: ada.access })],
    ['An operator withdrew the consent.', () => sql`select service.withdraw_oauth_consent(${ada.uid}, ${client.client_id})`],
    ['The client was closed.', () => sql`
      select service.close_oauth_client(c), service.reopen_oauth_client(c) from (values (${client.client_id})) v (c)`],
    ['All sessions of the account were ended.', () => sql`select service.end_all_sessions(${ada.uid})`],
  ];
  for (const [, end] of ends) await end((await service.letIn(client, ada)).refresh_token);
  const again = await service.login('ada@example.org');
  const code = await service.codeFor(client, again);
  await service.redeem(client, code);
  await service.redeem(client, code);
  await service.letIn(client, bob, 'data:read');
  await service.letIn(document, bob);
  t.same((await sql`select revoked_reason from service.oauth_family_overview where email = 'ada@example.org' order by created_at`)
    .map(({ revoked_reason }) => revoked_reason as string), [...ends.map(([reason]) => reason), 'Its code was used twice.']);
  t.match(await sql`select * from service.oauth_family_overview where uid = ${bob.uid} order by created_at`, [
    { client_id: client.client_id, client_name: 'A client', email: 'bob@example.org', scope: 'data:read', revoked_at: null,
      revoked_reason: null, created_at: Date, rotated_at: Date, expires_at: Date },
    { client_id: document.client_id },
  ]);
  t.match(await sql`select * from service.oauth_consent_overview where email = 'bob@example.org' order by granted_at`, [
    { client_id: client.client_id, uid: bob.uid, client_name: 'A client', scope: 'data:read', granted_at: Date, last_used_at: Date },
    { client_id: document.client_id, client_name: 'A documented client' },
  ]);
  await sql`select service.close_oauth_client(${unused.client_id})`;
  t.match(await sql`select * from service.oauth_client_overview order by created_at`, [
    { client_id: client.client_id, client_name: 'A client', kind: 'registered', redirect_uris: [REDIRECT], accounts: '2',
      last_used_at: Date, closed_at: null },
    { client_id: unused.client_id, client_name: 'Unused', kind: 'registered', accounts: '0', last_used_at: null, closed_at: Date },
    { client_id: document.client_id, kind: 'document', accounts: '1', closed_at: null },
  ]);
  const views = ['oauth_client_overview', 'oauth_consent_overview', 'oauth_family_overview'];
  t.same(await sql`
    select table_name, column_name from information_schema.columns
    where table_schema = 'service' and table_name = any (${views}) and (column_name ~ 'hash|secret|challenge' or data_type = 'bytea')`, []);
  for (const view of views) {
    await t.rejects(sql.begin(async own => {
      await own`set local role service_user`;
      await own`select from service.${own(view)}`;
    }), { code: '42501' }, view);
  }
});
