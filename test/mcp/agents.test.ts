// Sixty-four agents at once on one gateway, each answer compared with a model of what this agent may see. Between the calls consents are
// withdrawn, families and keys revoked, accounts disabled and roles changed.
import { decodeJwt } from 'jose';
import { test } from 'tap';
import type { Session } from '../accounts/people.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { serveOAuth } from '../oauth/clients.ts';
import { createModel, SETUP, type Call, type Doc, type Outcome, type Rights } from './agents-model.ts';
import { agentsAt, type Rpc } from './agent.ts';

const [AGENTS, PEOPLE, CLIENTS] = [64, 16, 4];
/** A round writes to some shards and reads others, and writes a row once: the order of its calls does not matter. */
const SHARDS = 8;
const SCOPES = [
  'data:read', 'data:read data:write', 'data:read data:write data:delete', 'data:read:docs', 'data:read:docs data:write:docs',
  'data:read:notes', 'data:read:docs data:read:notes data:delete:docs', 'data:write:docs data:delete',
];

/** `session`: of the person; a key has none. */
type Agent = Rights & { bearer: string; session: Session | undefined; roles: Set<string>; isAlive: boolean };

test(`64 agents at once see what each may see (RANDOM_SEED=${seed})`, async t => {
  const below = generator(seed);
  const chance = (oneIn: number) => below(oneIn) === 0;
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const service = await serveOAuth(t, { DB_POOL_MAX: '10' }, { setup: SETUP });
  const { sql } = service;
  const { ask, askAlone } = agentsAt(service);
  const { docs, notes, outcome } = createModel();
  await service.register('root@example.org'); // the first account is an admin
  let [people, lastId, calls, events] = [0, 0, 0, 0];
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => service.registerClient()));
  const persons = await Promise.all(Array.from({ length: PEOPLE }, newPerson));
  const agents: Agent[] = [];
  while (agents.length < AGENTS) agents.push(await newAgent());
  await store({ ...docOf(pick(agents)), owner: 'another', shared: false, client: null }); // an editor sees more than others

  const rounds = Math.max(4, runs(300));
  for (let round = 0; round < rounds; round++) {
    while (docs.size < 200) await store(docOf(pick(agents)));
    const written = new Set([below(SHARDS), below(SHARDS), below(SHARDS)]);
    const taken = new Set<number>();
    const asked = agents.map(agent => ({ agent, call: callOf(agent, written, taken) }));
    const expected = asked.map(({ agent, call }) => agent.isAlive ? outcome(agent, call) : 'invalid_token');
    const answers = await Promise.all(asked.map(({ agent, call }) => made(agent, call)));
    for (const [n, { agent, call }] of asked.entries()) {
      t.same(answers[n], expected[n], `${call.name} ${JSON.stringify(call.given)}: ${agent.uid}, ${agent.scopes.join(' ')}`);
    }
    calls += asked.length;
    if (chance(2)) await change(pick(agents.filter(({ isAlive }) => isAlive)));
    for (const [n, { isAlive }] of agents.entries()) if (!isAlive && chance(3)) agents[n] = await newAgent();
  }
  const stored = await sql<Doc[]>`select id, shard, owner, shared, client, amount from docs order by id`;
  t.same(stored.map(doc => ({ ...doc })), [...docs.values()].sort((a, b) => a.id - b.id), 'what was written is there, and nothing else');
  t.comment(`${calls} calls, ${events} times agents shut out or changed in between`);

  async function newPerson(): Promise<{ session: Session; roles: Set<string> }> {
    people += 1;
    return { session: await service.register(`p${people}@example.org`), roles: new Set() };
  }

  async function newAgent(): Promise<Agent> {
    const asked = pick(SCOPES);
    const scopes = asked.split(' ');
    if (chance(4)) {
      const roles = chance(2) ? [] : ['editor'];
      const { body: { key } } = await service.request('/admin/api-keys', {
        method: 'POST', as: SERVICE_KEY, body: JSON.stringify({ name: 'agent', scopes, roles }),
      });
      const uid = `api-key:${key.id}`;
      return { bearer: key.key, uid, client: undefined, scopes, roles: new Set(roles), session: undefined, isAlive: true };
    }
    const [{ session, roles }, client] = [pick(persons), pick(clients)];
    const { access_token: bearer } = await service.letIn(client, session, asked);
    return { bearer, uid: session.uid, client: client.client_id, scopes, roles, session, isAlive: true };
  }

  function docOf({ uid, client }: Agent): Doc {
    lastId += 1;
    const shared = chance(5);
    return { id: lastId, shard: below(SHARDS), owner: uid, shared, client: chance(6) ? client ?? null : null, amount: below(100) };
  }

  async function store(doc: Doc): Promise<void> {
    const note = { id: doc.id, doc_id: doc.id, owner: chance(2) ? doc.owner : pick(agents).uid };
    docs.set(doc.id, doc);
    notes.set(note.id, note);
    await sql`insert into docs ${sql(doc)}`;
    await sql`insert into notes ${sql(note)}`;
  }

  /** Reads rows that this round does not write, or writes one that nothing else of it touches. */
  function callOf(agent: Agent, written: Set<number>, taken: Set<number>): Call {
    const rows = [...docs.values()].filter(doc => written.has(doc.shard) && !taken.has(doc.id));
    const own = rows.filter(({ owner }) => owner === agent.uid);
    const { id } = (chance(3) || own.length === 0 ? pick(rows) : pick(own)) as Doc | undefined ?? { id: 0 };
    const shard = pick([...Array(SHARDS).keys()].filter(each => !written.has(each)));
    const read = pick([...docs.values()].filter(each => !written.has(each.shard)));
    const name = pick([
      'list_collections', 'query_collection', 'query_collection', 'get_document', 'get_document', 'aggregate_collection', 'create_document',
      'update_document', 'update_document', 'delete_document',
    ]);
    const collection = { collection: 'docs' };
    if (name === 'list_collections') return { name, given: {} };
    if (name === 'get_document') return { name, given: { ...collection, id: chance(20) ? 0 : read.id } };
    if (name === 'aggregate_collection') return { name, given: { ...collection, filter: { shard }, select: ['count()', 'max(amount)'] } };
    if (name === 'create_document') {
      const { id: next, shared, amount } = docOf(agent);
      const named = chance(6) ? { owner: pick([agent, ...agents]).uid } : {};
      return { name, given: { ...collection, values: { id: next, shared, amount, shard: pick([...written]), ...named } } };
    }
    if (name === 'query_collection') {
      return { name, given: { ...collection, filter: { shard }, orderBy: 'id', limit: 200, ...(chance(3) && { include: ['notes'] }) } };
    }
    taken.add(id);
    return { name, given: { ...collection, id, ...(name === 'update_document' && { values: { amount: below(100) } }) } };
  }

  async function made({ bearer }: Agent, { name, given }: Call): Promise<Outcome | string> {
    return told(name, await (chance(2) ? ask : askAlone)(bearer, { method: 'tools/call', params: { name, arguments: given } }));
  }

  /** Shuts the agent out, or gives its person other roles; resolves when the gateway has heard of it. */
  async function change(agent: Agent): Promise<void> {
    events += 1;
    const { uid, client, session, bearer } = agent;
    if (session === undefined) {
      await service.request(`/admin/api-keys/${uid.slice('api-key:'.length)}`, { method: 'DELETE' });
      return gone(each => each === agent);
    }
    const kind = pick(['consent', 'family', 'disabled', 'role', 'role']);
    if (kind === 'role') return changeRoles(agent);
    if (kind === 'consent') {
      await service.request(`/oauth/grants/${client ?? ''}`, { method: 'DELETE', as: session.access });
      return gone(each => each.uid === uid && each.client === client);
    }
    if (kind === 'family') {
      await sql`update service.oauth_families set revoked_at = now() where id = ${String(decodeJwt(bearer)['sid'])}`;
      return gone(each => each === agent);
    }
    await sql`update service.users set disabled = true where uid = ${uid}`;
    persons.splice(persons.findIndex(each => each.session === session), 1, await newPerson());
    return gone(each => each.uid === uid);
  }

  async function gone(those: (each: Agent) => boolean): Promise<void> {
    for (const each of agents.filter(those)) {
      await until('the gateway has heard of it', async () => (await ask(each.bearer, { method: 'ping' })).status === 401);
      each.isAlive = false;
    }
  }

  async function changeRoles({ uid, roles, client }: Agent): Promise<void> {
    const reader = agents.find(each => each.uid === uid && each.isAlive && each.scopes.some(scope => /^data:read(:docs)?$/.test(scope)));
    if (reader === undefined) return;
    if (!roles.delete('editor')) roles.add('editor');
    await sql`update service.users set roles = ${[...roles]} where uid = ${uid}`;
    const call = { name: 'aggregate_collection', given: { collection: 'docs', select: ['count()'] } };
    const count = [...docs.values()].filter(doc => outcomeOf(reader, doc)).length;
    await until(`the roles of ${client ?? ''} are heard of`, async () =>
      (await ask(reader.bearer, { method: 'tools/call', params: { name: call.name, arguments: call.given } }))
        .body.result.structuredContent.data[0].count === count);
  }

  function outcomeOf(agent: Agent, { id }: Doc): boolean {
    return 'content' in outcome(agent, { name: 'get_document', given: { id } });
  }
});

/** An answer in the words of the model. */
function told(name: string, { status, body, headers }: Rpc): Outcome | string {
  if (status === 401) return body.error;
  const challenge = headers.get('www-authenticate') ?? '';
  if (status === 403) return { lacks: /insufficient_scope", scope="([^"]*)"/.exec(challenge)?.[1]?.split(' ').toSorted() ?? [] };
  const { isError, content: [{ text }], structuredContent: content } = body.result;
  if (isError === true) return { code: /^\w+/.exec(text)?.[0] ?? '' };
  if (name === 'list_collections') return { content: content.collections.map((each: { name: string }) => each.name) };
  if (name === 'query_collection') return { content: content.rows };
  if (name === 'aggregate_collection') {
    const [{ count, max_amount: max }] = content.data;
    return { content: { count, max: max ?? -1 } };
  }
  return { content };
}
