/**
 * The floor: what this stack gives at most. uWebSockets.js and postgres.js with the SQL typed in, the same JSON (total
 * included), no row security, no identity, no errors, no CORS. Two pipelined connections, prepared statements.
 */
import * as uws from 'uWebSockets.js';
import postgres from 'postgres';

const sql = postgres(process.env['DATABASE_URL'] ?? '', { max: 2 });
const timestamp = `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"`;
const columns = `id, author_id as "authorId", title, status, price, ${timestamp}`;

const GET = `select row_to_json(r) as body from (select ${columns} from posts where id = $1) r`;
const page = (where: string) => `
  select json_build_object('data', coalesce(json_agg(r), '[]'), 'meta', json_build_object('total', (select count(*) from posts ${where}), 'limit', 50, 'offset', 0, 'hasMore', true)) as body
  from (select ${columns} from posts ${where} order by id desc limit 50) r`;
const INCLUDE = `
  select json_build_object('data', coalesce(json_agg(r), '[]'), 'meta', json_build_object('total', (select count(*) from posts where author_id = $1), 'limit', 50, 'offset', 0, 'hasMore', true)) as body
  from (
    select p.id, p.author_id as "authorId", p.title, p.status, p.price, ${timestamp}, json_build_object('id', a.id, 'name', a.name, 'country', a.country) as author
    from (select * from posts where author_id = $1 order by id desc limit 50) p left join authors a on a.id = p.author_id order by p.id desc) r`;

type Parameters = (request: uws.HttpRequest) => string[];
const routes: [path: string, text: string, parameters: Parameters][] = [
  ['/get/:id', GET, request => [request.getParameter(0) ?? '']],
  ['/list', page(''), () => []],
  ['/filtered/:author', page('where author_id = $1'), request => [request.getParameter(0) ?? '']],
  ['/include/:author', INCLUDE, request => [request.getParameter(0) ?? '']],
];

const app = uws.App();
for (const [path, text, parameters] of routes) {
  app.get(path, (response, request) => {
    let gone = false;
    response.onAborted(() => { gone = true; });
    void sql.unsafe(text, parameters(request), { prepare: true }).raw().then(rows => {
      const [[body] = []] = rows as unknown as Buffer[][];
      if (!gone) response.cork(() => response.writeHeader('Content-Type', 'application/json').end(body));
    });
  });
}
app.listen('127.0.0.1', Number(process.env['PORT']), () => console.log('floor'));
