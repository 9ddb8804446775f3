/**
 * The floor: what this stack gives at most. uWebSockets.js and postgres.js with the SQL typed in and the same JSON in and
 * out (total included), but no row security, no identity, no checks, no errors, no CORS. Prepared statements; reads are
 * pipelined over as few connections as keep the cores busy, writes have as many connections as the service writes on.
 */
import { availableParallelism } from 'node:os';
import * as uws from 'uWebSockets.js';
import postgres from 'postgres';

const url = process.env['DATABASE_URL'] ?? '';
/** With row security on request: as its role, with the identity of a signed-in caller. */
const identity = process.env['SECURED'] === undefined ? {} : { role: 'service_user', 'app.uid': 'bench' };
const reader = postgres(url, { max: availableParallelism(), connection: identity });
const writer = postgres(url, { max: Number(process.env['WRITERS']), connection: identity });

const CREATED_AT = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const COLUMNS = `p.id, p.author_id as "authorId", p.title, p.status, p.price, ${CREATED_AT} as "createdAt"`;
const LIVE = `where author_id = $1::text::integer and status = 'live'`;

/** A page with its meta, as the service writes it without a cursor; `extra` stands for columns beside the post's own. */
const page = (where: string, extra = '', joins = '', limit = 50) => `
  select json_build_object('data', coalesce(array_to_json(array_agg(r)), '[]'),
    'meta', json_build_object('total', (select count(*) from posts ${where}), 'limit', ${limit}, 'offset', 0, 'hasMore', true))
  from (
    select ${COLUMNS}${extra}
    from (select * from posts ${where} order by id desc limit ${limit}) p ${joins}
    order by p.id desc) r`;

const AUTHOR = `, json_build_object('id', a.id, 'countryId', a.country_id, 'name', a.name) as author`;
const COMMENTS = `, coalesce(c.comments, '[]') as comments`;
const COMMENTS_JOIN = `left join (
  select d."postId" as post_id, json_agg(d order by d.id desc) as comments
  from (
    select c.id, c.post_id as "postId", c.author_id as "authorId", c.body,
      json_build_object('id', a.id, 'countryId', a.country_id, 'name', a.name, 'country', json_build_object('id', n.id, 'name', n.name))
      as author
    from comments c join authors a on a.id = c.author_id join countries n on n.id = a.country_id
    where c.post_id in (select id from posts ${LIVE} order by id desc limit 50)) d
  group by d."postId") c on c.post_id = p.id`;
const aggregate = (where: string) => `
  select json_build_object('data', json_agg(d))
  from (select status, sum(price) as sum_price, trim_scale(avg(price)) as avg_price from posts ${where} group by status order by status) d`;

/** [path, statement]; the number in the path is the statement's parameter. */
const READS: [string, string][] = [
  ['/get/:n', `select row_to_json(r) from (select ${COLUMNS} from posts p where id = $1::text::integer) r`],
  ['/author/:n', `select row_to_json(r) from (
    select ${COLUMNS}${AUTHOR} from posts p left join authors a on a.id = p.author_id where p.id = $1::text::integer) r`],
  ['/list', page('')],
  ['/list/:n', page(LIVE)],
  ['/five/:n', page(LIVE, '', '', 5)],
  ['/include/:n', page(LIVE, AUTHOR, 'left join authors a on a.id = p.author_id')],
  ['/hops/:n', page(LIVE, COMMENTS, COMMENTS_JOIN)],
  ['/value/:n', `select to_json(live_value($1::text::integer))`],
  ['/count', `select json_build_object('count', count(*)) from posts`],
  ['/count/:n', `select json_build_object('count', count(*)) from posts ${LIVE}`],
  ['/aggregate', aggregate('')],
  ['/aggregate/:n', aggregate('where author_id = $1::text::integer')],
];

const RETURNING = `returning json_build_object('id', id, 'authorId', author_id, 'title', title, 'status', status, 'price', price, `
  + `'createdAt', ${CREATED_AT})`;
