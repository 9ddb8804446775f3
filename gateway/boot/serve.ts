import { type Logger } from 'pino';
import { type Config } from '../config/config.ts';
import { ownHost } from '../config/own-host.ts';
import { orUnavailable } from '../database/refusal.ts';
import { BootError } from '../error.ts';
import { type Route } from '../http/route.ts';
import { createServer, type Place, type Server } from '../http/server.ts';
import { ACCOUNTS_CHANNEL, EVERYBODY, askAccounts, askStanding, lookUp } from '../identity/accounts.ts';
import { createApiKeys } from '../identity/api-keys.ts';
import { createIdentity, type Identity } from '../identity/identity.ts';
import { createPermissions } from '../identity/permissions.ts';
import { createPasswords, type Passwords } from '../identity/passwords.ts';
import { createAccessTokens } from '../identity/access-tokens.ts';
import { createDownloadTokens } from '../identity/download-tokens.ts';
import { createMfaTokens } from '../identity/mfa-tokens.ts';
import { type Secrets } from '../identity/secrets.ts';
import { type Worker } from '../jobs/worker.ts';
import { type Heard } from '../process/workers/messages.ts';
import { type Mailbox } from '../mail/mailbox.ts';
import { type Mail } from '../mail/mail.ts';
import { growSlowly } from '../process/heap.ts';
import { type Realtime } from '../surfaces/realtime/realtime.ts';
import { auditBoard, type AuditBoard } from './audit.ts';
import { type Database } from './database.ts';
import { openCaptcha } from './captcha.ts';
import { createFirstAdmin } from './first-admin.ts';
import { openJobs } from './jobs.ts';
import { openLimits } from './limits.ts';
import { mailboxOf, openServiceMail, warnOfMail } from './mail.ts';
import { openSealing, warnOfSharedSecret } from './sealing.ts';
import { openGate, openStorage } from './storage.ts';
import { openTus, type Tus } from './tus.ts';
import { features, realtime, routes } from './surfaces.ts';

export type Service = { port: number; routes: readonly Route[]; close: (deadline: number) => Promise<void> };
export type ServeOptions = {
  config: Config;
  secrets: Secrets;
  audit?: AuditBoard;
  /** Where mail stays that goes nowhere else. */
  mailbox?: Mailbox | undefined;
  passwords?: Passwords | undefined;
  /** One of several processes on a port. */
  place?: Place;
  /** Tells all processes of the start; resolves when each of them knows. */
  tellAll?: (news: Heard) => Promise<void>;
  log: Logger;
};

/** Serves a database that is open: identity, mail, surfaces, server. Closing the service closes the database too. */
export async function serve(database: Database, options: ServeOptions): Promise<Service> {
  const { config, secrets, audit = auditBoard(), mailbox = mailboxOf(config), place, tellAll, log } = options;
  const { passwords = createPasswords() } = options;
  growSlowly();
  const keys = { ...secrets, signingKeys: config.signingKeys };
  const ask = askAccounts(database.accounts, !config.production);
  const hasAccounts = config.auth === 'on';
  const look = lookUp(ask, database.accountsAtReplica && askAccounts(database.accountsAtReplica, !config.production));
  const permissions = createPermissions(config);
  const apiKeys = createApiKeys(ask, look, permissions.rankOf);
  const identity = createIdentity({ config, secrets: keys, apiKeys, ...(hasAccounts && { standing: askStanding(look) }) });
  const signing = config.signingKeys.find(({ kid }) => kid === config.activeKid);
  const signAccessToken = createAccessTokens(secrets.jwtSecret, signing, config.jwtAccessExpiresIn);
  const accounts = {
    ask, passwords, signAccessToken, revoked,
    mfaTokens: createMfaTokens(secrets.jwtSecret), sealing: openSealing(config, secrets),
  };
  const isFirst = place === undefined || place.number === 1;
  if (hasAccounts && isFirst) await createFirstAdmin(config, ask, passwords, log);
  if (hasAccounts && isFirst) warnOfSharedSecret(config, log);
  let ownPort = place?.port ?? config.port;
  const mail = openServiceMail({ config, mailbox, ownAddress: () => `http://${ownHost(config.host)}:${ownPort}`, log });
  const isDraining = () => server.draining;
  const limits = openLimits(config, database, place !== undefined);
  const captcha = openCaptcha(config, log);
  const sources = await openStorage(config, { isFirst, log });
  const gate = openGate(config, database, log);
  const tus = await openTus({ ask, accounts: config.auth === 'on', listen: database.listen, sources, gate, sweeps: isFirst, log });
  const storage = { sources, gate, tus, tokens: createDownloadTokens(secrets.jwtSecret) };
  const parts = { config, database, identity, permissions, accounts, audit, mail, mailbox, limits, captcha, storage, isDraining, log };
  const sockets = realtime(parts);
  const listening = await hearAccounts(database, { identity, sockets });
  await sockets.start();
  const server = createServer({ config, routes: routes(parts), features, sockets, understand: orUnavailable, log, place });
  const { port } = await server.listen().catch((error: unknown) => {
    throw new BootError((error as Error).message, { cause: error }); // it names the port
  });
  ownPort = port;
  if (isFirst) void warnOfMail(mail, config, log);
  const jobs = isFirst ? openJobs(database, sources.served, log) : undefined;
  const parting = { server, tus, sockets, mail, jobs, database };
  return { port, routes: server.routes, close: deadline => close(parting, deadline).finally(listening.end) };

  /** Resolves when every process of this start has forgotten what it knew of the account. */
  async function revoked(uid: string): Promise<void> {
    forget({ identity, sockets }, uid);
    await tellAll?.({ channel: ACCOUNTS_CHANNEL, heard: uid });
  }
}

type Believers = { identity: Identity; sockets: Realtime };

/** While nothing is heard of accounts, each request asks; who is connected is looked at anew when it is heard again. */
function hearAccounts({ listen }: Database, believers: Believers): ReturnType<Database['listen']> {
  const { identity, sockets } = believers;
  return listen(ACCOUNTS_CHANNEL, {
    heard: uid => { forget(believers, uid); },
    resumed: () => { identity.trust(true); void sockets.judge(); },
    silent: () => { identity.trust(false); },
  });
}

function forget({ identity, sockets }: Believers, of: string): void {
  const uid = of === EVERYBODY ? undefined : of;
  identity.forget(uid);
  void sockets.judge(uid);
}

type Closing = { server: Server; tus: Tus; sockets: Realtime; mail: Mail; jobs: Worker | undefined; database: Database };

/** First the answers that are under way, then the mail that they sent, then what they need. */
async function close({ server, tus, sockets, mail, jobs, database }: Closing, deadline: number): Promise<void> {
  const end = Date.now() + deadline;
  const left = () => Math.max(0, end - Date.now());
  await Promise.all([server.close(deadline), tus.close(deadline)]);
  await sockets.close();
  await mail.close(left());
  await jobs?.close(left());
  await database.close(left());
}
