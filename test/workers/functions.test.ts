import { test } from 'tap';
import { projectFolder } from '../functions/serve.ts';
import { answeredBy, BOTH, startService } from './service.ts';

test('functions are served by every worker, those of SQL as DDL says, those of files as they are saved', async t => {
  const file = (answer: string) => ({
    'said.js': `import { Hono } from 'hono'; export default new Hono().get('/', c => c.text('${answer}'));`,
  });
  const { folder, write } = projectFolder(t, file('first'));
  const service = await startService(t, { SERVICE_FUNCTIONS_DIR: folder, NODE_ENV: 'development' });
  const { sql } = service.database;
  const answers = (path: string, text: string) => answeredBy(service, BOTH, path, answer => answer.status === 200 && answer.text === text);
  await answers('/functions/said', 'first');
  await sql.unsafe(`create function doubled(n integer) returns integer language sql immutable as 'select 2 * n';
    comment on function doubled is '@endpoint'`).simple();
  await answers('/functions/doubled?n=4', '8');
  write(file('second'));
  await answers('/functions/said', 'second');
  await sql`comment on function doubled is null`;
  await answeredBy(service, BOTH, '/functions/doubled?n=4', ({ status }) => status === 404);
});