const INSERT = `insert into posts (author_id, title, status, price, created_at)
  values ($1::text::integer, $2, $3, $4::text::numeric, $5::text::timestamptz) ${RETURNING}`;
const UPDATE = `update posts set title = $2, price = $3::text::numeric where id = $1::text::integer ${RETURNING}`;

/** The tables of collections/, which differ in their last two columns. */
const RULED = ['notes', 'offers'].map(table => {
  const [at, by] = table === 'notes' ? ['written', 'written'] : ['updated', 'created'];
  const returning = `returning json_build_object('id', id, 'title', title, 'sku', sku, 'contact', contact, 'price', price, `
    + `'${at}At', to_char(${at}_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '${by}By', ${by}_by)`;
  return {
    table,
    insert: `insert into ${table} (title, sku, contact, price) values ($1, $2, $3, $4::text::numeric) ${returning}`,
    bulk: `with written as (
      insert into ${table} (title, sku, contact, price)
      select r.* from jsonb_to_recordset($1::text::jsonb -> 'rows') r (title text, sku text,
        contact text, price numeric) ${returning} as body)
      select concat('{"data":[', string_agg(body::text, ','), '],"meta":{"written":', count(*), '}}') from written`,
    update: `update ${table} set title = $1, sku = $2, contact = $3, price = $4::text::numeric where id = $5::text::integer ${returning}`,
  };
});

type Post = { authorId: number; title: string; status: string; price: number; createdAt: string; sku: string; contact: string };

const app = uws.App();
for (const [path, statement] of READS) {
  app.get(path, (response, request) => {
    const gone = watch(response);
    void answer(response, gone, '200 OK', reader, statement, path.endsWith(':n') ? [request.getParameter(0) ?? ''] : []);
  });
}
app.post('/create', response => withBody(response, (post, gone) =>
  answer(response, gone, '201 Created', writer, INSERT,
    [String(post.authorId), post.title, post.status, String(post.price), post.createdAt])));
app.patch('/update/:n', (response, request) => {
  const id = request.getParameter(0) ?? '';
  withBody(response, (post, gone) => answer(response, gone, '200 OK', writer, UPDATE, [id, post.title, String(post.price)]));
});
for (const { table, insert, update, bulk } of RULED) {
  const values = ({ title, sku, contact, price }: Post): string[] => [title, sku, contact, String(price)];
  app.post(`/${table}`,
    response => withBody(response, (post, gone) => answer(response, gone, '201 Created', writer, insert, values(post))));
  app.post(`/${table}/bulk`, response => withText(response, (text, gone) => answer(response, gone, '200 OK', writer, bulk, [text])));
  app.patch(`/${table}/:n`, (response, request) => {
    const id = request.getParameter(0) ?? '';
    withBody(response, (post, gone) => answer(response, gone, '200 OK', writer, update, [...values(post), id]));
  });
}
app.listen('127.0.0.1', Number(process.env['PORT']), () => undefined);

type Gone = { value: boolean };

function watch(response: uws.HttpResponse): Gone {
  const gone = { value: false };
  response.onAborted(() => { gone.value = true; });
  return gone;
}

function withBody(response: uws.HttpResponse, use: (post: Post, gone: Gone) => Promise<void>): void {
  withText(response, (text, gone) => use(JSON.parse(text) as Post, gone));
}

function withText(response: uws.HttpResponse, use: (text: string, gone: Gone) => Promise<void>): void {
  const gone = watch(response);
  let text = '';
  response.onData((chunk, isLast) => {
    text += Buffer.from(chunk).toString();
    if (isLast) void use(text, gone);
  });
}

async function answer(
  response: uws.HttpResponse, gone: Gone, status: string, sql: postgres.Sql, statement: string, parameters: string[],
): Promise<void> {
  const rows = await sql.unsafe(statement, parameters, { prepare: true }).raw() as unknown as Buffer[][];
  const [[body] = []] = rows;
  if (!gone.value) response.cork(() => response.writeStatus(status).writeHeader('Content-Type', 'application/json').end(body));
}
