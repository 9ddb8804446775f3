/** Answers that must not tell whether there is an account: the same text and status, and as far as can be measured the same time. */
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { connection } from './database.ts';
import { median } from './measure.ts';
import { number, type Table } from './report.ts';
import { start } from './servers.ts';

const TRIES = 200;
/** How many ask beside each other; an odd number, so that each lane asks first for either. */
const LANES = 5;
const HASH = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$2VIXhyVZuyBGR8fw7Rv6yxa4a3fHvx2K5Kp2oq0nW5k';

const ROUTES = [
  ['/auth/login', { password: 'A-guess-1' }],
  ['/auth/forgot-password', {}],
  ['/auth/magic-link', {}],
  ['/auth/otp', {}],
  ['/auth/register', { password: 'Correct-horse-1' }],
] as const;

export async function evenness(_server: Embedded, url: string): Promise<Table> {
  const sql = connection(url);
  await sql`
    insert into service.users (uid, email, password_hash, password_proven, email_verified)
    select 'known-' || n, 'known-' || n || '@example.org', ${HASH}, true, true from generate_series(1, ${TRIES}) n`;
  const env = { NODE_ENV: 'development', TRUSTED_PROXY_HOPS: '1', ALLOW_REGISTRATION: 'true', AUTH_REQUIRE_EMAIL_VERIFICATION: 'true' };
  const gateway = await start('rowgate', url, { env });
  const asked = async (path: string, body: object): Promise<{ said: string; time: number }> => {
    const address = Array.from({ length: 4 }, () => 1 + Math.floor(Math.random() * 250)).join('.');
    const began = performance.now();
    const response = await fetch(`${gateway.url}/api${path}`, {
      method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-for': address }, body: JSON.stringify(body),
    });
    const text = await response.text();
    const time = performance.now() - began;
    return { said: `${response.status} ${text.replace(/"requestId":"[^"]*"/, '')}`, time };
  };
  const rows: string[][] = [];
  try {
    for (const [path, more] of ROUTES) {
      const times = { known: [] as number[], unknown: [] as number[] };
      const said = new Set<string>();
      await Promise.all(Array.from({ length: LANES }, async (_, lane) => {
        for (let n = 1 + lane; n <= TRIES; n += LANES) {
          for (const who of n % 2 === 0 ? ['known', 'unknown'] as const : ['unknown', 'known'] as const) {
            const answer = await asked(path, { email: `${who}-${n}@example.org`, ...more });
            said.add(answer.said);
            times[who].push(answer.time);
          }
        }
      }));
      const [known, unknown] = [median(times.known), median(times.unknown)];
      // For random pairs of a known and an unknown address: how often the known one took longer. One half reveals nothing.
      const longer = times.known.reduce((sum, time) => sum + times.unknown.filter(other => time > other).length, 0) / TRIES ** 2;
      rows.push([
        path, said.size === 1 ? 'the same' : [...said].join(' / '), `${number(known)} ms`, `${number(unknown)} ms`, number(longer),
      ]);
    }
  } finally {
    await gateway.stop();
    await sql.end();
  }
  return { header: ['route', 'answers', 'an account', 'no account', 'how often the account took longer'], rows };
}
