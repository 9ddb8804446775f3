/**
 * The floor: what this stack gives at most. uWebSockets.js and postgres.js with the SQL typed in and the same JSON in
 * and out, but no row security, no identity, no checks, no errors. As many connections as the service writes on.
 */
import * as uws from 'uWebSockets.js';
import postgres from 'postgres';

const sql = postgres(process.env['DATABASE_URL'] ?? '', { max: Number(process.env['WRITERS']) });
const ROW = `json_build_object('id', id, 'authorId', author_id, 'title', title, 'status', status, 'price', price, 'createdAt', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as body`;
const INSERT = `insert into posts (author_id, title, status, price, created_at) values ($1::text::integer, $2, $3, $4::text::numeric, $5::text::timestamptz) returning ${ROW}`;
const UPDATE = `update posts set title = $2, price = $3::text::numeric where id = $1::text::integer returning ${ROW}`;

type Post = { authorId: number; title: string; status: string; price: number; createdAt: string };

const app = uws.App();
app.post('/create', response => answer(response, '201 Created', post => [INSERT, [String(post.authorId), post.title, post.status, String(post.price), post.createdAt]]));
app.patch('/update/:id', (response, request) => {
  const id = request.getParameter(0) ?? '';
  answer(response, '200 OK', post => [UPDATE, [id, post.title, String(post.price)]]);
});
app.listen('127.0.0.1', Number(process.env['PORT']), () => console.log('floor'));

function answer(response: uws.HttpResponse, status: string, statement: (post: Post) => [string, string[]]): void {
  let gone = false;
  let text = '';
  response.onAborted(() => { gone = true; });
  response.onData((chunk, isLast) => {
    text += Buffer.from(chunk).toString();
    if (!isLast) return;
    void sql.unsafe(...statement(JSON.parse(text) as Post), { prepare: true }).raw().then(rows => {
      const [[body] = []] = rows as unknown as Buffer[][];
      if (!gone) response.cork(() => response.writeStatus(status).writeHeader('Content-Type', 'application/json').end(body));
    });
  });
}
