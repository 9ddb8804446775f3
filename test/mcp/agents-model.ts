/** A model of what an agent may do with two collections, under scopes, roles, row security and policies that ask for its client. */

export const SETUP = `
  create table public.docs (
    id int primary key, shard int not null, owner text not null default service.uid(), shared boolean not null default false,
    client text, amount int not null);
  create table public.notes (id int primary key, doc_id int not null references public.docs on delete cascade, owner text not null);
  alter table public.docs enable row level security;
  alter table public.notes enable row level security;
  create policy seen on public.docs for select
    using (owner = service.uid() or shared or 'editor' = any (string_to_array((select service.roles()), ',')));
  create policy of_client on public.docs as restrictive for select
    using (client is null or client = (service.jwt() ->> 'client_id'));
  create policy created on public.docs for insert with check (owner = service.uid());
  create policy changed on public.docs for update using (owner = service.uid());
  create policy deleted on public.docs for delete using (owner = service.uid());
  create policy own on public.notes for select using (owner = service.uid());`;

export type Doc = { id: number; shard: number; owner: string; shared: boolean; client: string | null; amount: number };
export type Note = { id: number; doc_id: number; owner: string };
/** `roles`: of the person, shared by all agents of one. */
export type Rights = { uid: string; client: string | undefined; scopes: readonly string[]; roles: ReadonlySet<string> };
/** The scopes that are missing, the code of a refusal, or the rows, a row or numbers. */
export type Outcome = { lacks: string[] } | { code: string } | { content: unknown };
export type Call = { name: string; given: Record<string, unknown> };

export type Model = {
  docs: Map<number, Doc>;
  notes: Map<number, Note>;
  /** The answer that the agent has to get. A write is done in the model as well. */
  outcome: (agent: Rights, call: Call) => Outcome;
};

const SCOPE_OF: Record<string, string> = {
  list_collections: 'data:read', query_collection: 'data:read', get_document: 'data:read', aggregate_collection: 'data:read',
  create_document: 'data:write', update_document: 'data:write', delete_document: 'data:delete',
};

export function createModel(): Model {
  const docs = new Map<number, Doc>();
  const notes = new Map<number, Note>();
  return { docs, notes, outcome };

  function outcome(agent: Rights, { name, given }: Call): Outcome {
    const scope = SCOPE_OF[name] ?? '';
    if (!agent.scopes.some(held => held === scope || held.startsWith(`${scope}:`))) return { lacks: [scope] };
    const holds = (collection: string) => agent.scopes.includes(scope) || agent.scopes.includes(`${scope}:${collection}`);
    if (name === 'list_collections') return { content: ['docs', 'notes'].filter(holds) };
    const { id, filter, include, values } = given as {
      id: number; filter?: { shard: number }; include?: string[]; values: Partial<Doc>;
    };
    const needed = include === undefined ? ['docs'] : ['docs', 'notes'];
    if (!needed.every(holds)) return { lacks: needed.filter(each => !holds(each)).map(each => `${scope}:${each}`) };
    const sees = (doc: Doc) => (doc.owner === agent.uid || doc.shared || agent.roles.has('editor'))
      && (doc.client === null || doc.client === agent.client);
    const found = [...docs.values()].filter(doc => doc.shard === filter?.shard && sees(doc)).sort((a, b) => a.id - b.id);
    if (name === 'query_collection') return { content: found.map(doc => include === undefined ? doc : withNotes(doc, agent)) };
    if (name === 'aggregate_collection') {
      return { content: { count: found.length, max: Math.max(-1, ...found.map(({ amount }) => amount)) } };
    }
    if (name === 'create_document') return created(agent, { client: null, shared: false, owner: agent.uid, ...values } as Doc);
    const doc = docs.get(id);
    if (doc === undefined || !sees(doc)) return { code: 'NOT_FOUND' };
    if (name === 'get_document') return { content: doc };
    if (doc.owner !== agent.uid) return { code: 'WRITE_DENIED' };
    if (name === 'update_document') {
      docs.set(id, { ...doc, ...values });
      return { content: docs.get(id) };
    }
    docs.delete(id);
    for (const note of notes.values()) if (note.doc_id === id) notes.delete(note.id);
    return { content: { deleted: true, id } };
  }

  function withNotes(doc: Doc, { uid }: Rights): object {
    const own = [...notes.values()].filter(({ doc_id, owner }) => doc_id === doc.id && owner === uid);
    return { ...doc, notes: own.map(({ id, doc_id: docId, owner }) => ({ id, docId, owner })) };
  }

  function created({ uid }: Rights, doc: Doc): Outcome {
    if (doc.owner !== uid) return { code: 'WRITE_DENIED' };
    docs.set(doc.id, doc);
    return { content: doc };
  }
}
