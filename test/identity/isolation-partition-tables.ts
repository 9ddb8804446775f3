/**
 * Partitioned by their owner, which their policies test: pruned too early, every partition is gone. Each other table or view reads such a
 * table in its own way. Three rows a caller and table, callers a, b and c.
 */
export const PARTITIONED = `
  create table offers (id integer primary key, owner_uid text not null);
  create table events (id integer, owner_uid text, offer_id integer references offers, kind integer,
    primary key (owner_uid, id)) partition by list (owner_uid);
  create table events_a partition of events for values in ('a');
  create table events_b partition of events for values in ('b');
  create table events_other partition of events default;
  insert into offers select n, chr(97 + n % 3) from generate_series(0, 8) n;
  insert into events select n, chr(97 + n % 3), n, n / 3 from generate_series(0, 8) n;
  alter table offers enable row level security;
  alter table events enable row level security;
  create policy everybody on offers using (true);
  create policy own on events using (owner_uid = service.uid());

  -- The partitioned table stands in a policy only, and hides rows: pruned, it hides none.
  create table deals (id integer primary key);
  insert into deals select n from generate_series(0, 8) n;
  alter table deals enable row level security;
  create policy not_in_events on deals using (not exists (select from events where events.id = deals.id));

  -- The bare call stands in the policy of an ordinary table, whose column equals the partition key of another.
  create table accounts (id integer primary key, owner_uid text not null unique);
  create table moves (id integer, owner_uid text references accounts (owner_uid), kind integer,
    primary key (owner_uid, id)) partition by list (owner_uid);
  create table moves_a partition of moves for values in ('a');
  create table moves_other partition of moves default;
  insert into accounts select n, chr(97 + n) from generate_series(0, 2) n;
  insert into moves select n, chr(97 + n % 3), n / 3 from generate_series(0, 8) n;
  alter table accounts enable row level security;
  alter table moves enable row level security;
  create policy own on accounts using (owner_uid = service.uid());
  create policy own on moves using (owner_uid = (select service.uid()));

  -- A view that asks for the caller itself, over a table without a policy of that kind.
  create table visits (id integer, owner_uid text, primary key (owner_uid, id)) partition by list (owner_uid);
  create table visits_a partition of visits for values in ('a');
  create table visits_other partition of visits default;
  insert into visits select n, chr(97 + n % 3) from generate_series(0, 8) n;
  alter table visits enable row level security;
  create policy everybody on visits using (true);
  create view my_visits with (security_invoker = on) as select * from visits where owner_uid = service.uid();
  create view seen_events with (security_invoker = on) as select * from events;

  -- A SQL function that is expanded into the policy's subquery.
  create function visited() returns setof integer language sql stable as 'select id from public.visits where owner_uid = service.uid()';
  create table places (id integer primary key);
  insert into places select n from generate_series(0, 8) n;
  alter table places enable row level security;
  create policy not_visited on places using (id not in (select v from visited() v));

  analyze;`;

export type PartitionQuestion = { path: string; expected: (uid: string) => unknown };

const own = (uid: string): number[] => 'abc'.includes(uid) ? [6, 3, 0].map(n => n + uid.charCodeAt(0) - 97) : [];
const others = (uid: string): number[] => [8, 7, 6, 5, 4, 3, 2, 1, 0].filter(n => !own(uid).includes(n));
const page = (data: unknown[]): unknown => ({ data, meta: { total: data.length, limit: 50, offset: 0, hasMore: false } });
const event = (uid: string) => (id: number): object => ({ id, ownerUid: uid, offerId: id, kind: Math.floor(id / 3) });

/** Answers for the callers a, b and c, who own three rows each, and for anybody else, who owns none. */
export const PARTITION_QUESTIONS: Record<string, PartitionQuestion> = {
  'a list': { path: 'events?orderBy=id:desc', expected: uid => page(own(uid).map(event(uid))) },
  'a count': { path: 'events/count', expected: uid => ({ count: own(uid).length }) },
  'a row': { path: 'events/b:::4', expected: uid => uid === 'b' ? event('b')(4) : undefined },
  'an include': { path: 'offers?include=events', expected: uid => page([8, 7, 6, 5, 4, 3, 2, 1, 0].map(id =>
    ({ id, ownerUid: String.fromCharCode(97 + id % 3), events: own(uid).includes(id) ? [event(uid)(id)] : [] }))) },
  'a relation filter': {
    path: 'offers?events.kind=gte.1&fields=id', expected: uid => page(own(uid).filter(id => id >= 3).map(id => ({ id }))),
  },
  'a relation filter that denies': {
    path: 'offers?events.kind=neq.1&fields=id',
    expected: uid => page([8, 7, 6, 5, 4, 3, 2, 1, 0].filter(id => !(own(uid).includes(id) && id >= 3 && id < 6)).map(id => ({ id }))),
  },
  'a nested route': { path: 'offers/4/events', expected: uid => page(uid === 'b' ? [event('b')(4)] : []) },
  'a view': { path: 'seen_events/count', expected: uid => ({ count: own(uid).length }) },
  'a view that asks itself': { path: 'my_visits/count', expected: uid => ({ count: own(uid).length }) },
  'a policy that looks there': { path: 'deals', expected: uid => page(others(uid).map(id => ({ id }))) },
  'a function in a policy': { path: 'places', expected: uid => page(others(uid).map(id => ({ id }))) },
  'a column that equals the key, filtered': {
    path: 'accounts?moves.kind=eq.1&fields=id', expected: uid => page(own(uid).length > 0 ? [{ id: uid.charCodeAt(0) - 97 }] : []),
  },
  'a column that equals the key, nested': { path: 'accounts/0/moves/count', expected: uid => ({ count: uid === 'a' ? 3 : 0 }) },
};
