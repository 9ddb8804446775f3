import { test } from 'tap';
import { runGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { storeFiles } from '../harness/service.ts';
import { pooler, refused } from './poolers.ts';

test('a pooler that does not know the logins which the service makes', async t => {
  const pooled = await pooler(t,
    { settings: { auth_query: 'select usename, passwd from pg_catalog.pg_shadow where usename = $1 and false' } });
  if (!pooled) return;
  const { url } = await createDatabase(t);
  refused(t, await runGateway(t, { DATABASE_URL: pooled(url), DATABASE_DIRECT_URL: url }),
    /^The login .*_reader was refused: .*must know it \(auth_query\); or name a login that it knows with DATABASE_READER_URL\.$/m);
});

test('an owner who may not create roles, through a pooler: startup parameters that it drops never open anything', async t => {
  for (const [settings, says] of [
    [{}, /^The login \w+_owner was refused: unsupported startup parameter: .*DATABASE_READER_URL\.$/m],
    [
      { ignore_startup_parameters: 'role, app.uid, request.jwt.claims, search_path, extra_float_digits, jit, statement_timeout, '
        + 'lock_timeout, idle_in_transaction_session_timeout, default_transaction_read_only' },
      /^The reader's connection runs as \w+_owner \(read-only off\), not as service_user, read-only/m,
    ],
  ] as const) {
    const pooled = await pooler(t, { settings });
    if (!pooled) return;
    const { url, name, sql } = await createDatabase(t);
    const owner = `${name}_owner`;
    t.teardown(async () => { await sql.unsafe(`drop role ${owner}`).catch(() => undefined); });
    await sql.unsafe(`do $$ begin create role service_user nologin noinherit; exception when duplicate_object or unique_violation then null;
      end $$;
      create role ${owner} login password 'owner'; grant service_user to ${owner}; alter database ${name} owner to ${owner};
      alter schema public owner to ${owner}`).simple();
    const own = new URL(url);
    [own.username, own.password] = [owner, 'owner'];
    refused(t, await runGateway(t, { DATABASE_URL: pooled(own.href), DATABASE_DIRECT_URL: own.href }), says);
  }
});

test('migrations of the project do not run through a pooler that shares sessions', async t => {
  const pooled = await pooler(t);
  if (!pooled) return;
  const { url } = await createDatabase(t);
  refused(t, await runGateway(t, { DATABASE_URL: pooled(url), ...storeFiles }),
    /^The migrations in .* cannot run through a pooler .*: set DATABASE_DIRECT_URL/);
});
