import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type postgres from 'postgres';
import { exclusively } from './exclusive.ts';

/**
 * Settings that a lane's role always runs with. They are stored on the role in this database, so that they also hold through a pooler.
 * app.uid is empty: no caller has entered yet. The claims are empty too, but as JSON: a setting that a request has set reads '' afterwards,
 * which is no JSON, and the planner evaluates "current_setting('request.jwt.claims', true)::json" of a policy before a statement enters.
 * Timeouts end what our own deadlines have given up on.
 */
const SETTINGS = {
  role: 'service_user',
  'app.uid': '',
  'request.jwt.claims': '{}',
  jit: 'off',
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  // Every digit of a float: a cursor continues from the value that was shown.
  extra_float_digits: '1',
  statement_timeout: '30s',
  lock_timeout: '10s',
  idle_in_transaction_session_timeout: '60s',
};

/** The login roles of lanes, and the one that calls functions of the project as the service. */
export type Login = 'reader' | 'writer' | 'service';

const LOGIN_SETTINGS: Record<Login, Record<string, string>> = {
  reader: { ...SETTINGS, default_transaction_read_only: 'on' },
  writer: { ...SETTINGS, default_transaction_read_only: 'off' },
  service: { ...SETTINGS, default_transaction_read_only: 'off' },
};

/** With the search_path of requests to this schema. */
export async function loginSettings(owner: postgres.Sql, login: Login, schema: string): Promise<Record<string, string>> {
  const [row] = await owner<{ path: string }[]>`select service_private.lane_path(${schema}) as path`;
  return { ...LOGIN_SETTINGS[login], ...row && { search_path: row.path } };
}

/** `iterations`: of its verifier, as many as the server uses for a password that it receives in clear. */
export type LoginRole = { name: string; password: string; iterations: number };

/**
 * The login role of a lane: the same, with the same password, for every gateway that serves this schema of the database. Gateways of other
 * schemas have roles of their own. The search_path is a setting of the role, so one gateway would change it for the other, and a pooler
 * keeps server connections with the settings of before.
 */
export async function loginRole(owner: postgres.Sql, login: Login, schema: string): Promise<LoginRole> {
  const [row] = await owner<{ database: string; key: string; iterations: number }[]>`
    select current_database() as database, key, coalesce(current_setting('scram_iterations', true), '4096')::integer as iterations
    from service.login_key`;
  if (row === undefined) throw new Error('service.login_key is empty');
  const name = roleName(row.database, login, schema);
  return { name, password: createHmac('sha256', row.key).update(name).digest('base64url'), iterations: row.iterations };
}

/** Makes or completes the role. `renew` also sets its password, for a role that a dropped database of this name left behind. */
export async function ensureRole(
  owner: postgres.Sql, role: LoginRole, settings: Record<string, string>, renew: boolean,
): Promise<void> {
  const verifier = await scramVerifier(role);
  await exclusively(owner, transaction =>
    transaction`select service_private.login_role(${role.name}, ${verifier}, ${JSON.stringify(settings)}::text::jsonb, ${renew})`);
}

/** Role names end at 63 bytes; a long database name is told apart by its hash. */
function roleName(database: string, login: Login, schema: string): string {
  const lane = schema === 'public' ? login : `${login}_${hashOf(schema).slice(0, 8)}`;
  const name = `${database}_${lane}`;
  return Buffer.byteLength(name) <= 63 ? name : `rowgate_${hashOf(database).slice(0, 32)}_${lane}`;
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

/** RFC 5803: the server stores this instead of the password, so no log of its statements ever holds one. */
async function scramVerifier({ password, iterations }: LoginRole): Promise<string> {
  const salt = randomBytes(16);
  const salted = await promisify(pbkdf2)(password, salt, iterations, 32, 'sha256');
  const key = (label: string) => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest();
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored.toString('base64')}:${key('Server Key').toString('base64')}`;
}
