import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { AccountQuery } from '../../identity/accounts.ts';
import type { Passwords } from '../../identity/passwords.ts';

const SHORTEST = 12;

/**
 * Creates the admin that the settings name, where there is no account yet. A fault in these settings is logged and does not stop the start.
 */
export async function createFirstAdmin(
  { adminEmail: email, adminPassword: password }: Config, ask: AccountQuery, passwords: Passwords, log: Logger,
): Promise<void> {
  if (email === undefined && password === undefined) return;
  if (email === undefined || password === undefined) {
    return log.warn('SERVICE_ADMIN_EMAIL and SERVICE_ADMIN_PASSWORD make the first admin together; one of them is not set.');
  }
  if (password.length < SHORTEST) return log.warn(`SERVICE_ADMIN_PASSWORD is shorter than ${SHORTEST} characters: no first admin is made.`);
  const [row] = await ask('first admin', sql => sql<{ people: boolean }[]>`select service_private.has_people() as people`);
  if (row?.people !== false) return;
  const hash = await passwords.hash(password);
  const [done] = await ask('first admin', sql => sql<{ made: boolean }[]>`
    select service_private.create_first_admin(${email}, ${hash}) as made`);
  if (done?.made === true) log.info(`The first admin was made: ${email}.`);
}
